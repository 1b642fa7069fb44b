package samples_test

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/runtime"
	"github.com/gluewheel/gluewheel/runtime/worker"
)

// TestModules runs each module that is built the way an executor does. Those in Rust
// and C are not where their compilers are missing.
func TestModules(t *testing.T) {
	t.Parallel()
	engine := newEngine(t)
	greeting := func(language string) []string {
		return []string{
			"hello world, from " + language + ": shard 1 of 3",
			"[INFO] sha256 486ea46224d1bb4fb680f34f7c9ad96a8f24ec88be73ea8e5a6c65260e9cb8a7",
			"[WARN] gw.kv.get: not granted to this version: its manifest must have kv",
		}
	}
	for file, c := range map[string]struct {
		param, result string
		log           []string
	}{
		"wasm/dist/primes.wasm":              {"100", "", []string{"there are 25 primes up to 100"}},
		"wasm/dist/fibonacci.wasm":           {"40", "fibonacci(40) = 102334155", []string{"fibonacci(40) = 102334155"}},
		"wasm/dist/tick.wasm":                {"", "", []string{"tick, from WebAssembly text"}},
		"sdk/dist/greet-go.wasm":             {"world", "greeted world", greeting("Go")},
		"sdk/dist/greet-assemblyscript.wasm": {"world", "greeted world", greeting("AssemblyScript")},
		"sdk/dist/greet-rust.wasm":           {"world", "greeted world", greeting("Rust")},
		"sdk/dist/greet-c.wasm":              {"world", "greeted world", greeting("C")},
	} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			module, err := os.ReadFile(file)
			if errors.Is(err, fs.ErrNotExist) {
				t.Skip("NOT RUN: it is not built, see make samples")
			}
			require.NoError(t, err)
			log, result := run(t, engine, runtime.Source{Key: file, Type: "GLUE_WASM", Name: "sample", Code: module}, c.param)
			require.Equal(t, runtime.Succeeded, result.Kind, result.Message)
			require.Equal(t, c.result, result.Message)
			require.Equal(t, c.log, log)
		})
	}
}

// TestModules_TextsSurviveTheWay greets a name with all that JSON writes otherwise.
func TestModules_TextsSurviveTheWay(t *testing.T) {
	t.Parallel()
	engine := newEngine(t)
	const name = "\"wörld\"\\\t😀\x01/"
	for _, language := range []string{"go", "assemblyscript", "rust", "c"} {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			file := "sdk/dist/greet-" + language + ".wasm"
			module, err := os.ReadFile(file)
			if errors.Is(err, fs.ErrNotExist) {
				t.Skip("NOT RUN: it is not built, see make samples")
			}
			require.NoError(t, err)
			log, result := run(t, engine, runtime.Source{Key: file, Type: "GLUE_WASM", Name: "sample", Code: module}, name)
			require.Equal(t, runtime.Succeeded, result.Kind, result.Message)
			require.Equal(t, "greeted "+name, result.Message)
			require.Contains(t, log, fmt.Sprintf("[INFO] sha256 %x", sha256.Sum256([]byte(name))))
		})
	}
}

func newEngine(t *testing.T) *worker.Engine {
	t.Helper()
	engine, err := worker.New(worker.Config{Exe: workerExe, CacheDir: t.TempDir()})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, engine.Close()) })
	return engine
}

// run runs code as the second of three shards.
func run(t *testing.T, engine *worker.Engine, src runtime.Source, param string) (log []string, result runtime.Result) {
	t.Helper()
	program, err := engine.Prepare(t.Context(), src)
	require.NoError(t, err)
	result = program.Run(t.Context(), runtime.Request{
		Param: param, ShardIndex: 1, ShardTotal: 3,
		Log:      func(line string) { log = append(log, line) },
		Services: services(),
	})
	require.NoError(t, program.Close())
	return log, result
}
