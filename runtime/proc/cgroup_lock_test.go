package proc

import (
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// Supervisors that start together do not lose the groups that they make to those of them
// that clear what was left behind. Directories stand for control groups here.
func TestHierarchy_OpensBesideOthersThatClear(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	var clearing, opening sync.WaitGroup
	stop := make(chan struct{})
	for range 4 {
		clearing.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					clearStale(home)
				}
			}
		})
	}
	for i := range 8 {
		opening.Go(func() {
			for j := range 25 {
				h := hierarchy{home: home}
				if err := h.open(basePrefix + string(rune('a'+i)) + string(rune('a'+j))); err != nil {
					t.Errorf("open: %v", err)
					return
				}
				if _, err := os.Stat(h.base); err != nil {
					t.Errorf("it was removed: %v", err)
				}
				if err := h.lock.Close(); err != nil {
					t.Errorf("unlock: %v", err)
				}
			}
		})
	}
	opening.Wait()
	close(stop)
	clearing.Wait()
	clearStale(home)
	left, err := os.ReadDir(home)
	require.NoError(t, err)
	require.Empty(t, left)
}

// A run that made control groups of its own, as another gluewheel would, must not leave a
// group that each later start tries to remove for seconds.
func TestClearStale_TakesWhatRunsMadeBelow(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(home, basePrefix+"old", "run-2", basePrefix+"inner", "run-1"), 0o755))
	clearStale(home)
	left, err := os.ReadDir(home)
	require.NoError(t, err)
	require.Empty(t, left)
}
