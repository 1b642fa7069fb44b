//go:build chaos

package chaos

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// program is what is under test.
const program = "github.com/gluewheel/gluewheel/cmd/gluewheel"

// binaries are what is under test.
type binaries struct{ admin, executor string }

// change adds to the files that a build replaces, by their paths, what stands in their
// place. The tree stays as it is.
type change func(t *testing.T, files map[string]string)

// build compiles the admin; executors are this test's own program.
func build(t *testing.T, changes ...change) binaries {
	t.Helper()
	return buildTagged(t, "", changes...)
}

// buildTagged is build with a build tag.
func buildTagged(t *testing.T, tag string, changes ...change) binaries {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	b := binaries{admin: filepath.Join(t.TempDir(), "gluewheel"), executor: self}
	compile(t, append(changes, layRoads), "build", "-tags", tag, "-o", b.admin, program)
	return b
}

// buildStepped compiles admin and executor so that their clocks can be stepped.
func buildStepped(t *testing.T) binaries {
	t.Helper()
	b := build(t, stepClock)
	b.executor = filepath.Join(t.TempDir(), "executor")
	compile(t, []change{stepClock}, "test", "-c", "-tags", "chaos", "-o", b.executor, ".")
	return b
}

func compile(t *testing.T, changes []change, command string, args ...string) {
	t.Helper()
	files := map[string]string{}
	for _, c := range changes {
		c(t, files)
	}
	out, err := exec.Command("go", append([]string{command, "-overlay", overlay(t, files)}, args...)...).CombinedOutput()
	require.NoError(t, err, "%s", out)
}

// overlay writes files in place of others for go build, and answers its -overlay.
func overlay(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	replace := map[string]string{}
	for original, text := range files {
		changed := filepath.Join(dir, fmt.Sprintf("%d-%s", len(replace), filepath.Base(original)))
		require.NoError(t, os.WriteFile(changed, []byte(text), 0o600))
		replace[original] = changed
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	require.NoError(t, err)
	file := filepath.Join(dir, "overlay.json")
	require.NoError(t, os.WriteFile(file, text, 0o600))
	return file
}

// replaced is a file's text with other words in the one place where old stands.
func replaced(t *testing.T, file, old, other string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, 1, strings.Count(string(text), old), "%s has changed where the suite changes it: look for the place again", file)
	return strings.Replace(string(text), old, other, 1)
}

// inModule is the whole path of a file of the module.
func inModule(t *testing.T, file string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("../..", file))
	require.NoError(t, err)
	return path
}
