// Command gluewheel is a job scheduler whose job code is live: scheduling centre,
// executor and their tools in one binary. `gluewheel --help` tells the rest.
package main

import (
	"context"
	"os"

	"github.com/gluewheel/gluewheel/runtime/workermain"
)

func main() {
	// First of all: a sandbox worker has to start in milliseconds, and must not see
	// what the rest of the program reads.
	if len(os.Args) > 1 && os.Args[1] == workermain.Command {
		os.Exit(workermain.Main())
	}
	os.Exit(run(context.Background(), os.Args[1:], &streams{in: os.Stdin, out: os.Stdout, err: os.Stderr}))
}
