// Package worker runs sandboxed job code (Lua, WebAssembly, JavaScript) in processes of
// its own: the same binary started again, see runtime/workermain. No engine is linked
// into the supervising process.
//
// A run's outcome is what the supervisor saw and did, in this order: it stopped the run
// (timed out, killed); the worker outgrew its memory or another limit; the worker sent a
// result; the worker died. A guest can at most choose between its own success and
// failure.
//
// A worker has no network, no files and no rights. What a guest may have done outside,
// HTTP requests to the hosts that its version was granted, it asks for by a frame, and
// the supervisor does it under its own policy, see runtime/egress. When the run ends,
// so do they.
//
// Usage is the worker's own account where it gave a result. Of one that was killed it is
// what the kernel and the supervisor saw: of its host calls, those that left the worker.
//
// # The warm pool
//
// Starting a worker and compiling takes milliseconds, so [Engine] keeps some ready. A
// pooled worker has loaded its program and has never run guest code; it serves one run
// and dies, so no run sees anything of another. Its key is the source's. After each use
// a new one is made in the background.
//
//	starting ─► pooled ─► running ─► dead
//	               └─ too old, in the way of another, or the engine closes ─► dead
//
// The pool is bounded by count, memory and age. A full pool takes a newcomer only in
// place of a worker that has waited for long; with more keys than places the first ones
// stay warm and the others start cold, instead of everyone pushing everyone out.
package worker
