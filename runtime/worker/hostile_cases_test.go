//go:build long

package worker_test

import (
	"bytes"
	"slices"
	"strings"

	"github.com/gluewheel/gluewheel/runtime"
	rt "github.com/gluewheel/gluewheel/runtime/runtimetest"
)

// Short names, for the tables below.
const (
	succeeded   = runtime.Succeeded
	failed      = runtime.Failed
	timedOut    = runtime.TimedOut
	outOfMemory = runtime.OutOfMemory
	invalid     = runtime.Invalid
)

func hostileCases() []hostile {
	return slices.Concat(hostileLua(), hostileJS(), hostileWASM(), hostileScripts())
}

func hostileLua() []hostile {
	var cases []hostile
	for _, c := range []struct {
		name, code string
		kinds      []runtime.Kind
		message    string
	}{
		{"loop", `while true do end`, ends(timedOut), ""},
		{"loop in pcall", `while true do pcall(function() while true do end end) end`, ends(timedOut), ""},
		{"loop in xpcall's handler", `xpcall(error, function() while true do end end)`, ends(timedOut), ""},
		{"loop in a coroutine", `coroutine.wrap(function() while true do end end)()`, ends(timedOut), ""},
		{"loop in a sort", `table.sort({1, 2, 3}, function() while true do end end)`, ends(timedOut), ""},
		{"sort without an order", `local t = {}; for i = 1, 1e5 do t[i] = i % 7 end; while true do pcall(table.sort, t, function() return true end) end`, ends(timedOut, failed), ""},
		{"pattern that tracks back", `local s = string.rep("a", 30); string.find(s, string.rep("a?", 30) .. string.rep("(.-)", 25) .. "b")`, ends(timedOut), ""},
		{"pattern of stars", `string.find(string.rep("a", 5000), string.rep(".-", 20) .. "b")`, ends(timedOut), ""},
		{"gsub that grows", `local s = "x"; while true do s = s:gsub(".", "%0%0") end`, ends(timedOut, outOfMemory), ""},
		{"recursion", `local function f() return 1 + f() end; f()`, ends(failed), "stack overflow"},
		{"recursion that calls twice", `local function f(n) if n > 0 then f(n - 1); f(n - 1) end end; f(60)`, ends(timedOut), ""},
		{"recursion through metatables", `local t = setmetatable({}, {}); getmetatable(t).__index = function(_, k) return t[k + 1] end; local x = t[1]`, ends(failed, outOfMemory, timedOut), ""},
		{"recursion through tostring", `local t = setmetatable({}, {}); getmetatable(t).__tostring = function() return tostring(t) end; print(t)`, ends(failed, outOfMemory, timedOut), ""},
		{"recursion through pcall", `local function f() pcall(f); f() end; f()`, ends(failed, outOfMemory, timedOut), ""},
		{"coroutines in coroutines", `local function f() coroutine.wrap(f)() end; f()`, ends(failed, outOfMemory, timedOut), ""},
		{"coroutines without end", `local t = {}; while true do local c = coroutine.create(function() coroutine.yield() end); coroutine.resume(c); t[#t + 1] = c end`, ends(outOfMemory, timedOut), ""},
		{"table growth", `local t = {}; while true do t[#t + 1] = {#t} end`, ends(outOfMemory, timedOut), ""},
		{"string growth", `local s = "x"; while true do s = s .. s end`, ends(outOfMemory, timedOut, failed), ""},
		{"closures", `local f; while true do local g = f; f = function() return g end end`, ends(outOfMemory, timedOut), ""},
		{"huge array index", `local t = {}; for i = 1, 100 do t[i] = {}; t[i][67108863] = 1 end`, ends(outOfMemory, timedOut), ""},
		{"rep of 8 GB", `string.rep("x", 8 * 2^30)`, ends(failed), "resulting string too large"},
		{"rep again and again", `local t = {}; while true do t[#t + 1] = string.rep("x", 1e6) .. #t end`, ends(outOfMemory, timedOut), ""},
		{"wide format", `local s = string.format("%2000000000d", 1)`, ends(failed, outOfMemory, timedOut, succeeded), ""},
		{"unpack of everything", `unpack({}, 1, 1e8)`, ends(failed, outOfMemory, timedOut), ""},
		{"concat of everything", `local t = {}; for i = 1, 1e7 do t[i] = "x" end; table.concat(t)`, ends(failed, outOfMemory, timedOut), ""},
		{"sleep", `gw.sleep(1e8)`, ends(timedOut), ""},
		{"deaf sleeper", `while true do pcall(gw.sleep, 1e8) end`, ends(timedOut), ""},
		{"log flood", `while true do print(string.rep("x", 1000)) end`, ends(timedOut), ""},
		{"progress flood", `while true do gw.progress(1, string.rep("x", 1000)) end`, ends(timedOut), ""},
		{"result of 16 MiB", `return string.rep("x", 2^24)`, ends(succeeded), "xxx..."},
		{"error of 16 MiB", `error(string.rep("x", 2^24))`, ends(failed), "xxx..."},
		{"json without end", `local t = {}; t.t = t; gw.json.encode(t)`, ends(failed), "nested more than"},
		{"json bomb", `gw.json.decode(string.rep("[", 1e6))`, ends(failed), "exceeded max depth"},
		{"request to loopback", `gw.http.get("http://127.0.0.1:22/")`, ends(failed), "not granted"},
		{"kv flood", `while true do pcall(gw.kv.set, "k", string.rep("v", 60000)) end`, ends(timedOut), ""},
		{"a secret of others", `gw.secret("DATABASE_URL")`, ends(failed), "not granted"},
		{"brackets", strings.Repeat("(", 100_000), ends(invalid), ""},
		{"nested functions", "return " + strings.Repeat("function() return ", 50_000) + strings.Repeat(" end", 50_000), ends(invalid, timedOut, failed, succeeded), ""},
		{"a long chain", "return " + strings.Repeat("1 .. ", 100_000) + "1", ends(invalid, timedOut, failed, succeeded), ""},
	} {
		cases = append(cases, hostile{name: "Lua " + c.name, src: luaSource(c.code), kinds: c.kinds, message: c.message})
	}
	return cases
}

func hostileJS() []hostile {
	var cases []hostile
	for _, c := range []struct {
		name, code string
		kinds      []runtime.Kind
		message    string
	}{
		{"loop", `for (;;) {}`, ends(timedOut), ""},
		{"loop that catches", `for (;;) { try { for (;;) {} } catch {} }`, ends(timedOut), ""},
		{"loop in finally", `try { throw 1 } finally { for (;;) {} }`, ends(timedOut), ""},
		{"loop of promises", `(async () => { for (;;) await null })()`, ends(timedOut), ""},
		{"promises without end", `const f = () => { Promise.resolve().then(f); Promise.resolve().then(f) }; f()`, ends(timedOut, outOfMemory), ""},
		{"loop in a generator", `[...(function* () { for (;;) yield 1 })()]`, ends(timedOut, outOfMemory, failed), ""},
		{"loop in a proxy", `new Proxy({}, { get() { for (;;) {} } }).x`, ends(timedOut), ""},
		{"loop in a getter of the error", `throw Object.defineProperty(new Error(), "stack", { get() { for (;;) {} } })`, ends(timedOut), ""},
		{"loop in toJSON of the result", `({ toJSON() { for (;;) {} } })`, ends(timedOut), ""},
		{"loop in a then", `({ then() { for (;;) {} } })`, ends(timedOut), ""},
		{"loop in eval", `eval("for (;;) {}")`, ends(timedOut), ""},
		{"a built-in that counts", `Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1)`, ends(timedOut), ""},
		{"a fill", `Array.prototype.fill.call({ length: 2 ** 53 - 1 }, 1)`, ends(timedOut, outOfMemory), ""},
		{"sort without an order", `const a = Array.from({ length: 1e6 }, (_, i) => i); for (;;) a.sort(() => 1)`, ends(timedOut), ""},
		{"regular expression", `/^(a+)+$/.test("a".repeat(40) + "b")`, ends(timedOut, failed), ""},
		{"regular expression with references", `/(.*)\1\1\1x/.test("a".repeat(100000))`, ends(timedOut, failed), ""},
		{"large power", `2n ** 100000000n ** 2n`, ends(timedOut, failed, outOfMemory), ""},
		{"factorial", `let n = 1n; for (let i = 1n;; i++) n *= i`, ends(timedOut, outOfMemory, failed), ""},
		{"recursion", `function f() { return f() + 1 } f()`, ends(failed), "stack overflow"},
		{"recursion that calls twice", `function f(n) { if (n > 0) { f(n - 1); f(n - 1) } } f(60)`, ends(timedOut), ""},
		{"recursion that catches", `function f() { try { f() } catch { f() } } f()`, ends(timedOut, failed), ""},
		{"recursion through toString", `const o = { toString() { return "" + o } }; "" + o`, ends(failed), "stack overflow"},
		{"recursion through json", `const o = {}; let p = o; for (let i = 0; i < 1e6; i++) p = p.p = {}; JSON.stringify(o)`, ends(failed, outOfMemory, timedOut), ""},
		{"array growth", `const a = []; for (;;) a.push({ a })`, ends(outOfMemory, timedOut), ""},
		{"array growth that catches", `const a = []; for (;;) try { a.push(new Array(1000)) } catch {}`, ends(outOfMemory, timedOut), ""},
		{"string growth", `const a = []; for (let i = 0;; i++) a.push("x".repeat(1000) + i)`, ends(outOfMemory, timedOut), ""},
		{"map growth", `const m = new Map(); for (let i = 0;; i++) m.set(i, {})`, ends(outOfMemory, timedOut), ""},
		{"an array buffer", `new ArrayBuffer(2 ** 40)`, ends(failed, outOfMemory), ""},
		{"array buffers", `const a = []; for (;;) a.push(new Uint8Array(1e6).fill(1))`, ends(outOfMemory, timedOut), ""},
		{"sparse array", `const a = []; a[4294967294] = 1; a.sort(); a.join()`, ends(failed, outOfMemory, timedOut), ""},
		{"eval of much", `eval("1;".repeat(5e6))`, ends(failed, outOfMemory, timedOut, succeeded), ""},
		{"blocking wait", `Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)`, ends(failed), "TypeError"},
		{"a promise that nobody settles", `await new Promise(() => {})`, ends(failed), "nothing will settle"},
		{"sleep", `await gw.sleep(1e8)`, ends(timedOut), ""},
		{"deaf sleeper", `for (;;) try { await gw.sleep(1e8) } catch {}`, ends(timedOut), ""},
		{"sleeps", `for (;;) gw.sleep(1e8).catch(() => {})`, ends(timedOut, outOfMemory), ""},
		{"log flood", `for (;;) console.log("x".repeat(1000))`, ends(timedOut), ""},
		{"result of 16 MiB", `"x".repeat(2 ** 24)`, ends(succeeded), "xxx..."},
		{"request to loopback", `await gw.http.get("http://[::1]:22/")`, ends(failed), "not granted"},
		{"an import of os", `(await import("os")).exec(["id"])`, ends(failed), "ReferenceError"},
		{"brackets", strings.Repeat("(", 100_000), ends(invalid), ""},
		{"nested arrays", strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000), ends(invalid), ""},
	} {
		cases = append(cases, hostile{name: "JavaScript " + c.name, src: jsSource(c.code), kinds: c.kinds, message: c.message})
	}
	return append(cases,
		hostile{name: "TypeScript loop", src: tsSource(`const f = (): never => { for (;;) {} }; f()`), kinds: ends(timedOut)},
		hostile{name: "TypeScript types in types", src: tsSource("type A = " + strings.Repeat("Array<", 100_000) + "1" + strings.Repeat(">", 100_000)), kinds: ends(invalid, timedOut, succeeded)},
	)
}

func hostileWASM() []hostile {
	forever := func(body ...any) []byte { return rt.Body(rt.Loop, rt.NoResult, rt.Body(body...), rt.Br, 0, rt.End) }
	start := func(body []byte) []rt.Func { return []rt.Func{{Export: "_start", Body: body}} }
	var (
		random = rt.From("wasi_snapshot_preview1", "random_get", []byte{rt.I32, rt.I32}, []byte{rt.I32})
		write  = rt.From("wasi_snapshot_preview1", "fd_write", []byte{rt.I32, rt.I32, rt.I32, rt.I32}, []byte{rt.I32})
		open   = rt.From("wasi_snapshot_preview1", "path_open", []byte{rt.I32, rt.I32, rt.I32, rt.I32, rt.I32, rt.I64, rt.I64, rt.I32, rt.I32}, []byte{rt.I32})
		sleep  = rt.From("gluewheel", "sleep", []byte{rt.I64}, []byte{rt.I32})
	)
	openPasswd := rt.Body(rt.I32Const, 3, rt.I32Const, 0, rt.I32Const, 0, rt.I32Const, 11, rt.I32Const, 0,
		rt.I64Const, 2, rt.I64Const, 2, rt.I32Const, 0, rt.I32Const, rt.Int(100), rt.Call, 0)
	manyLocals := rt.Module{Funcs: []rt.Func{{Export: "_start", Locals: bytes.Repeat([]byte{rt.I64}, 60_000), Body: nil}}}

	var cases []hostile
	for _, c := range []struct {
		name    string
		module  rt.Module
		kinds   []runtime.Kind
		message string
	}{
		{"loop", rt.Module{Funcs: start(forever())}, ends(timedOut), ""},
		{"loop in initialisation", rt.Module{Funcs: []rt.Func{
			{Export: "_initialize", Body: forever()},
			{Export: "gw_run", Signature: rt.Signature{Results: []byte{rt.I32}}, Body: rt.Body(rt.I32Const, 0)},
		}}, ends(timedOut), ""},
		{"calls without a loop", rt.Module{Funcs: []rt.Func{{Export: "_start", Body: rt.Body(rt.I32Const, rt.Int(60), rt.Call, 1)}, recursion}}, ends(timedOut), ""},
		{"endless recursion", rt.Module{Funcs: start(rt.Body(rt.Call, 0))}, ends(failed), "stack overflow"},
		{"memory growth", rt.Module{Memory: true, Funcs: start(forever(rt.I32Const, 16, rt.MemoryGrow, 0, rt.Drop))}, ends(timedOut, outOfMemory), ""},
		{"memory that is used", rt.Module{Memory: true, Imports: []rt.Import{random}, Funcs: start(rt.Body(
			rt.I32Const, rt.Int(4000), rt.MemoryGrow, 0, rt.Drop,
			forever(rt.I32Const, 0, rt.I32Const, rt.Int(4000*65536), rt.Call, 0, rt.Drop)))}, ends(timedOut, outOfMemory), ""},
		{"bulk filling", rt.Module{Memory: true, Funcs: start(rt.Body(
			rt.I32Const, rt.Int(4000), rt.MemoryGrow, 0, rt.Drop,
			forever(rt.I32Const, 0, rt.I32Const, 1, rt.I32Const, rt.Int(4000*65536), 0xfc, 0x0b, 0)))}, ends(timedOut, outOfMemory), ""},
		{"table growth", rt.Module{Tables: []uint32{1}, Funcs: start(forever(0xd0, 0x70, rt.I32Const, rt.Int(1<<16), 0xfc, 0x0f, 0, rt.Drop))}, ends(timedOut, outOfMemory), ""},
		{"a table of 8 GB", rt.Module{Tables: []uint32{1}, Funcs: start(rt.Body(0xd0, 0x70, rt.I32Const, rt.Int(1<<30), 0xfc, 0x0f, 0, rt.Drop))}, ends(outOfMemory), "outgrew its memory"},
		{"a table declared too large", rt.Module{Tables: []uint32{1 << 31}, Funcs: start(nil)}, ends(invalid), ""},
		{"memory declared too large", rt.Module{Pages: 1 << 16, Funcs: start(nil)}, ends(invalid), "at most 16384 are allowed"},
		{"log flood", rt.Module{Imports: []rt.Import{logText}, Pages: 1, Funcs: start(forever(rt.I32Const, 0, rt.I32Const, 0, rt.I32Const, rt.Int(60000), rt.Call, 0))}, ends(timedOut), ""},
		{"output flood", rt.Module{Imports: []rt.Import{write}, Pages: 1, Data: []byte("\x00\x00\x00\x00\x00\xf0\x00\x00"), Funcs: start(forever(
			rt.I32Const, 1, rt.I32Const, 0, rt.I32Const, 1, rt.I32Const, rt.Int(100), rt.Call, 0, rt.Drop))}, ends(timedOut), ""},
		{"sleep", rt.Module{Imports: []rt.Import{sleep}, Funcs: start(rt.Body(rt.I64Const, rt.Int(1e8), rt.Call, 0, rt.Drop, forever()))}, ends(timedOut), ""},
		{"deaf sleeper", rt.Module{Imports: []rt.Import{sleep}, Funcs: start(forever(rt.I64Const, rt.Int(1e8), rt.Call, 0, rt.Drop))}, ends(timedOut), ""},
		{"a text of 4 GiB", rt.Module{Pages: 1, Imports: []rt.Import{setText}, Funcs: start(rt.Body(rt.I32Const, 0, rt.I32Const, rt.Int(-1), rt.Call, 0))}, ends(failed), "are allowed"},
		{"an address outside", rt.Module{Pages: 1, Imports: []rt.Import{setText}, Funcs: start(rt.Body(rt.I32Const, rt.Int(-5), rt.I32Const, rt.Int(100), rt.Call, 0))}, ends(failed), "outside the guest's memory"},
		{"reading a file", rt.Module{Pages: 1, Data: []byte("/etc/passwd"), Imports: []rt.Import{open, exit}, Funcs: start(rt.Body(openPasswd, rt.Call, 1))}, ends(failed), "exit code 63"}, // EPERM
		{"the exit code of a deadline", rt.Module{Memory: true, Imports: []rt.Import{exit}, Funcs: start(rt.Body(rt.I32Const, rt.Int(-0x10000002), rt.Call, 0))}, ends(failed), "exit code"},
		{"many locals", manyLocals, ends(invalid, succeeded), ""},
	} {
		cases = append(cases, hostile{name: "WASM " + c.name, src: wasmSource(c.module.Encode()), kinds: c.kinds, message: c.message})
	}
	for name, module := range map[string]string{
		"15 malformed bytes":       "\x00asm\x01\x00\x00\x00\x01\x05\xff\xff\xff\xff\x0f",
		"a section longer than it": "\x00asm\x01\x00\x00\x00\x0a\xff\xff\xff\x7f",
		"locals by the billion":    "\x00asm\x01\x00\x00\x00\x01\x04\x01\x60\x00\x00\x03\x02\x01\x00\x07\x0a\x01\x06_start\x00\x00\x0a\x0a\x01\x08\x01\xff\xff\xff\xff\x0f\x7f\x0b",
	} {
		cases = append(cases, hostile{name: "WASM " + name, src: wasmSource([]byte(module)), kinds: ends(invalid)})
	}
	return cases
}

func shellSource(code string) runtime.Source {
	return runtime.Source{Key: "sh/" + code, JobID: 10, Version: int64(len(code)), Type: "GLUE_SHELL", Name: "demo", Code: []byte(code)}
}

func pythonSource(code string) runtime.Source {
	src := shellSource(code)
	src.Type = "GLUE_PYTHON"
	return src
}

func hostileScripts() []hostile {
	return []hostile{
		{name: "shell loop", src: shellSource(`while :; do :; done`), kinds: ends(timedOut)},
		{name: "shell sleep", src: shellSource(`sleep 1000`), kinds: ends(timedOut)},
		{name: "shell that ignores signals", src: shellSource(`trap '' TERM INT HUP QUIT; while :; do sleep 1; done`), kinds: ends(timedOut)},
		{name: "shell that reports success when stopped", src: shellSource(`trap 'exit 0' TERM; while :; do sleep 0.1; done`), kinds: ends(timedOut)},
		{name: "shell that stops itself", src: shellSource(`kill -STOP $$`), kinds: ends(timedOut)},
		{name: "shell daemon", src: shellSource(`setsid sleep 1000 & exit 0`), kinds: ends(succeeded)},
		{name: "shell daemon that ignores signals", src: shellSource(`setsid bash -c 'trap "" TERM HUP; while :; do sleep 1; done' >/dev/null 2>&1 & exit 0`), kinds: ends(succeeded)},
		{name: "shell double fork", src: shellSource(`(setsid bash -c '(sleep 1000 &) ; sleep 1000' &) ; sleep 1000`), kinds: ends(timedOut)},
		{name: "shell background that keeps the output", src: shellSource(`sleep 1000 & echo started`), kinds: ends(succeeded)},
		{name: "shell nohup", src: shellSource(`nohup sleep 1000 >/dev/null 2>&1 & sleep 1000`), kinds: ends(timedOut)},
		{name: "shell that kills its group", src: shellSource(`kill -9 0`), kinds: ends(failed)},
		{name: "shell output flood", src: shellSource(`yes`), kinds: ends(timedOut)},
		{name: "shell output without lines", src: shellSource(`while :; do printf '%0100000d' 1; done`), kinds: ends(timedOut)},
		{name: "shell that closes its output", src: shellSource(`exec >&- 2>&-; sleep 1000`), kinds: ends(timedOut)},
		{name: "shell fork bomb", src: shellSource(`f() { f | f & }; f; sleep 1000`), kinds: ends(timedOut, failed), needs: boundProcesses},
		{name: "shell recursion", src: shellSource(`f() { f; }; f`), kinds: ends(failed, timedOut, outOfMemory), needs: boundMemory},
		{name: "shell that reads the environment", src: shellSource(`env | grep -qi -e secret -e token -e database && exit 0; exit 3`), kinds: ends(failed), message: "(3)"},
		{name: "Python memory", src: pythonSource("a = []\nwhile True: a.append(bytearray(1 << 20))"), kinds: ends(outOfMemory, failed, timedOut), needs: boundMemory},
		{name: "Python that ignores signals", src: pythonSource("import signal, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nwhile True: time.sleep(1)"), kinds: ends(timedOut)},
		{name: "Python threads", src: pythonSource("import threading, time\ntry:\n    while True: threading.Thread(target=time.sleep, args=(1000,), daemon=True).start()\nexcept RuntimeError: time.sleep(1000)"), kinds: ends(timedOut, failed, outOfMemory), needs: boundProcesses},
		{name: "Python processes in sessions", src: pythonSource("import os, time\nfor _ in range(20):\n    if os.fork() == 0:\n        os.setsid()\n        if os.fork() == 0: time.sleep(1000)\n        os._exit(0)\ntime.sleep(1000)"), kinds: ends(timedOut)},
		{name: "Node loop", src: runtime.Source{Key: "node", JobID: 11, Version: 1, Type: "GLUE_NODEJS", Name: "demo", Code: []byte(`for (;;) {}`)}, kinds: ends(timedOut, outOfMemory)},
	}
}
