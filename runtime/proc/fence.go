package proc

import (
	"errors"
	"os"
	"os/exec"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// fence holds the processes of one run together.
type fence interface {
	// start starts cmd inside, called on the spawner's thread.
	start(cmd *exec.Cmd, t *thread) error
	// stop asks for the end, kill ends all; both may come at any time and repeatedly.
	stop(pid int)
	kill(pid int)
	// empty reports whether no process is left.
	empty() bool
	// measure adds what the fence knows to exit.
	measure(exit *Exit)
	// remove takes the empty fence down.
	remove() error
}

// groupFence is a process group: the least that always works.
type groupFence struct{}

func (groupFence) start(cmd *exec.Cmd, _ *thread) error { return cmd.Start() }
func (groupFence) stop(pid int)                         { _ = unix.Kill(-pid, unix.SIGTERM) }
func (groupFence) kill(pid int)                         { _ = unix.Kill(-pid, unix.SIGKILL) }
func (groupFence) empty() bool                          { return true }
func (groupFence) measure(*Exit)                        {}
func (groupFence) remove() error                        { return nil }

// shimFence is a process of our own around the command, see [Shim].
type shimFence struct {
	command   []string
	namespace bool
	processes int64
	control   *os.File // closing it makes the shim kill all; it is closed when we die, too
}

func (f *shimFence) start(cmd *exec.Cmd, _ *thread) error {
	if _, err := exec.LookPath(cmd.Path); err != nil { // the shim could only exit
		return err
	}
	theirs, ours, err := os.Pipe()
	if err != nil {
		return err
	}
	defer theirs.Close()
	f.control = ours
	// The shim finds the control pipe behind the files that the command inherits.
	args := append(f.command[:len(f.command):len(f.command)],
		strconv.Itoa(3+len(cmd.ExtraFiles)), strconv.FormatInt(f.processes, 10), cmd.Path)
	cmd.ExtraFiles = append(cmd.ExtraFiles[:len(cmd.ExtraFiles):len(cmd.ExtraFiles)], theirs)
	cmd.Args = append(args, cmd.Args[1:]...)
	cmd.Path = f.command[0]
	cmd.SysProcAttr.Pdeathsig = 0 // it must live to kill the others
	if f.namespace {
		cmd.SysProcAttr.Cloneflags |= unix.CLONE_NEWPID
		cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL // the kernel kills the others
	}
	return cmd.Start()
}

func (f *shimFence) stop(pid int) { _ = unix.Kill(pid, unix.SIGTERM) }

func (f *shimFence) kill(pid int) {
	if f.namespace {
		_ = unix.Kill(pid, unix.SIGKILL)
	}
	_ = f.control.Close()
}

func (f *shimFence) empty() bool   { return true } // the shim ends last
func (f *shimFence) measure(*Exit) {}

func (f *shimFence) remove() error {
	if f.control == nil {
		return nil
	}
	if err := f.control.Close(); err != nil && !errors.Is(err, os.ErrClosed) {
		return err
	}
	return nil
}

func superuser() bool { return unix.Geteuid() == 0 }
