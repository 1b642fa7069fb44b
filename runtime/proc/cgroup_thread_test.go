package proc

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	goruntime "runtime"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// SpawnOnFirstThread makes the test binary run OpenBesideSpawn.
const SpawnOnFirstThread = "__spawn_on_first_thread"

// The groups of one Supervisor must not be made in a run of another one of the same
// process: they would go with that run.
func TestOpenCgroups_BesideASpawn(t *testing.T) {
	t.Parallel()
	exe, err := os.Executable()
	require.NoError(t, err)
	out, err := exec.CommandContext(t.Context(), exe, SpawnOnFirstThread).CombinedOutput()
	require.NoError(t, err, "%s", out)
}

// OpenBesideSpawn opens groups while the process's first thread is in that of a run, as
// a spawner is for the moment of a fork. It returns an exit code.
func OpenBesideSpawn() int {
	for {
		done := make(chan error)
		go func() {
			goruntime.LockOSThread() // another thread than the first ends with its goroutine
			done <- openBesideSpawn()
		}()
		switch err := <-done; {
		case err == nil:
			return 0
		case !errors.Is(err, errOtherThread):
			fmt.Println(err)
			return 1
		}
	}
}

var errOtherThread = errors.New("this is not the process's first thread")

func openBesideSpawn() (err error) {
	if unix.Gettid() != os.Getpid() {
		return errOtherThread
	}
	one, err := openCgroups()
	if err != nil {
		fmt.Println("this machine has no control groups:", err)
		return nil
	}
	defer func() { err = errors.Join(err, one.close()) }()
	run, err := one.make(0, 0)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, run.remove()) }()
	tid := strconv.Itoa(unix.Gettid())
	for _, d := range run.dirs {
		if d.tree.version2 {
			continue // threads cannot leave their process there
		}
		if err := write(d.path, "tasks", tid); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, write(d.tree.home, "tasks", tid)) }()
	}
	opened := make(chan error)
	go func() { opened <- openAgain(one) }()
	return <-opened
}

// openAgain opens groups and tells whether they are at another place than the first.
func openAgain(first *cgroups) error {
	other, err := openCgroups()
	if err != nil {
		return err
	}
	for i, h := range other.trees {
		if home := first.trees[i].home; h.home != home {
			err = errors.Join(err, fmt.Errorf("made in %s, not in %s", h.home, home))
		}
	}
	return errors.Join(err, other.close())
}
