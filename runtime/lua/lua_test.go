package lua_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/runtime"
	"github.com/gluewheel/gluewheel/runtime/hostapi"
	"github.com/gluewheel/gluewheel/runtime/lua"
)

func TestCheck(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		source  string
		line    int
		message string // "" is valid
	}{
		"valid":              {"local x = 1\nreturn x", 0, ""},
		"empty":              {"", 0, ""},
		"a shebang":          {"#!/usr/bin/lua\nreturn 1", 0, ""},
		"a byte order mark":  {"\uFEFFreturn 1", 0, ""},
		"a wrong token":      {"x = 1\ny = = 2", 2, "line 2: syntax error near '='"},
		"after a shebang":    {"#!/usr/bin/lua\n)", 2, "line 2: syntax error near ')'"},
		"an early end":       {"if x then\n", 2, "at the end of the source"},
		"an open string":     {"x = 'abc", 1, "line 1"},
		"a break outside":    {"x = 1\nbreak", 2, "no loop to break"},
		"too many variables": {"local " + strings.Repeat("a,", 250) + "a", 0, "too many local variables"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			invalid := lua.Check(c.source)
			if c.message == "" {
				require.Nil(t, invalid)
				return
			}
			require.NotNil(t, invalid)
			require.Contains(t, invalid.Message, c.message)
			require.Equal(t, c.line, invalid.Line)
			require.Equal(t, c.line > 0, invalid.Column > 0)
		})
	}
}

func FuzzCheck(f *testing.F) {
	f.Add("return 1")
	f.Add("x = [[\n")
	f.Fuzz(func(t *testing.T, source string) {
		if invalid := lua.Check(source); invalid != nil {
			require.NotEmpty(t, invalid.Message)
		}
	})
}

func TestGuest_Run(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		source, message, failure string
	}{
		"a returned text":        {`return "done"`, "done", ""},
		"a returned number":      {`return 3`, "3", ""},
		"a returned table":       {`return {1, "a"}`, `[1,"a"]`, ""},
		"a table with tostring":  {`return setmetatable({}, {__tostring = function() return "me" end})`, "me", ""},
		"a set result":           {`gw.result("set")`, "set", ""},
		"both":                   {`gw.result("set"); return "returned"`, "returned", ""},
		"nothing":                {`local x = 1`, "", ""},
		"an error":               {"\nerror('no disk')", "", "job.lua:2: no disk"},
		"an error without place": {`error("no disk", 0)`, "", "no disk"},
		"an error table":         {`error({code = 5})`, "", `{"code":5}`},
		"a wrong argument":       {`gw.sleep("long")`, "", "argument 1 must be a number, not text"},
		"a function argument":    {`gw.result(print)`, "", "argument 1: a function cannot leave Lua"},
		"an unknown hash":        {`gw.hash("crc", "x")`, "", `unknown hash "crc"`},
		"a missing grant":        {`gw.kv.set("a", 1)`, "", "gw.kv.set: not granted to this version"},
		"an overwritten gw":      {`local decode = gw.json.decode; gw = nil; return tostring(decode("[null]")[1])`, "null", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			guest, err := lua.Load([]byte(c.source), 0)
			require.NoError(t, err)
			host := hostapi.New(hostapi.Config{Output: runtime.NewOutput(0, nil)})
			message, err := guest.Run(t.Context(), host)
			if c.failure != "" {
				require.ErrorContains(t, err, c.failure)
				return
			}
			require.NoError(t, err)
			require.Equal(t, c.message, message)
		})
	}
}

func TestGuest_Log(t *testing.T) {
	t.Parallel()
	guest, err := lua.Load([]byte(`
		gw.log("100%")
		gw.log("%s is %d", "x", 5)
		gw.error({1, 2})
		print(nil, true, {} ~= nil)`), 0)
	require.NoError(t, err)
	var lines []string
	out := runtime.NewOutput(0, func(line string) { lines = append(lines, line) })
	_, err = guest.Run(t.Context(), hostapi.New(hostapi.Config{Output: out}))
	require.NoError(t, err)
	require.Equal(t, []string{"100%", "x is 5", "[ERROR] [1,2]", "nil\ttrue\ttrue"}, lines)
}

func TestGuest_Interrupted(t *testing.T) {
	t.Parallel()
	guest, err := lua.Load([]byte(`while true do end`), 0)
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	_, err = guest.Run(ctx, hostapi.New(hostapi.Config{Output: runtime.NewOutput(0, nil)}))
	require.ErrorContains(t, err, "job.lua:1:")
}
