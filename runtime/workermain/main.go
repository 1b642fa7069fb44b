// Package workermain is the sandbox worker: the process in which guests run. It is this
// same binary, started again by runtime/worker with a hidden sub-command, and main calls
// [Main] before anything else then.
//
// A worker confines itself, loads one program, tells that it is ready, runs it once, and
// ends. It holds no secret and no descriptor but its socket, so a guest that takes it
// over gains little; that it ends in time and within its memory is the supervisor's
// business, who trusts nothing that a worker says but its lines of log.
//
//	confined ─ Load, Code ─► ready ─ Run ─► running ─► result sent ─► killed, or ends
//	    └──────── socket closed, at any time: the process exits ────────┘
package workermain

import (
	"fmt"
	"os"

	"github.com/gluewheel/gluewheel/runtime/proc"
)

// Command is the hidden sub-command, os.Args[1].
const Command = "__worker"

// shimCommand, as os.Args[2], asks for the shim around a script instead.
const shimCommand = "shim"

// Main does what the command line asks for and returns the exit code.
func Main() int {
	if len(os.Args) > 2 && os.Args[2] == shimCommand {
		return proc.Shim(os.Args[3:])
	}
	w, err := newWorker()
	if err == nil {
		err = w.serve()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "worker:", err)
		return 1
	}
	return 0
}
