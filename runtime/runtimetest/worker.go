package runtimetest

import (
	"fmt"
	"os/exec"
)

// BuildWorker builds a worker without the race detector at path. Under the detector a
// test's own binary is too slow for one: compiling a module takes half a minute.
func BuildWorker(path string) error {
	out, err := exec.Command("go", "build", "-o", path, "github.com/gluewheel/gluewheel/runtime/workermain/testdata/worker").CombinedOutput()
	if err != nil {
		return fmt.Errorf("build worker: %w\n%s", err, out)
	}
	return nil
}
