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

// OnFirstThread makes the test binary run DoOnFirstThread.
const OnFirstThread = "__on_first_thread"

// The groups of one Supervisor must not be made in a run of another one of the same
// process: they would go with that run.
func TestOpenCgroups_BesideASpawn(t *testing.T) {
	t.Parallel()
	doOnFirstThread(t, "open")
}

// A spawner's thread gets no network: the process's first thread has to keep its own.
func TestOffFirstThread(t *testing.T) {
	t.Parallel()
	doOnFirstThread(t, "leave")
}

func doOnFirstThread(t *testing.T, what string) {
	t.Helper()
	exe, err := os.Executable()
	require.NoError(t, err)
	out, err := exec.CommandContext(t.Context(), exe, OnFirstThread, what).CombinedOutput()
	require.NoError(t, err, "%s", out)
}

// DoOnFirstThread returns an exit code.
func DoOnFirstThread(what string) int {
	do := map[string]func() error{"open": openBesideSpawn, "leave": leaveFirstThread}[what]
	for {
		done := make(chan error)
		go func() {
			goruntime.LockOSThread() // another thread than the first ends with its goroutine
			if unix.Gettid() != os.Getpid() {
				done <- errOtherThread
				return
			}
			done <- do()
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

func leaveFirstThread() (err error) {
	offFirstThread(func() {
		if unix.Gettid() == os.Getpid() {
			err = errors.New("it is called on the first thread")
		}
	})
	return err
}

var errOtherThread = errors.New("this is not the process's first thread")

// openBesideSpawn opens groups while the process's first thread is in that of a run, as
// a spawner is for the moment of a fork.
func openBesideSpawn() (err error) {
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
