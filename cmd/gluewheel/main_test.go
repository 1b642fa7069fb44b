package main

import (
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"
	"golang.org/x/sys/unix"

	"github.com/gluewheel/gluewheel/runtime/runtimetest"
	"github.com/gluewheel/gluewheel/runtime/workermain"
)

// TestMain is main for the sandbox workers that tests of the whole program start. Under
// the race detector those become a plain worker at once, which stands beside the binary.
func TestMain(m *testing.M) {
	self, err := os.Executable()
	if err != nil {
		exit(err)
	}
	plain := self + ".worker"
	if len(os.Args) > 1 && os.Args[1] == workermain.Command {
		if runtimetest.RaceDetector {
			exit(unix.Exec(plain, os.Args, os.Environ()))
		}
		os.Exit(workermain.Main())
	}
	if runtimetest.RaceDetector {
		if err := runtimetest.BuildWorker(plain); err != nil {
			exit(err)
		}
	}
	goleak.VerifyTestMain(m,
		// fasthttp's servers and clients look for a stop only every few seconds.
		goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.(*workerPool).Start.func2"),
		goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.(*HostClient).connsCleaner"),
		goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.updateServerDate.func1"),
		goleak.Cleanup(func(code int) {
			_ = os.Remove(plain)
			os.Exit(code)
		}),
	)
}

func exit(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
