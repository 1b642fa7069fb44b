// Package inproc runs WebAssembly in this very process, for versions that ask for it by
// their manifest (isolation: inproc), on executors whose operator allows it. All else it
// leaves to the sandbox.
//
// What is given up: no fence of the kernel stands around the guest, its memory is this
// process's, its CPU time is not metered, and a fault in the engine takes the executor
// with it. What stays: the import interface, the manifest's grants, the memory limit in
// pages, the log limit, and an end in time:
//
//   - A sandbox worker has compiled the module before this process does.
//   - The module gets a check at the head of each loop and of each function, at which it
//     ends when its run shall end, and at which Go's scheduler and collector get their
//     turn. Code without checks would freeze the process at the next collection.
//
// Each run's log begins with a warning that says so.
package inproc
