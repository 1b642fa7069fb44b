package samples_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"
)

// workerExe runs the modules. It is built apart, since under the race detector a test's
// own binary would compile modules for minutes.
var workerExe string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "worker-*")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	workerExe = filepath.Join(dir, "worker")
	out, err := exec.Command("go", "build", "-o", workerExe, "../runtime/workermain/testdata/worker").CombinedOutput()
	if err != nil {
		fmt.Fprintf(os.Stderr, "build worker: %v\n%s", err, out)
		os.Exit(1)
	}
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		_ = os.RemoveAll(dir)
		os.Exit(code)
	}))
}
