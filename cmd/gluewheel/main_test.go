package main

import (
	"os"
	"testing"

	"go.uber.org/goleak"

	"github.com/gluewheel/gluewheel/runtime/workermain"
)

// TestMain is main for the sandbox workers that tests of the whole program start.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == workermain.Command {
		os.Exit(workermain.Main())
	}
	goleak.VerifyTestMain(m,
		// fasthttp's servers and clients look for a stop only every few seconds.
		goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.(*workerPool).Start.func2"),
		goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.(*HostClient).connsCleaner"),
		goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.updateServerDate.func1"),
	)
}
