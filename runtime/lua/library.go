package lua

import (
	"cmp"

	lua "github.com/yuin/gopher-lua"
)

// openLibraries opens what a guest may have, and takes out of it what it may not.
func openLibraries(state *lua.LState, memoryBytes int64) {
	for _, library := range []struct {
		name string
		open lua.LGFunction
	}{
		{lua.BaseLibName, lua.OpenBase},
		{lua.TabLibName, lua.OpenTable},
		{lua.StringLibName, lua.OpenString},
		{lua.MathLibName, lua.OpenMath},
		{lua.CoroutineLibName, lua.OpenCoroutine},
		{lua.OsLibName, lua.OpenOs},
	} {
		state.Push(state.NewFunction(library.open))
		state.Push(lua.LString(library.name))
		state.Call(1, 0)
	}
	for _, name := range []string{
		"load", "loadstring", "loadfile", "dofile", "require", "module", "collectgarbage", "newproxy", "_printregs",
	} {
		state.SetGlobal(name, lua.LNil)
	}
	keep(state, lua.OsLibName, "clock", "date", "difftime", "time")

	strings := state.GetGlobal(lua.StringLibName).(*lua.LTable)
	strings.RawSetString("dump", lua.LNil)
	limit := cmp.Or(memoryBytes/4, defaultRep)
	strings.RawSetString("rep", state.NewFunction(func(l *lua.LState) int { return rep(l, limit) }))
}

// keep leaves a library only these functions.
func keep(state *lua.LState, library string, names ...string) {
	full := state.GetGlobal(library).(*lua.LTable)
	kept := state.NewTable()
	for _, name := range names {
		kept.RawSetString(name, full.RawGetString(name))
	}
	state.SetGlobal(library, kept)
}

// rep is string.rep with a bound: the original allocates first and is then too late to
// be stopped.
func rep(l *lua.LState, limit int64) int {
	s, n := l.CheckString(1), l.CheckInt64(2)
	if n <= 0 || s == "" {
		l.Push(lua.LString(""))
		return 1
	}
	if n > limit/int64(len(s)) {
		l.RaiseError("resulting string too large: at most %d bytes are allowed", limit)
	}
	buf := make([]byte, 0, int64(len(s))*n)
	for range n {
		buf = append(buf, s...)
	}
	l.Push(lua.LString(buf))
	return 1
}
