package lua

import (
	"context"
	"errors"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/gluewheel/gluewheel/runtime/hostapi"
)

const (
	// maxDepth is how deep Lua functions may nest. A level that goes through Go
	// (metamethods, pcall, sort) takes about 2 KiB of Go's stack.
	maxDepth = 16_000
	// maxRegistry bounds the values on the stack, at 16 bytes each. Honest code needs
	// many at once: table.concat and unpack push all items.
	maxRegistry = 4 << 20
	// registryStep is by how many values the stack grows; each growth copies it.
	registryStep = 16 << 10
	// defaultRep bounds string.rep where no memory limit is known.
	defaultRep = 64 << 20
)

// Guest is a compiled program in a fresh state: it runs once.
type Guest struct {
	state *lua.LState
	main  *lua.LFunction
	null  *lua.LUserData // gw.json.null
	host  *hostapi.Host  // set by Run, before any guest code
}

// Load compiles source and builds the state that it will run in. An error is a
// *[runtime.InvalidError]. memoryBytes bounds single strings; 0 takes a default.
func Load(source []byte, memoryBytes int64) (*Guest, error) {
	proto, invalid := compile(source)
	if invalid != nil {
		return nil, invalid
	}
	g := &Guest{state: lua.NewState(lua.Options{
		SkipOpenLibs:        true,
		CallStackSize:       maxDepth,
		MinimizeStackMemory: true,
		RegistryMaxSize:     maxRegistry,
		RegistryGrowStep:    registryStep,
	})}
	openLibraries(g.state, memoryBytes)
	g.openHost()
	g.main = g.state.NewFunctionFromProto(proto)
	return g, nil
}

// Run runs the program. What it returns, or set by gw.result, is the message. An error
// carries the line; its stack is logged. When ctx ends the guest is interrupted, wherever
// gopher-lua looks.
func (g *Guest) Run(ctx context.Context, host *hostapi.Host) (string, error) {
	g.host = host
	g.state.SetContext(ctx)
	defer g.state.RemoveContext()

	g.state.Push(g.main)
	if err := g.state.PCall(0, 1, nil); err != nil {
		return "", g.failure(err)
	}
	if v := g.state.Get(-1); v != lua.LNil {
		host.SetResult(text(g.state, v))
	}
	return host.Result(), nil
}

// failure is the guest's error as people should read it.
func (g *Guest) failure(err error) error {
	api, ok := errors.AsType[*lua.ApiError](err)
	if !ok {
		return err
	}
	if trace := strings.TrimSpace(api.StackTrace); trace != "" {
		g.host.Log(trace)
	}
	if api.Object == nil || api.Object == lua.LNil {
		return err
	}
	message := text(g.state, api.Object)
	if table, ok := api.Object.(*lua.LTable); ok {
		if m, ok := table.RawGetString("message").(lua.LString); ok {
			message = string(m)
		}
	}
	return errors.New(hostapi.Cut(message, hostapi.MaxResult))
}

// text is what tostring gives, but for tables without a __tostring: their content as
// JSON tells more than their address.
func text(state *lua.LState, v lua.LValue) string {
	if table, ok := v.(*lua.LTable); ok && state.GetMetaField(v, "__tostring") == lua.LNil {
		if encoded, err := encode(table); err == nil {
			return encoded
		}
	}
	return state.ToStringMeta(v).String()
}
