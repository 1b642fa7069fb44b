//go:build chaos

package chaos

import (
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/stretchr/testify/require"
)

// The reference writes a line every referencePause and waits until it is on disk, as all
// parts do. A turn that takes stallsFrom longer shows that the machine stood still.
const (
	referencePause = 50 * time.Millisecond
	stallsFrom     = 100 * time.Millisecond
)

// reference measures what the machine itself takes from everyone on it: times in which it
// did not run a process that needs next to nothing, or did not serve its disk.
type reference struct {
	mu     sync.Mutex
	stalls []Window
}

// watchMachine starts the reference, until the world ends.
func (w *world) watchMachine() {
	f, err := os.Create(filepath.Join(w.dir, "reference"))
	require.NoError(w.t, err)
	end := make(chan struct{})
	var work sync.WaitGroup
	work.Go(func() {
		for {
			began := time.Now()
			select {
			case <-end:
				return
			case <-time.After(referencePause):
			}
			if _, err := f.WriteAt([]byte(clock(began)), 0); err == nil {
				_ = f.Sync() // that it cannot is no stall
			}
			w.machine.note(began.Add(referencePause), time.Now())
		}
	})
	w.t.Cleanup(func() {
		close(end)
		work.Wait()
		f.Close()
	})
}

func (r *reference) note(from, to time.Time) {
	if to.Sub(from) < stallsFrom {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stalls = append(r.stalls, Window{Fault: "stall", From: from, To: to})
}

func (r *reference) all() []Window {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.stalls)
}

// since is how much time the machine has given since then.
func (r *reference) since(from time.Time) time.Duration {
	now := time.Now()
	return now.Sub(from) - overlap(r.all(), from, now)
}
