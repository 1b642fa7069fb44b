;; The smallest job: WebAssembly by hand. It logs one line through the host's import
;; module and ends well. `make samples` compiles it with wat2wasm.
(module
  (import "gluewheel" "log" (func $log (param i32 i32 i32)))
  (memory (export "memory") 1)
  (data (i32.const 16) "tick, from WebAssembly text")
  (func (export "gw_run") (result i32)
    (call $log (i32.const 0) (i32.const 16) (i32.const 27))
    (i32.const 0)))
