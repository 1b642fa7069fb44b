// Package wasm runs WebAssembly jobs with wazero. It is meant for the sandbox worker:
// compiled code without loops cannot be interrupted, not even by the collector, so
// something outside must be able to end the process.
//
// A module is either a WASI preview 1 command, which exports _start, or a reactor,
// which exports gw_run() -> i32 (and _initialize, if it needs one). Both get
//
//	arguments    the handler's name, the parameter, shard index and shard total
//	environment  GW_*, as scripts do
//	input        the whole invocation as JSON
//	output       standard output and error are the job's log
//
// and no file system, socket or real environment. Exit code (or gw_run's value) 0 is
// success; otherwise the last line of standard error is the message.
//
// The import module gluewheel is the host interface, see host.go.
//
// A program is loaded in this order, each step refusing by name what it does not like:
// the guard reads the structure, the ABI is checked, wazero validates and compiles
// (from the cache, where there is one), and the imports are matched. No guest code runs
// before [Guest.Run], not even a start function.
package wasm
