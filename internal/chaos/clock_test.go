//go:build chaos

package chaos

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// clockEnv names, for processes that are built with stepClock, the file with the seconds
// by which their wall clock is wrong.
const clockEnv = "GLUEWHEEL_CHAOS_CLOCK"

// stepSource joins the standard package time in processes whose clock can be stepped.
// As when a machine's clock is set, the monotonic clock goes on as before.
const stepSource = `package time

import (
	"sync/atomic"
	"syscall"
)

var chaosStep atomic.Int64

func init() {
	if file, ok := syscall.Getenv("` + clockEnv + `"); ok {
		go followChaosStep(file)
	}
}

func followChaosStep(file string) {
	for {
		if text, err := readFile(file); err == nil {
			negative, n := false, int64(0)
			for _, c := range text {
				switch {
				case c == '-':
					negative = true
				case c >= '0' && c <= '9':
					n = n*10 + int64(c-'0')
				}
			}
			if negative {
				n = -n
			}
			chaosStep.Store(n)
		}
		Sleep(50 * Millisecond)
	}
}
`

// readsClock is where package time reads the wall clock.
const readsClock = "sec, nsec, mono := runtimeNow()\n"

// stepClock is the go build overlay in which that clock can be stepped.
func stepClock(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("go", "env", "GOROOT").Output()
	require.NoError(t, err)
	dir := filepath.Join(strings.TrimSpace(string(out)), "src", "time")
	original := filepath.Join(dir, "time.go")
	text, err := os.ReadFile(original)
	require.NoError(t, err)
	require.Equal(t, 1, strings.Count(string(text), readsClock), "package time reads its clock elsewhere: look for it again")
	stepped := strings.Replace(string(text), readsClock, readsClock+"\tsec += chaosStep.Load()\n", 1)
	return overlay(t, map[string]string{original: stepped, filepath.Join(dir, "chaos_step.go"): stepSource})
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

// buildStepped compiles admin and executor so that their clocks can be stepped.
func buildStepped(t *testing.T) binaries {
	t.Helper()
	o, dir := stepClock(t), t.TempDir()
	b := binaries{admin: filepath.Join(dir, "gluewheel"), executor: filepath.Join(dir, "executor"), stepped: true}
	for _, args := range [][]string{
		{"build", "-overlay", o, "-o", b.admin, program},
		{"test", "-c", "-tags", "chaos", "-overlay", o, "-o", b.executor, "."},
	} {
		out, err := exec.Command("go", args...).CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
	return b
}

// steps are by how many seconds a clock is set: what a battery, a wrong zone, a leap
// second and a bad NTP server do.
var steps = []int{-30 * 86400, -3600, -61, -1, 1, 7, 3600, 8 * 3600, 400 * 86400}

// wrongClock sets the clock of an admin or an executor, and back.
func wrongClock(_ context.Context, w *world, r *rand.Rand) (string, func() error, error) {
	if !w.stepped {
		return "", nothing, fmt.Errorf("%w: built without stepped clocks", errNotHere)
	}
	p, n := pick(r, w.procs()), pick(r, steps)
	set := func(n int) error { return os.WriteFile(w.clockOf(p.name), fmt.Append(nil, n), 0o600) }
	return fmt.Sprintf("%s by %v", p.name, time.Duration(n)*time.Second), func() error { return set(0) }, set(n)
}

func (w *world) clockOf(name string) string { return filepath.Join(w.dir, name+".clock") }
