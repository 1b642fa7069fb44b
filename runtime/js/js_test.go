package js_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/gluewheel/gluewheel/runtime"
	"github.com/gluewheel/gluewheel/runtime/hostapi"
	"github.com/gluewheel/gluewheel/runtime/js"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// outcome is what a run gave.
type outcome struct {
	message string
	err     error
	lines   []string
}

func run(t *testing.T, source string, opts js.Options) outcome {
	t.Helper()
	return runWith(t.Context(), t, source, opts, hostapi.Config{Invocation: runtime.Invocation{Param: "p", ShardIndex: 1, ShardTotal: 3}})
}

func runWith(ctx context.Context, t *testing.T, source string, opts js.Options, cfg hostapi.Config) (o outcome) {
	t.Helper()
	guest, err := js.Load([]byte(source), opts)
	require.NoError(t, err)
	defer func() { require.NoError(t, guest.Close()) }()
	cfg.Output = runtime.NewOutput(0, func(line string) { o.lines = append(o.lines, line) })
	o.message, o.err = guest.Run(ctx, hostapi.New(cfg))
	return o
}

func TestGuest_Message(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ source, want string }{
		"last value":               {`const x = 20; x * 2 + 2`, "42"},
		"text":                     {`"a" + "b"`, "ab"},
		"an object":                {`({a: [1, null, "x"]})`, `{"a":[1,null,"x"]}`},
		"nothing":                  {`let x = 1;`, ""},
		"null":                     {`null`, "null"},
		"a big integer":            {`2n ** 70n`, "1180591620717411303424"},
		"a cycle":                  {`const a = {}; a.a = a; a`, "[object]"},
		"result":                   {`gw.result("fine"); undefined`, "fine"},
		"a promise":                {`Promise.resolve(7)`, "7"},
		"an async function":        {`async function main() { await null; return "done" }; main()`, "done"},
		"await on the top level":   {`const x = await Promise.resolve(1); x + 1`, "2"},
		"awaited host call":        {`await gw.sleep(1); "slept"`, "slept"},
		"host calls at a time":     {`await Promise.all([gw.sleep(1), gw.sleep(2)]); gw.hash("md5", "")`, "d41d8cd98f00b204e9800998ecf8427e"},
		"what was not awaited":     {`gw.sleep(5).then(() => gw.result("late")); undefined`, "late"},
		"param and shard":          {`const [i, n] = gw.shard(); gw.param() + i + n`, "p13"},
		"json":                     {`gw.json.encode(gw.json.decode('{"a":1}'))`, `{"a":1}`},
		"a byte order mark":        {"\uFEFF1", "1"},
		"a shebang":                {"#!/usr/bin/env node\n1", "1"},
		"a caught refusal":         {`try { await gw.secret("x") } catch (e) { e.message }`, "gw.secret: not granted to this version"},
		"no import":                {`try { await import("std") } catch (e) { e.name }`, "ReferenceError"},
		"tampered built-ins":       {`Promise.prototype.then = JSON.stringify = JSON.parse = null; Promise = null; await gw.sleep(1); gw.uuid().length`, "36"},
		"nothing but the language": {`[typeof std, typeof os, typeof setTimeout, typeof gwCall, typeof gwStart, typeof require].join()`, "undefined,undefined,undefined,undefined,undefined,undefined"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := run(t, c.source, js.Options{})
			require.NoError(t, got.err)
			require.Equal(t, c.want, got.message)
			require.Empty(t, got.lines)
		})
	}
}

func TestGuest_Failures(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ source, want string }{
		"thrown":                  {"let x = 1;\nfunction f() { throw new TypeError('no disk') }\nf()", "TypeError: no disk (job.js:2:35)"},
		"an unknown name":         {"\n  missing()", "ReferenceError: 'missing' is not defined (job.js:2:3)"},
		"a rejected promise":      {"Promise.reject(new Error('no net'))", "Error: no net (job.js:1:25)"},
		"a rejected last promise": {"async function main() {\n  await null;\n  throw new Error('late')\n}\nmain()", "Error: late (job.js:3:18)"},
		"text thrown":             {"throw 'just text'", "just text"},
		"null thrown":             {"throw null", "null"},
		"an object thrown":        {"throw {code: 5}", `{"code":5}`},
		"a getter that throws":    {"throw Object.defineProperty(new Error('x'), 'stack', {get() { throw 1 }})", "[object]"},
		"a refused host call":     {"let x\ngw.hash('rot13', '')", `Error: gw.hash: unknown hash "rot13": md5, sha1, sha256 and sha512 are there (job.js:2:8)`},
		"a refused awaited one":   {"async function f() {\n  await gw.kv.get('x')\n}\nf()", "Error: gw.kv.get: not granted to this version (job.js:2:18)"},
		"bytes that are no text":  {`gw.base64.decode("/w==")`, "is not text"},
		"waiting for ever":        {"await new Promise(() => {})", "a promise that nothing will settle"},
		"too many calls":          {"await Promise.all(Array.from({length: 300}, () => gw.sleep(1)))", "256 calls are waiting already"},
		"deep recursion":          {"function f() { return f() + 1 }\nf()", "InternalError: stack overflow (job.js:"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := run(t, c.source, js.Options{})
			require.ErrorContains(t, got.err, c.want)
		})
	}
}

func TestGuest_Log(t *testing.T) {
	t.Parallel()
	got := run(t, "console.log('a', 1, {b: [2]}, undefined, null, () => 1);\nconsole.warn('w');\ngw.error('e');\nfunction f() { console.log(new Error('x')) }\nf()", js.Options{})
	require.NoError(t, got.err)
	require.Equal(t, []string{
		`a 1 {"b":[2]} undefined null () => 1`, "[WARN] w", "[ERROR] e",
		"Error: x", "    at f (job.js:4:37)", "    at top level (job.js:5:2)",
	}, got.lines)
}

func TestGuest_StackIsLogged(t *testing.T) {
	t.Parallel()
	got := run(t, "function f() {\n  gw.hash('md5')\n}\nf()", js.Options{})
	require.Error(t, got.err)
	require.Equal(t, []string{
		"Error: gw.hash: argument 2 must be text, not nothing",
		"    at gw.hash (host)", "    at f (job.js:2:10)", "    at top level (job.js:4:2)",
	}, got.lines)
}

func TestGuest_TypeScript(t *testing.T) {
	t.Parallel()
	got := run(t, `
interface Item { id: number; name?: string }
enum Level { Low = 1, High }
type Pair<T> = [T, T];
const items: Item[] = [{ id: 1 }, { id: 2 }];
function total(list: Item[]): number {
  return list.reduce((sum: number, item) => sum + item.id, 0);
}
const pair = [1, 2] as Pair<number>;
await gw.sleep(1);
total(items) + Level.High + pair[1]!`, js.Options{TypeScript: true})
	require.NoError(t, got.err)
	require.Equal(t, "7", got.message)

	require.NoError(t, run(t, "interface A { a: number }", js.Options{TypeScript: true}).err)

	got = run(t, "interface A {\n  a: number\n}\n\nfunction f(a: A): never {\n  throw new Error('no ' + a.a);\n}\n\nf({ a: 1 })", js.Options{TypeScript: true})
	require.ErrorContains(t, got.err, "Error: no 1 (job.ts:6:")
	require.Contains(t, strings.Join(got.lines, "\n"), "at top level (job.ts:9:")
}

func TestLoad_Refusals(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		source       string
		typeScript   bool
		line, column int
		message      string
	}{
		"a wrong token":       {"let x = 1;\nx = = 2", false, 2, 5, `line 2: Unexpected "="`},
		"an open bracket":     {"let a = [1,\n", false, 2, 1, "line 2: Unexpected end of file"},
		"a return":            {"let a;\nreturn 1", false, 2, 1, "line 2: "},
		"types in JavaScript": {"let a: number = 1", false, 1, 6, "line 1: Expected"},
		"an import":           {"import x from 'y'; x()", false, 1, 8, "line 1: "},
		"TypeScript":          {"let a: number = 1;\nlet b: = 2", true, 2, 8, `line 2: Unexpected "="`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := js.Load([]byte(c.source), js.Options{TypeScript: c.typeScript})
			var invalid *runtime.InvalidError
			require.ErrorAs(t, err, &invalid)
			require.Contains(t, invalid.Message, c.message)
			require.Equal(t, [2]int{c.line, c.column}, [2]int{invalid.Line, invalid.Column})
		})
	}
}

func TestGuest_MemoryIsBounded(t *testing.T) {
	t.Parallel()
	full := func() int64 { return 1 << 30 }
	for name, source := range map[string]string{
		"small objects": `const a = []; for (;;) a.push({a})`,
		"one large":     `new ArrayBuffer(1e9)`,
		"text":          `const a = []; for (let i = 0;; i++) a.push("x".repeat(1000) + i)`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := run(t, source, js.Options{MemoryBytes: 16 << 20, Peak: full})
			require.ErrorIs(t, got.err, hostapi.ErrMemory)
		})
	}
}

func TestGuest_InterruptedByContext(t *testing.T) {
	t.Parallel()
	for name, source := range map[string]string{
		"a loop":               `for (;;) {}`,
		"a loop that catches":  `for (;;) { try { for (;;) {} } catch {} }`,
		"a loop of promises":   `(async () => { for (;;) await null })()`,
		"a regular expression": `/^(a+)+$/.test("a".repeat(40) + "b")`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
			defer cancel()
			started := time.Now()
			require.Error(t, runWith(ctx, t, source, js.Options{}, hostapi.Config{}).err)
			require.Less(t, time.Since(started), 30*time.Second)
		})
	}
}

func TestGuest_StopEndsSleeps(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		stop := make(chan struct{})
		time.AfterFunc(time.Second, func() { close(stop) })
		started := time.Now()
		got := runWith(t.Context(), t, `try { await gw.sleep(60000) } catch (e) { [e.message, gw.cancelled()].join() }`, js.Options{}, hostapi.Config{Stop: stop})
		require.NoError(t, got.err)
		require.Equal(t, "gw.sleep: the run was stopped,true", got.message)
		require.Equal(t, time.Second, time.Since(started))
	})
}
