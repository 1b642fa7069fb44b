package inproc_test

import (
	"context"
	goruntime "runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/gluewheel/gluewheel/runtime"
	"github.com/gluewheel/gluewheel/runtime/inproc"
	rt "github.com/gluewheel/gluewheel/runtime/runtimetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// box stands for the sandbox, and remembers what it was given.
type box struct {
	mu                sync.Mutex
	checked, prepared []runtime.Source
	refusal           error
}

func (b *box) Types() []string { return []string{"GLUE_LUA", "GLUE_WASM"} }
func (b *box) Close() error    { return nil }

func (b *box) Prepare(_ context.Context, src runtime.Source) (runtime.Program, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.prepared = append(b.prepared, src)
	return nil, b.refusal
}

func (b *box) Check(_ context.Context, src runtime.Source) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.checked = append(b.checked, src)
	return b.refusal
}

var logText = rt.From("gluewheel", "log", []byte{rt.I32, rt.I32, rt.I32}, nil)

func source(m rt.Module) runtime.Source {
	return runtime.Source{Key: "1", Type: "GLUE_WASM", Isolation: runtime.IsolationInproc, Code: m.Encode()}
}

func start(body []byte) []rt.Func { return []rt.Func{{Export: "_start", Body: body}} }

func prepare(t *testing.T, src runtime.Source, cfg inproc.Config) runtime.Program {
	t.Helper()
	cfg.Sandbox = &box{}
	engine := inproc.New(cfg)
	program, err := engine.Prepare(t.Context(), src)
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, program.Close())
		require.NoError(t, engine.Close())
	})
	return program
}

func TestEngine_RunsAndWarns(t *testing.T) {
	t.Parallel()
	hello := rt.Module{Imports: []rt.Import{logText}, Pages: 1, Data: []byte("hello"), Funcs: start(rt.Body(rt.I32Const, 0, rt.I32Const, 0, rt.I32Const, 5, rt.Call, 0))}
	program := prepare(t, source(hello), inproc.Config{})
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			var lines []string
			result := program.Run(t.Context(), runtime.Request{Log: func(line string) { lines = append(lines, line) }})
			if result.Kind != runtime.Succeeded || len(lines) != 2 || lines[1] != "hello" || !strings.HasPrefix(lines[0], "[WARN] isolation inproc") {
				t.Errorf("%+v: %q", result, lines)
			}
			if result.Usage.HostCalls != 1 || result.Usage.LogBytes == 0 {
				t.Errorf("usage %+v", result.Usage)
			}
		})
	}
	all.Wait()
}

// TestProgram_AlwaysEnds runs what never ends by itself, while the collector runs: in code
// without checks it would wait for ever, and so would everybody.
func TestProgram_AlwaysEnds(t *testing.T) {
	t.Parallel()
	exponential := rt.Body(rt.LocalGet, 0, rt.I32Eqz, rt.If, rt.NoResult, rt.Return, rt.End,
		rt.LocalGet, 0, rt.I32Const, 1, rt.I32Sub, rt.Call, 0, rt.LocalGet, 0, rt.I32Const, 1, rt.I32Sub, rt.Call, 0)
	deep := rt.Signature{Params: []byte{rt.I32}}
	sleep := rt.From("gluewheel", "sleep", []byte{rt.I64}, []byte{rt.I32})
	for name, m := range map[string]rt.Module{
		"a loop":                  {Funcs: start(rt.Body(rt.Loop, rt.NoResult, rt.Br, 0, rt.End))},
		"recursion without loops": {Funcs: []rt.Func{{Signature: deep, Body: exponential}, {Export: "_start", Body: rt.Body(rt.I32Const, 40, rt.Call, 0)}}},
		"a sleep":                 {Imports: []rt.Import{sleep}, Funcs: start(rt.Body(rt.I64Const, rt.Int(1<<40), rt.Call, 0, rt.Drop, rt.Loop, rt.NoResult, rt.Br, 0, rt.End))},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			src := source(m)
			src.Limits.Grace = 100 * time.Millisecond
			program := prepare(t, src, inproc.Config{})
			result := runCollected(t, program)
			for i := 0; i < 2 && result.Message != "timeout"; i++ { // a machine that stood still
				t.Log(result.Message)
				result = runCollected(t, program)
			}
			require.Equal(t, "timeout", result.Message)
		})
	}
}

// runCollected runs a program that never ends by itself.
func runCollected(t *testing.T, program runtime.Program) runtime.Result {
	t.Helper()
	ctx, cancel := context.WithTimeoutCause(t.Context(), 300*time.Millisecond, runtime.ErrTimeout)
	defer cancel()
	collected := make(chan struct{})
	go func() {
		defer close(collected)
		for ctx.Err() == nil {
			goruntime.GC()
		}
	}()
	result := program.Run(ctx, runtime.Request{})
	<-collected
	require.Equal(t, runtime.TimedOut, result.Kind, result.Message)
	return result
}

func TestProgram_CPUTime(t *testing.T) {
	t.Parallel()
	src := source(rt.Module{Funcs: start(rt.Body(rt.Loop, rt.NoResult, rt.Br, 0, rt.End))})
	src.Limits.CPU = 100 * time.Millisecond
	result := prepare(t, src, inproc.Config{}).Run(t.Context(), runtime.Request{})
	require.Equal(t, runtime.LimitExceeded, result.Kind)
	require.Equal(t, "the job used up its CPU time", result.Message)
}

func TestEngine_HandsOn(t *testing.T) {
	t.Parallel()
	sandbox := &box{}
	engine := inproc.New(inproc.Config{Sandbox: sandbox, MaxMemoryBytes: 8 << 20})
	_, err := engine.Prepare(t.Context(), runtime.Source{Type: "GLUE_WASM"})
	require.NoError(t, err)
	require.Len(t, sandbox.prepared, 1)
	for name, c := range map[string]struct {
		src  runtime.Source
		want string
	}{
		"another language": {runtime.Source{Type: "GLUE_LUA", Isolation: runtime.IsolationInproc}, "for WebAssembly only"},
		"no module":        {runtime.Source{Type: "GLUE_WASM", Isolation: runtime.IsolationInproc, Code: []byte("x")}, "not a WebAssembly module"},
		"too much memory":  {runtime.Source{Type: "GLUE_WASM", Isolation: runtime.IsolationInproc, Limits: runtime.Limits{MemoryBytes: 9 << 20}}, "this executor allows 8 MiB"},
	} {
		_, err := engine.Prepare(t.Context(), c.src)
		require.ErrorContains(t, err, c.want, name)
	}
	require.Len(t, sandbox.prepared, 1)
}

// TestEngine_CompilesInTheSandboxFirst: what the worker refuses is not compiled here.
func TestEngine_CompilesInTheSandboxFirst(t *testing.T) {
	t.Parallel()
	sandbox := &box{refusal: &runtime.InvalidError{Message: "too much"}}
	_, err := inproc.New(inproc.Config{Sandbox: sandbox}).Prepare(t.Context(), source(rt.Module{Funcs: start(nil)}))
	require.ErrorContains(t, err, "too much")
	require.Len(t, sandbox.checked, 1)
	require.Empty(t, sandbox.checked[0].Isolation)
	require.Contains(t, string(sandbox.checked[0].Code), "\x03\x40\x0b", "with the checks in it")
}
