package lua

import (
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/gluewheel/gluewheel/runtime/hostapi"
)

// levels are the logging functions of gw and what they put before a line.
var levels = map[string]string{"log": "", "debug": "[DEBUG] ", "info": "[INFO] ", "warn": "[WARN] ", "error": "[ERROR] "}

// openHost makes the module gw and sends print to the log.
func (g *Guest) openHost() {
	g.null = newNull(g.state)
	gw := g.state.NewTable()
	for name, prefix := range levels {
		gw.RawSetString(name, g.state.NewFunction(func(l *lua.LState) int {
			g.host.Log(prefix + formatted(l))
			return 0
		}))
	}
	for _, f := range hostapi.Functions() {
		g.bind(gw, f)
	}
	json := g.state.NewTable()
	json.RawSetString("encode", g.state.NewFunction(jsonEncode))
	json.RawSetString("decode", g.state.NewFunction(g.jsonDecode))
	json.RawSetString("null", g.null)
	gw.RawSetString("json", json)

	g.state.SetGlobal("gw", gw)
	g.state.SetGlobal("print", g.state.NewFunction(g.print))
}

// bind puts f under its name, which may have a module before a dot.
func (g *Guest) bind(gw *lua.LTable, f hostapi.Function) {
	into, name := gw, f.Name
	if module, function, dotted := strings.Cut(f.Name, "."); dotted {
		name = function
		table, ok := gw.RawGetString(module).(*lua.LTable)
		if !ok {
			table = g.state.NewTable()
			gw.RawSetString(module, table)
		}
		into = table
	}
	into.RawSetString(name, g.state.NewFunction(func(l *lua.LState) int { return g.call(l, f) }))
}

func (g *Guest) call(l *lua.LState, f hostapi.Function) int {
	args := make(hostapi.Args, l.GetTop())
	for i := range args {
		v, err := toPlain(l.Get(i+1), 0)
		if err != nil {
			l.RaiseError("gw.%s: argument %d: %s", f.Name, i+1, err)
		}
		args[i] = v
	}
	results, err := f.Call(l.Context(), g.host, args)
	if err != nil {
		l.RaiseError("gw.%s: %s", f.Name, err)
	}
	for _, r := range results {
		l.Push(g.fromPlain(r))
	}
	return len(results)
}

// formatted is the arguments as string.format makes text of them; a lone one is shown
// as it is, so that a percent sign does no harm.
func formatted(l *lua.LState) string {
	if l.GetTop() <= 1 {
		return text(l, l.Get(1))
	}
	format := l.GetField(l.GetGlobal(lua.StringLibName), "format")
	l.Insert(format, 1)
	l.Call(l.GetTop()-1, 1)
	return l.ToString(-1)
}

func (g *Guest) print(l *lua.LState) int {
	parts := make([]string, l.GetTop())
	for i := range parts {
		parts[i] = l.ToStringMeta(l.Get(i + 1)).String()
	}
	g.host.Log(strings.Join(parts, "\t"))
	return 0
}
