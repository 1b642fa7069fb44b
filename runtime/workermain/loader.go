package workermain

import (
	"context"

	"github.com/gluewheel/gluewheel/runtime/frame"
	"github.com/gluewheel/gluewheel/runtime/js"
	"github.com/gluewheel/gluewheel/runtime/lua"
	"github.com/gluewheel/gluewheel/runtime/wasm"
)

// loader makes guests of one type.
type loader struct {
	space      int64  // address space that its engine needs
	cacheBytes uint64 // largest file that loading may write to the cache
	load       func(ctx context.Context, body frame.LoadBody, code []byte, m *meter) (guest, error)
	inspect    func(g guest) frame.Inspection // nil if there is nothing to tell
	sample     string                         // a program that logs an empty line
}

// loaders are the engines that are linked into the worker, by glue type.
var loaders = map[string]loader{
	lua.Type:          {space: spaceForScripts, load: loadLua, sample: `print("")`},
	js.Type:           {space: spaceForScripts, load: loadJS, sample: `console.log("")`},
	js.TypeTypeScript: {space: spaceForScripts, load: loadJS, sample: `console.log("")`},
	wasm.Type:         {space: spaceForWASM, cacheBytes: 512 << 20, load: loadWASM, inspect: inspectWASM, sample: sampleModule},
}

func loadLua(_ context.Context, body frame.LoadBody, code []byte, _ *meter) (guest, error) {
	return lua.Load(code, body.MemoryBytes)
}

func loadJS(_ context.Context, body frame.LoadBody, code []byte, m *meter) (guest, error) {
	return js.Load(code, js.Options{
		MemoryBytes: body.MemoryBytes,
		TypeScript:  body.Type == js.TypeTypeScript,
		Peak:        m.peakBytes,
	})
}

func loadWASM(ctx context.Context, body frame.LoadBody, code []byte, _ *meter) (guest, error) {
	return wasm.Load(ctx, code, wasm.Options{MemoryBytes: body.MemoryBytes, CacheDir: body.CacheDir})
}

func inspectWASM(g guest) frame.Inspection {
	return frame.Inspection{ABI: string(g.(*wasm.Guest).ABI())}
}
