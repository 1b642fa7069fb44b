package check_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"
)

// workerExe is the binary that these tests start workers from, without race detector.
var workerExe string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "worker-*")
	if err == nil {
		workerExe = filepath.Join(dir, "worker")
		var out []byte
		if out, err = exec.Command("go", "build", "-o", workerExe, "../workermain/testdata/worker").CombinedOutput(); err != nil {
			err = fmt.Errorf("build worker: %w\n%s", err, out)
		}
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
