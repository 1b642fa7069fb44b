package worker_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/runtime"
	"github.com/gluewheel/gluewheel/runtime/proc"
	"github.com/gluewheel/gluewheel/runtime/worker"
)

func newEngine(t *testing.T, mutate ...func(*worker.Config)) *worker.Engine {
	t.Helper()
	cfg := worker.Config{Exe: worker.WorkerExe}
	for _, m := range mutate {
		m(&cfg)
	}
	engine, err := worker.New(cfg)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, engine.Close()) })
	return engine
}

func luaSource(code string) runtime.Source {
	return runtime.Source{Key: "1/7/" + code, JobID: 7, Version: 1, Type: "GLUE_LUA", Name: "demo", Code: []byte(code)}
}

// record is what a run told.
type record struct {
	mu       sync.Mutex
	lines    []string
	percent  float64
	note     string
	onLine   func(line string)
	received int
}

func (r *record) request(req runtime.Request) runtime.Request {
	req.Log = func(line string) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.lines = append(r.lines, line)
		r.received += len(line) + 1
		if r.onLine != nil {
			r.onLine(line)
		}
	}
	req.Progress = func(percent float64, note string) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.percent, r.note = percent, note
	}
	return req
}

func run(ctx context.Context, t *testing.T, e runtime.Engine, src runtime.Source, req runtime.Request) (runtime.Result, *record) {
	t.Helper()
	program, err := e.Prepare(t.Context(), src)
	require.NoError(t, err)
	r := &record{}
	result := program.Run(ctx, r.request(req))
	require.NoError(t, program.Close())
	return result, r
}

func TestEngine_RunsLua(t *testing.T) {
	t.Parallel()
	result, r := run(t.Context(), t, newEngine(t), luaSource(`
		local index, total = gw.shard()
		print("hello", gw.param(), index, total)
		gw.warn("%d%%", 50)
		gw.progress(50, "half")
		gw.result("fine")`), runtime.Request{Param: "p", ShardIndex: 1, ShardTotal: 3})
	require.Equal(t, runtime.Succeeded, result.Kind, result.Message)
	require.Equal(t, "fine", result.Message)
	require.Equal(t, []string{"hello\tp\t1\t3", "[WARN] 50%"}, r.lines)
	require.Equal(t, 50.0, r.percent)
	require.Equal(t, "half", r.note)
	require.EqualValues(t, 4, result.Usage.HostCalls)
	require.Positive(t, result.Usage.PeakBytes)
	require.Positive(t, result.Usage.Wall)
}

func TestEngine_GuestErrors(t *testing.T) {
	t.Parallel()
	result, r := run(t.Context(), t, newEngine(t), luaSource("local function f()\n  error('no disk')\nend\nf()"), runtime.Request{})
	require.Equal(t, runtime.Failed, result.Kind)
	require.Equal(t, "job.lua:2: no disk", result.Message)
	require.Contains(t, strings.Join(r.lines, "\n"), "stack traceback")
}

func TestEngine_InvalidSource(t *testing.T) {
	t.Parallel()
	engine := newEngine(t)
	_, err := engine.Prepare(t.Context(), luaSource("x = 1\ny = = 2"))
	invalid, ok := errors.AsType[*runtime.InvalidError](err)
	require.True(t, ok, err)
	require.Equal(t, 2, invalid.Line)
	require.Equal(t, err, engine.Check(t.Context(), luaSource("x = 1\ny = = 2")))
	require.NoError(t, engine.Check(t.Context(), luaSource("x = 1")))
}

// TestEngine_Hostile runs what no engine could end by itself. The memory of this
// process must not notice.
func TestEngine_Hostile(t *testing.T) {
	t.Parallel()
	engine := newEngine(t)
	for name, c := range map[string]struct {
		code  string
		kinds []runtime.Kind
	}{
		"endless loop":          {`while true do end`, []runtime.Kind{runtime.TimedOut}},
		"endless loop in pcall": {`while true do pcall(function() while true do end end) end`, []runtime.Kind{runtime.TimedOut}},
		"pattern bomb":          {`local s = string.rep("a", 30); string.find(s, string.rep("a?", 30) .. string.rep("(.-)", 25) .. "b")`, []runtime.Kind{runtime.TimedOut}},
		"table growth":          {`local t = {}; while true do t[#t + 1] = {#t} end`, []runtime.Kind{runtime.OutOfMemory, runtime.TimedOut}},
		"string growth":         {`local s = "x"; while true do s = s .. s end`, []runtime.Kind{runtime.OutOfMemory, runtime.TimedOut}},
		"huge array index":      {`local t = {}; for i = 1, 100 do t[i] = {}; t[i][67108863] = 1 end`, []runtime.Kind{runtime.OutOfMemory, runtime.TimedOut}},
		"deep recursion in Go":  {`local t = setmetatable({}, {}); getmetatable(t).__index = function(_, k) return t[k + 1] end; local x = t[1]`, []runtime.Kind{runtime.Failed, runtime.OutOfMemory, runtime.TimedOut}},
		"coroutines":            {`local t = {}; while true do local c = coroutine.create(function() coroutine.yield() end); coroutine.resume(c); t[#t + 1] = c end`, []runtime.Kind{runtime.OutOfMemory, runtime.TimedOut}},
		"a sleep":               {`gw.sleep(100000)`, []runtime.Kind{runtime.TimedOut}},
		"a deaf sleeper":        {`while true do pcall(gw.sleep, 100000) end`, []runtime.Kind{runtime.TimedOut}},
		"log flood":             {`while true do print(string.rep("x", 1000)) end`, []runtime.Kind{runtime.TimedOut}},
		"progress flood":        {`while true do gw.progress(1, string.rep("x", 1000)) end`, []runtime.Kind{runtime.TimedOut}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			src := luaSource(c.code)
			src.Limits.LogBytes, src.Limits.Grace = 10_000, 250*time.Millisecond
			ctx, cancel := context.WithTimeoutCause(t.Context(), 2*time.Second, runtime.ErrTimeout)
			defer cancel()
			started := time.Now()
			result, r := run(ctx, t, engine, src, runtime.Request{})
			require.Contains(t, c.kinds, result.Kind, result.Message)
			require.Less(t, time.Since(started), 30*time.Second)
			require.LessOrEqual(t, r.received, 12_000)
		})
	}
}

func TestEngine_HostileButEndsByItself(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		code, message string
		kind          runtime.Kind
	}{
		"rep of 8 GB":      {`local s = string.rep("x", 8 * 2^30)`, "resulting string too large", runtime.Failed},
		"deep recursion":   {`local function f() return 1 + f() end; f()`, "stack overflow", runtime.Failed},
		"result of 16 MiB": {`return string.rep("x", 2^24)`, "xxx...", runtime.Succeeded},
		"error of 16 MiB":  {`error(string.rep("x", 2^24))`, "xxx...", runtime.Failed},
		"error of a table": {`error({message = "no disk"})`, "no disk", runtime.Failed},
		"error of nothing": {`error(nil)`, "nil", runtime.Failed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			result, _ := run(t.Context(), t, newEngine(t), luaSource(c.code), runtime.Request{})
			require.Equal(t, c.kind, result.Kind, result.Message)
			require.Contains(t, result.Message, c.message)
			require.LessOrEqual(t, len(result.Message), 50_000)
		})
	}
}

func TestEngine_SoftStopIsHeard(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(t.Context())
	src := luaSource(`print("ready"); while not gw.cancelled() do gw.sleep(1) end`)
	src.Code = []byte(`print("ready"); while not gw.cancelled() do pcall(gw.sleep, 1) end; print("bye"); gw.result("ignored")`)
	engine := newEngine(t)
	program, err := engine.Prepare(ctx, src)
	require.NoError(t, err)
	r := &record{onLine: func(line string) {
		if line == "ready" {
			cancel(runtime.ErrKilled)
		}
	}}
	result := program.Run(ctx, r.request(runtime.Request{}))
	require.Equal(t, runtime.Killed, result.Kind)
	require.Equal(t, []string{"ready", "bye"}, r.lines)
}

func TestEngine_InterruptedGuestTellsWhere(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(t.Context())
	program, err := newEngine(t).Prepare(t.Context(), luaSource("print(0)\nlocal x = 0\nwhile true do\n  x = x + 1\nend"))
	require.NoError(t, err)
	r := &record{onLine: func(string) { cancel(runtime.ErrTimeout) }}
	result := program.Run(ctx, r.request(runtime.Request{}))
	require.NoError(t, program.Close())
	require.Equal(t, runtime.TimedOut, result.Kind)
	require.Contains(t, strings.Join(r.lines, "\n"), "job.lua:")
}

func TestEngine_Sandbox(t *testing.T) {
	t.Parallel()
	result, _ := run(t.Context(), t, newEngine(t), luaSource(`
		for _, name in ipairs{"load", "loadstring", "loadfile", "dofile", "require", "module", "collectgarbage", "newproxy", "io", "debug", "package", "_printregs"} do
			assert(_G[name] == nil, name)
		end
		for _, name in ipairs{"execute", "exit", "getenv", "remove", "rename", "setenv", "tmpname"} do
			assert(os[name] == nil, "os." .. name)
		end
		assert(string.dump == nil and ("x").dump == nil)
		assert(os.time() > 0 and os.date("%Y") and os.clock() >= 0)
		assert(not pcall(gw.http.get, "http://127.0.0.1/"))
		local ok, why = pcall(gw.secret, "token")
		return why`), runtime.Request{})
	require.Equal(t, runtime.Succeeded, result.Kind, result.Message)
	require.Contains(t, result.Message, "gw.secret: not granted to this version")
}

func TestEngine_HonestCode(t *testing.T) {
	t.Parallel()
	result, _ := run(t.Context(), t, newEngine(t), luaSource(`
		local t = {}
		for i = 1, 50000 do t[i] = tostring(i) end
		assert(#table.concat(t, ",") == 288893)
		local json = gw.json.encode{list = {1, 2.5, "x"}, none = gw.json.null, yes = true, empty = {}}
		assert(json == '{"empty":{},"list":[1,2.5,"x"],"none":null,"yes":true}', json)
		local back = gw.json.decode(json)
		assert(back.list[3] == "x" and back.none == gw.json.null and tostring(back.none) == "null")
		local cycle = {}; cycle.self = cycle
		assert(not pcall(gw.json.encode, cycle))
		assert(gw.hash("sha256", "abc"):sub(1, 8) == "ba7816bf")
		assert(gw.base64.decode(gw.base64.encode("\0\1\255")) == "\0\1\255")
		assert(#gw.uuid() == 36 and gw.now() > 1.7e12)
		return {done = true}`), runtime.Request{})
	require.Equal(t, runtime.Succeeded, result.Kind, result.Message)
	require.Equal(t, `{"done":true}`, result.Message)
}

func TestEngine_CPUIsBounded(t *testing.T) {
	t.Parallel()
	src := luaSource(`while true do end`)
	src.Limits.CPU = time.Second
	result, _ := run(t.Context(), t, newEngine(t), src, runtime.Request{})
	require.Equal(t, runtime.LimitExceeded, result.Kind, result.Message)
}

func TestEngine_Concurrent(t *testing.T) {
	t.Parallel()
	engine := newEngine(t)
	program, err := engine.Prepare(t.Context(), luaSource(`x = (x or 0) + 1; gw.sleep(20); return x .. gw.param()`))
	require.NoError(t, err)
	var wg sync.WaitGroup
	for i := range 10 {
		wg.Go(func() {
			param := string(rune('a' + i))
			result := program.Run(t.Context(), runtime.Request{Param: param})
			if result.Kind != runtime.Succeeded || result.Message != "1"+param {
				t.Errorf("run %s: %+v", param, result)
			}
		})
	}
	wg.Wait()
}

func TestEngine_StoppedBeforeItStarted(t *testing.T) {
	t.Parallel()
	engine := newEngine(t)
	program, err := engine.Prepare(t.Context(), luaSource(`return 1`))
	require.NoError(t, err)
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(runtime.ErrKilled)
	require.Equal(t, runtime.Killed, program.Run(ctx, runtime.Request{}).Kind)
}

// TestEngine_MetersWhatItKills runs a guest that cannot be interrupted and so tells nothing.
func TestEngine_MetersWhatItKills(t *testing.T) {
	t.Parallel()
	host := serve(t)
	for name, method := range map[string]proc.Method{"the best way": "", "without control groups": proc.ProcessGroup} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			supervisor, err := proc.New(proc.Config{Method: method})
			require.NoError(t, err)
			t.Cleanup(func() { require.NoError(t, supervisor.Close()) })
			engine := newEngine(t, allowLoopback, func(c *worker.Config) { c.Proc = supervisor })
			src := granted(luaSource(`print("hello"); gw.http.get("http://" .. gw.param() .. "/")
				string.find(string.rep("a", 5000), string.rep(".-", 20) .. "b")`), host)
			program, err := engine.Prepare(t.Context(), src)
			require.NoError(t, err)
			const timeout = 3 * time.Second
			ctx, cancel := context.WithTimeoutCause(t.Context(), timeout, runtime.ErrTimeout)
			defer cancel()
			result := program.Run(ctx, runtime.Request{Param: host})
			require.NoError(t, program.Close())
			require.Equal(t, runtime.TimedOut, result.Kind, result.Message)
			require.Greater(t, result.Usage.Wall, timeout/2)
			require.Greater(t, result.Usage.CPU, 50*time.Millisecond)
			require.Greater(t, result.Usage.PeakBytes, int64(1<<20))
			require.EqualValues(t, len("hello\n"), result.Usage.LogBytes)
			require.EqualValues(t, 1, result.Usage.HostCalls)
		})
	}
}
