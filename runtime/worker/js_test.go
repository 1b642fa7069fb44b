package worker_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/runtime"
)

func jsSource(code string) runtime.Source {
	return runtime.Source{Key: "1/9/" + code, JobID: 9, Version: 1, Type: "GLUE_JS", Name: "demo", Code: []byte(code)}
}

func tsSource(code string) runtime.Source {
	src := jsSource(code)
	src.Key, src.Type = "ts/"+src.Key, "GLUE_TS"
	return src
}

func TestEngine_RunsJavaScript(t *testing.T) {
	t.Parallel()
	result, r := run(t.Context(), t, newEngine(t), jsSource(`
		const [index, total] = gw.shard();
		console.log("hello", gw.param(), index, total);
		gw.progress(50, "half");
		async function main() {
			await Promise.all([gw.sleep(5), gw.sleep(5)]);
			return { done: true };
		}
		main()`), runtime.Request{Param: "p", ShardIndex: 1, ShardTotal: 3})
	require.Equal(t, runtime.Succeeded, result.Kind, result.Message)
	require.Equal(t, `{"done":true}`, result.Message)
	require.Equal(t, []string{"hello p 1 3"}, r.lines)
	require.Equal(t, 50.0, r.percent)
	require.EqualValues(t, 5, result.Usage.HostCalls)
	require.Positive(t, result.Usage.PeakBytes)
}

func TestEngine_RunsTypeScript(t *testing.T) {
	t.Parallel()
	result, r := run(t.Context(), t, newEngine(t), tsSource("interface A { n: number }\n\nfunction f(a: A): number {\n  if (a.n > 1) throw new RangeError('too much');\n  return a.n;\n}\nf({ n: 2 })"), runtime.Request{})
	require.Equal(t, runtime.Failed, result.Kind)
	require.Contains(t, result.Message, "RangeError: too much (job.ts:4:")
	require.Contains(t, strings.Join(r.lines, "\n"), "at top level (job.ts:7:")
}

func TestEngine_ChecksScripts(t *testing.T) {
	t.Parallel()
	engine := newEngine(t)
	for name, c := range map[string]struct {
		src          runtime.Source
		line, column int
	}{
		"JavaScript": {jsSource("let a = 1;\nlet b = = 2"), 2, 9},
		"TypeScript": {tsSource("let a: number = 1;\nlet b: = 2"), 2, 8},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			invalid, ok := errors.AsType[*runtime.InvalidError](engine.Check(t.Context(), c.src))
			require.True(t, ok)
			require.Equal(t, c.line, invalid.Line)
			require.Equal(t, c.column, invalid.Column)
			require.Contains(t, invalid.Message, "Unexpected")
		})
	}
	require.NoError(t, engine.Check(t.Context(), tsSource("let a: number = 1; await gw.sleep(a)")))
	require.NoError(t, engine.Check(t.Context(), jsSource("await gw.sleep(1)")))
}

func TestEngine_JavaScriptOutgrowsItsMemory(t *testing.T) {
	t.Parallel()
	engine := newEngine(t)
	for name, code := range map[string]string{
		"objects":          `const a = []; for (;;) a.push({a})`,
		"within a promise": `async function main() { await null; const a = []; for (;;) a.push(new Array(100)) }; main()`,
		"an array buffer":  `new ArrayBuffer(1e9)`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			src := jsSource(code)
			src.Limits.MemoryBytes = 32 << 20
			result, _ := run(t.Context(), t, engine, src, runtime.Request{})
			require.Equal(t, runtime.OutOfMemory, result.Kind, result.Message)
			require.Contains(t, result.Message, "outgrew its memory of 32 MiB")
		})
	}
}
