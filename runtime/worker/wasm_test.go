package worker_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/runtime"
	rt "github.com/gluewheel/gluewheel/runtime/runtimetest"
	"github.com/gluewheel/gluewheel/runtime/worker"
)

func wasmSource(module []byte) runtime.Source {
	return runtime.Source{Key: "1/8/" + string(module), JobID: 8, Version: 1, Type: "GLUE_WASM", Name: "demo", Code: module}
}

func command(body ...any) rt.Module {
	return rt.Module{Memory: true, Funcs: []rt.Func{{Export: "_start", Body: rt.Body(body...)}}}
}

var (
	exit    = rt.From("wasi_snapshot_preview1", "proc_exit", []byte{rt.I32}, nil)
	logText = rt.From("gluewheel", "log", []byte{rt.I32, rt.I32, rt.I32}, nil)
	setText = rt.From("gluewheel", "result", []byte{rt.I32, rt.I32}, nil)
)

// recursion calls itself twice until its argument is 0: no loop, no end.
var recursion = rt.Func{
	Signature: rt.Signature{Params: []byte{rt.I32}},
	Body: rt.Body(rt.LocalGet, 0, rt.I32Eqz, rt.If, rt.NoResult, rt.Return, rt.End,
		rt.LocalGet, 0, rt.I32Const, 1, rt.I32Sub, rt.Call, 1,
		rt.LocalGet, 0, rt.I32Const, 1, rt.I32Sub, rt.Call, 1),
}

func TestEngine_RunsWASM(t *testing.T) {
	t.Parallel()
	engine := newEngine(t)
	module := rt.Module{
		Imports: []rt.Import{logText, setText},
		Funcs: []rt.Func{{Export: "gw_run", Signature: rt.Signature{Results: []byte{rt.I32}}, Body: rt.Body(
			rt.I32Const, 3, rt.I32Const, 0, rt.I32Const, 5, rt.Call, 0,
			rt.I32Const, 5, rt.I32Const, 4, rt.Call, 1,
			rt.I32Const, 0)}},
		Pages: 1,
		Data:  []byte("hellofine"),
	}
	result, r := run(t.Context(), t, engine, wasmSource(module.Encode()), runtime.Request{})
	require.Equal(t, runtime.Succeeded, result.Kind, result.Message)
	require.Equal(t, "fine", result.Message)
	require.Equal(t, []string{"[WARN] hello"}, r.lines)
	require.EqualValues(t, 2, result.Usage.HostCalls)
}

func TestEngine_WASMEnds(t *testing.T) {
	t.Parallel()
	engine := newEngine(t)
	reactor := rt.Signature{Results: []byte{rt.I32}}
	for name, c := range map[string]struct {
		module  rt.Module
		kind    runtime.Kind
		message string
	}{
		"a command that returns": {command(), runtime.Succeeded, ""},
		"exit code 0": {
			rt.Module{Memory: true, Imports: []rt.Import{exit}, Funcs: []rt.Func{{Export: "_start", Body: rt.Body(rt.I32Const, 0, rt.Call, 0)}}},
			runtime.Succeeded, "",
		},
		"exit code 3": {
			rt.Module{Memory: true, Imports: []rt.Import{exit}, Funcs: []rt.Func{{Export: "_start", Body: rt.Body(rt.I32Const, 3, rt.Call, 0)}}},
			runtime.Failed, "exit code 3",
		},
		"the exit code of a deadline": { // wazero's own for a context that ended
			rt.Module{Memory: true, Imports: []rt.Import{exit}, Funcs: []rt.Func{{Export: "_start", Body: rt.Body(rt.I32Const, rt.Int(-0x10000002), rt.Call, 0)}}},
			runtime.Failed, "exit code",
		},
		"a trap":                {command(rt.Unreachable), runtime.Failed, "unreachable"},
		"a reactor that fails":  {rt.Module{Funcs: []rt.Func{{Export: "gw_run", Signature: reactor, Body: rt.Body(rt.I32Const, 5)}}}, runtime.Failed, "gw_run gave 5"},
		"an address outside":    {rt.Module{Pages: 1, Imports: []rt.Import{setText}, Funcs: []rt.Func{{Export: "_start", Body: rt.Body(rt.I32Const, rt.Int(-5), rt.I32Const, rt.Int(100), rt.Call, 0)}}}, runtime.Failed, "outside the guest's memory"},
		"no memory at all":      {rt.Module{Imports: []rt.Import{setText}, Funcs: []rt.Func{{Export: "_start", Body: rt.Body(rt.I32Const, 0, rt.I32Const, 1, rt.Call, 0)}}}, runtime.Failed, "outside the guest's memory"},
		"a stack overflow":      {rt.Module{Funcs: []rt.Func{{Export: "_start", Body: rt.Body(rt.Call, 0)}}}, runtime.Failed, "stack overflow"},
		"a call of 4 GiB text":  {rt.Module{Pages: 1, Imports: []rt.Import{setText}, Funcs: []rt.Func{{Export: "_start", Body: rt.Body(rt.I32Const, 0, rt.I32Const, rt.Int(-1), rt.Call, 0)}}}, runtime.Failed, "are allowed"},
		"a table that outgrows": {rt.Module{Tables: []uint32{1}, Funcs: []rt.Func{{Export: "_start", Body: rt.Body(0xd0, 0x70, rt.I32Const, rt.Int(1<<30), 0xfc, 0x0f, 0, rt.Drop)}}}, runtime.OutOfMemory, "outgrew its memory"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			result, _ := run(t.Context(), t, engine, wasmSource(c.module.Encode()), runtime.Request{})
			require.Equal(t, c.kind, result.Kind, result.Message)
			require.Contains(t, result.Message, c.message)
		})
	}
}

func TestEngine_WASMRefused(t *testing.T) {
	t.Parallel()
	engine := newEngine(t)
	start := []rt.Func{{Export: "_start"}}
	for name, c := range map[string]struct {
		module []byte
		reason string
	}{
		"not a module":       {[]byte("hello"), "not a WebAssembly module"},
		"15 malformed bytes": {[]byte("\x00asm\x01\x00\x00\x00\x01\x05\xff\xff\xff\xff\x0f"), "at byte"},
		"nothing to run":     {rt.Module{Funcs: []rt.Func{{Export: "main"}}}.Encode(), "exports neither _start"},
		"_start with values": {rt.Module{Funcs: []rt.Func{{Export: "_start", Signature: rt.Signature{Params: []byte{rt.I32}}}}}.Encode(), "takes or gives values"},
		"gw_run without":     {rt.Module{Funcs: []rt.Func{{Export: "gw_run"}}}.Encode(), "must take nothing and give an i32"},
		"unknown module":     {rt.Module{Imports: []rt.Import{rt.From("env", "abort", nil, nil)}, Funcs: start}.Encode(), "env.abort"},
		"unknown function":   {rt.Module{Imports: []rt.Import{rt.From("gluewheel", "fork", nil, nil)}, Funcs: start}.Encode(), "gluewheel.fork, which is not there"},
		"wrong signature":    {rt.Module{Imports: []rt.Import{rt.From("gluewheel", "log", nil, nil)}, Funcs: start}.Encode(), "it is (i32 i32 i32) -> ()"},
		"too much memory":    {rt.Module{Pages: 8192, Funcs: start}.Encode(), "wants 512 MiB"},
		"invalid code":       {rt.Module{Funcs: []rt.Func{{Export: "_start", Body: []byte{rt.Drop}}}}.Encode(), "not valid"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			started := time.Now()
			_, err := engine.Prepare(t.Context(), wasmSource(c.module))
			invalid, ok := errors.AsType[*runtime.InvalidError](err)
			require.True(t, ok, err)
			require.Contains(t, invalid.Message, c.reason)
			_, err = engine.Inspect(t.Context(), c.module)
			require.Equal(t, invalid, err)
			require.Less(t, time.Since(started), 30*time.Second)
		})
	}
}

func TestEngine_HostileWASM(t *testing.T) {
	t.Parallel()
	engine := newEngine(t)
	forever := func(body ...any) []byte { return rt.Body(rt.Loop, rt.NoResult, rt.Body(body...), rt.Br, 0, rt.End) }
	for name, c := range map[string]struct {
		module rt.Module
		kinds  []runtime.Kind
	}{
		"endless loop": {command(forever()), []runtime.Kind{runtime.TimedOut}},
		"endless start function of a reactor": {
			rt.Module{Funcs: []rt.Func{
				{Export: "_initialize", Body: forever()},
				{Export: "gw_run", Signature: rt.Signature{Results: []byte{rt.I32}}, Body: rt.Body(rt.I32Const, 0)},
			}}, []runtime.Kind{runtime.TimedOut},
		},
		"exponential recursion": {
			rt.Module{Funcs: []rt.Func{{Export: "_start", Body: rt.Body(rt.I32Const, rt.Int(60), rt.Call, 1)}, recursion}},
			[]runtime.Kind{runtime.TimedOut},
		},
		"memory growth": {
			command(forever(rt.I32Const, 16, rt.MemoryGrow, 0, rt.Drop)),
			[]runtime.Kind{runtime.TimedOut, runtime.OutOfMemory},
		},
		"table growth": {
			rt.Module{Tables: []uint32{1}, Funcs: []rt.Func{{Export: "_start", Body: forever(0xd0, 0x70, rt.I32Const, rt.Int(1<<16), 0xfc, 0x0f, 0, rt.Drop)}}},
			[]runtime.Kind{runtime.TimedOut, runtime.OutOfMemory},
		},
		"log flood": {
			rt.Module{Imports: []rt.Import{logText}, Pages: 1, Funcs: []rt.Func{{Export: "_start", Body: forever(rt.I32Const, 0, rt.I32Const, 0, rt.I32Const, rt.Int(60000), rt.Call, 0)}}},
			[]runtime.Kind{runtime.TimedOut},
		},
		"a sleep": {
			rt.Module{Imports: []rt.Import{rt.From("gluewheel", "sleep", []byte{rt.I64}, []byte{rt.I32})}, Funcs: []rt.Func{{Export: "_start", Body: forever(rt.I64Const, rt.Int(100000), rt.Call, 0, rt.Drop)}}},
			[]runtime.Kind{runtime.TimedOut},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			src := wasmSource(c.module.Encode())
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

// TestEngine_GoCommand builds a real command, which uses most of WASI, and runs it with
// a cache of its own.
func TestEngine_GoCommand(t *testing.T) {
	t.Parallel()
	module := buildGo(t, `package main

import (
	"bufio"
	"fmt"
	"os"
	"time"
)

func main() {
	input, _ := bufio.NewReader(os.Stdin).ReadString('}')
	fmt.Println(os.Args, os.Getenv("GW_PARAM"), len(os.Environ()))
	fmt.Println(input)
	time.Sleep(10 * time.Millisecond)
	_, err := os.ReadFile("/etc/passwd")
	fmt.Fprintln(os.Stderr, "no file:", err != nil, time.Now().Year() > 2000)
	if os.Args[1] == "fail" {
		fmt.Fprint(os.Stderr, "it did not work\n\n")
		os.Exit(7)
	}
}`)
	cache := filepath.Join(t.TempDir(), "cache")
	engine := newEngine(t, func(c *worker.Config) { c.CacheDir = cache })

	report, err := engine.Inspect(t.Context(), module)
	require.NoError(t, err)
	require.Equal(t, "command", report.ABI)
	require.Equal(t, len(module), report.Bytes)
	cold := report.CompileMS

	result, r := run(t.Context(), t, engine, wasmSource(module), runtime.Request{Param: "a b", ShardIndex: 1, ShardTotal: 2})
	require.Equal(t, runtime.Succeeded, result.Kind, result.Message)
	require.Equal(t, "[demo a b 1 2] a b 7", r.lines[0])
	require.Equal(t, `{"run_id":0,"job_id":0,"name":"demo","param":"a b","shard_index":1,"shard_total":2,"attempt":0}`, r.lines[1])
	require.Equal(t, "no file: true true", r.lines[2])

	result, _ = run(t.Context(), t, engine, wasmSource(module), runtime.Request{Param: "fail"})
	require.Equal(t, runtime.Failed, result.Kind)
	require.Equal(t, "it did not work", result.Message)

	warm := cold
	for range 3 { // the best of some, for a machine that does other things as well
		report, err = engine.Inspect(t.Context(), module)
		require.NoError(t, err)
		warm = min(warm, report.CompileMS)
	}
	require.Less(t, warm, max(cold/2, 100), "the cache has it")
	info, err := os.Stat(cache)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o700), info.Mode().Perm())
	damage(t, cache)
	_, err = engine.Inspect(t.Context(), module)
	require.NoError(t, err, "a damaged cache is passed by")
}

// damage spoils every file of the cache.
func damage(t *testing.T, cache string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(cache, "*", "*"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		content, err := os.ReadFile(file)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(file, slices.Concat(content[:len(content)/2], bytes.Repeat([]byte{0xff}, 100)), 0o600))
	}
}

func buildGo(t *testing.T, source string) []byte {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "main.go"), []byte(source), 0o600))
	out := filepath.Join(dir, "main.wasm")
	build := exec.CommandContext(t.Context(), "go", "build", "-ldflags=-s -w", "-o", out, filepath.Join(dir, "main.go"))
	build.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "CGO_ENABLED=0")
	text, err := build.CombinedOutput()
	require.NoError(t, err, strings.TrimSpace(string(text)))
	module, err := os.ReadFile(out)
	require.NoError(t, err)
	return module
}

func TestEngine_CacheIsPruned(t *testing.T) {
	t.Parallel()
	cache := t.TempDir()
	engine := newEngine(t, func(c *worker.Config) { c.CacheDir, c.CacheBytes = cache, 1 })
	_, err := engine.Inspect(t.Context(), command().Encode())
	require.NoError(t, err)
	files, err := filepath.Glob(filepath.Join(cache, "*", "*"))
	require.NoError(t, err)
	require.Empty(t, files)
}
