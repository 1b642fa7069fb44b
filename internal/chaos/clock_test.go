//go:build chaos

package chaos

import (
	"context"
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

// clockEnv names, for a process, the file with the seconds by which its wall clock is
// wrong.
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

// stepClock is the change by which a process's clock can be stepped.
func stepClock(t *testing.T, files map[string]string) {
	t.Helper()
	out, err := exec.Command("go", "env", "GOROOT").Output()
	require.NoError(t, err)
	dir := filepath.Join(strings.TrimSpace(string(out)), "src", "time")
	reads := filepath.Join(dir, "time.go")
	files[reads] = replaced(t, reads, readsClock, readsClock+"\tsec += chaosStep.Load()\n")
	files[filepath.Join(dir, "chaos_step.go")] = stepSource
}

// steps are by how many seconds a clock is set: what a battery, a wrong zone, a leap
// second and a bad NTP server do.
var steps = []int{-30 * 86400, -3600, -61, -1, 1, 7, 3600, 8 * 3600, 400 * 86400}

// wrongClock sets the clock of an admin or an executor, and back.
func wrongClock(_ context.Context, w *world, r *rand.Rand) (string, func() error, error) {
	p, n := pick(r, w.procs()), pick(r, steps)
	set := func(n int) error { return os.WriteFile(w.clockOf(p.name), fmt.Append(nil, n), 0o600) }
	return fmt.Sprintf("%s by %v", p.name, time.Duration(n)*time.Second), func() error { return set(0) }, set(n)
}

func (w *world) clockOf(name string) string { return filepath.Join(w.dir, name+".clock") }
