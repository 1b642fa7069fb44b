package check_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"

	"github.com/gluewheel/gluewheel/runtime/runtimetest"
)

// workerExe is the binary that these tests start workers from, without race detector.
var workerExe string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "worker-*")
	if err == nil {
		workerExe = filepath.Join(dir, "worker")
		err = runtimetest.BuildWorker(workerExe)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		_ = os.RemoveAll(dir)
		os.Exit(code)
	}))
}
