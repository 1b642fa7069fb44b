package worker

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"

	"github.com/gluewheel/gluewheel/runtime/runtimetest"
	"github.com/gluewheel/gluewheel/runtime/workermain"
)

// WorkerExe is the binary that these tests start workers from.
var WorkerExe string

// TestMain lets the test binary be its own worker, unless the race detector makes it
// too slow for that: then a plain one is built.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == workermain.Command {
		os.Exit(workermain.Main())
	}
	clean, err := findWorker()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	// fasthttp's pool of workers looks at its end every 10 s only, and its clock never ends.
	goleak.VerifyTestMain(m,
		goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.(*workerPool).Start.func2"),
		goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.updateServerDate.func1"),
		goleak.Cleanup(func(code int) {
			clean()
			os.Exit(code)
		}))
}

func findWorker() (clean func(), err error) {
	if !runtimetest.RaceDetector {
		WorkerExe, err = os.Executable()
		return func() {}, err
	}
	dir, err := os.MkdirTemp("", "worker-*")
	if err != nil {
		return nil, err
	}
	clean = func() { _ = os.RemoveAll(dir) }
	WorkerExe = filepath.Join(dir, "worker")
	if err := runtimetest.BuildWorker(WorkerExe); err != nil {
		clean()
		return nil, err
	}
	return clean, nil
}
