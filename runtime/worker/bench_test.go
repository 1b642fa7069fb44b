package worker

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/runtime"
	"github.com/gluewheel/gluewheel/runtime/proc"
	rt "github.com/gluewheel/gluewheel/runtime/runtimetest"
	"github.com/gluewheel/gluewheel/runtime/script"
)

// benchCode is one line of log in each language.
func benchCode() map[string]runtime.Source {
	log := rt.From("gluewheel", "log", []byte{rt.I32, rt.I32, rt.I32}, nil)
	module := rt.Module{Imports: []rt.Import{log}, Pages: 1, Data: []byte("hello"), Funcs: []rt.Func{{
		Export: "_start", Body: rt.Body(rt.I32Const, 0, rt.I32Const, 0, rt.I32Const, 5, rt.Call, 0),
	}}}
	return map[string]runtime.Source{
		"lua":   {Key: "lua", Type: "GLUE_LUA", Code: []byte(`print("hello")`)},
		"js":    {Key: "js", Type: "GLUE_JS", Code: []byte(`console.log("hello")`)},
		"ts":    {Key: "ts", Type: "GLUE_TS", Code: []byte(`const hello: string = "hello"; console.log(hello)`)},
		"wasm":  {Key: "wasm", Type: typeWASM, Code: module.Encode()},
		"shell": {Key: "shell", JobID: 1, Version: 1, Type: "GLUE_SHELL", Code: []byte(`echo hello`)},
	}
}

// BenchmarkPooledRun runs a job of each language in turn, so that a busy machine is as busy for
// all of them, and reports medians: with a filled pool, and as a ratio to a shell job.
func BenchmarkPooledRun(b *testing.B) {
	supervisor, err := proc.New(proc.Config{})
	require.NoError(b, err)
	defer func() { require.NoError(b, supervisor.Close()) }()
	e, err := New(Config{Exe: WorkerExe, Proc: supervisor})
	require.NoError(b, err)
	defer func() { require.NoError(b, e.Close()) }()
	scripts, err := script.New(script.Config{Dir: b.TempDir(), Proc: supervisor})
	require.NoError(b, err)

	programs := make(map[string]runtime.Program)
	for name, src := range benchCode() {
		var engine runtime.Engine = e
		if name == "shell" {
			engine = scripts
		}
		programs[name], err = engine.Prepare(b.Context(), src)
		require.NoError(b, err)
	}
	took := make(map[string][]time.Duration)
	for b.Loop() {
		for name, program := range programs {
			if name != "shell" {
				require.Eventually(b, func() bool { return e.pool.has(name) }, 5*time.Second, time.Millisecond)
			}
			started := time.Now()
			result := program.Run(b.Context(), runtime.Request{})
			took[name] = append(took[name], time.Since(started))
			require.Equal(b, runtime.Succeeded, result.Kind, result.Message)
		}
	}
	b.ReportMetric(0, "ns/op") // of all together, with the waiting: it says nothing
	for name, times := range took {
		b.ReportMetric(float64(median(times).Microseconds()), name+"-µs")
		if name != "shell" {
			b.ReportMetric(float64(median(took["shell"]))/float64(median(times)), "shell/"+name)
		}
	}
}

// BenchmarkColdRun starts a worker for each run.
func BenchmarkColdRun(b *testing.B) {
	e, err := New(Config{Exe: WorkerExe, PoolSize: -1})
	require.NoError(b, err)
	defer func() { require.NoError(b, e.Close()) }()
	for name, src := range benchCode() {
		if name == "shell" {
			continue
		}
		program, err := e.Prepare(b.Context(), src)
		require.NoError(b, err)
		var times []time.Duration
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				started := time.Now()
				require.Equal(b, runtime.Succeeded, program.Run(b.Context(), runtime.Request{}).Kind)
				times = append(times, time.Since(started))
			}
			b.ReportMetric(float64(median(times).Microseconds()), "median-µs")
		})
	}
}

func median(times []time.Duration) time.Duration {
	slices.Sort(times)
	return times[len(times)/2]
}

// BenchmarkColdGoModule starts a worker for each run of a module of some 3.5 MB, which Go
// compiled, with its machine code in the cache.
func BenchmarkColdGoModule(b *testing.B) {
	path := filepath.Join(b.TempDir(), "large.wasm")
	build := exec.Command("go", "build", "-o", path, "./testdata/large")
	build.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm")
	out, err := build.CombinedOutput()
	require.NoError(b, err, "%s", out)
	code, err := os.ReadFile(path)
	require.NoError(b, err)
	e, err := New(Config{Exe: WorkerExe, PoolSize: -1, CacheDir: b.TempDir()})
	require.NoError(b, err)
	defer func() { require.NoError(b, e.Close()) }()
	program, err := e.Prepare(b.Context(), runtime.Source{Key: "go", Type: typeWASM, Code: code}) // fills the cache
	require.NoError(b, err)
	var times []time.Duration
	for b.Loop() {
		started := time.Now()
		result := program.Run(b.Context(), runtime.Request{Param: "100"})
		require.Equal(b, runtime.Succeeded, result.Kind, result.Message)
		times = append(times, time.Since(started))
	}
	b.ReportMetric(float64(len(code))/(1<<20), "module-MiB")
	b.ReportMetric(float64(median(times).Microseconds()), "median-µs")
}
