package proc

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// shimFailed is the exit code of a shim that could not start its command, the one that
// shells use.
const shimFailed = 127

// Shim is the main function of the process that stands between a Supervisor and a
// command where control groups cannot be had: it adopts every descendant that loses its
// parent, and kills them all when the command has ended, when the control pipe is
// closed, or when the Supervisor's process is gone. It returns the command's exit code.
//
// args are the control pipe's descriptor, the limit on processes, the command and its
// arguments. Descriptors between 3 and the control pipe are passed on.
func Shim(args []string) int {
	s, err := newShim(args)
	if err == nil {
		var status unix.WaitStatus
		if status, err = s.run(); err == nil {
			return mimic(status)
		}
	}
	fmt.Fprintln(os.Stderr, err)
	return shimFailed
}

type shim struct {
	control   *os.File
	processes uint64
	command   []string
	child     int
}

func newShim(args []string) (*shim, error) {
	if len(args) < 3 {
		return nil, errors.New("shim: control descriptor, process limit and command expected")
	}
	fd, err := strconv.Atoi(args[0])
	if err != nil || fd < 3 {
		return nil, fmt.Errorf("shim: bad control descriptor %q", args[0])
	}
	processes, err := strconv.ParseUint(args[1], 10, 63)
	if err != nil {
		return nil, fmt.Errorf("shim: read process limit: %w", err)
	}
	unix.CloseOnExec(fd)
	return &shim{control: os.NewFile(uintptr(fd), "control"), processes: processes, command: args[2:]}, nil
}

func (s *shim) run() (unix.WaitStatus, error) {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return 0, fmt.Errorf("become sub-reaper: %w", err)
	}
	signals := make(chan os.Signal, 8) // enough for one of each that is asked for
	signal.Notify(signals, unix.SIGTERM, unix.SIGINT, unix.SIGHUP, unix.SIGCHLD)
	if err := s.start(); err != nil {
		return 0, err
	}
	abandoned := make(chan struct{})
	go func() {
		_, _ = io.Copy(io.Discard, s.control)
		close(abandoned)
	}()
	for {
		if status, ended := s.collect(); ended {
			s.killAll()
			return status, nil
		}
		select {
		case sig := <-signals:
			if sig != unix.SIGCHLD {
				_ = unix.Kill(-s.child, sig.(syscall.Signal))
			}
		case <-abandoned:
			s.killAll()
			return unix.WaitStatus(unix.SIGKILL), nil
		}
	}
}

// start runs the command in a process group of its own. The limit is set before the
// fork, so that the command starts with it, and made final afterwards.
func (s *shim) start() error {
	path, err := exec.LookPath(s.command[0])
	if err != nil {
		return fmt.Errorf("shim: %w", err)
	}
	limit := unix.Rlimit{}
	old := unix.Rlimit{}
	if s.processes > 0 && unix.Getrlimit(unix.RLIMIT_NPROC, &old) == nil {
		limit = old
		limit.Cur = min(old.Max, s.processes+threadsOnMachine())
		_ = unix.Setrlimit(unix.RLIMIT_NPROC, &limit)
		defer func() { _ = unix.Setrlimit(unix.RLIMIT_NPROC, &old) }()
	}
	files := make([]uintptr, int(s.control.Fd()))
	for i := range files {
		files[i] = uintptr(i)
	}
	s.child, err = syscall.ForkExec(path, s.command, &syscall.ProcAttr{
		Env:   os.Environ(),
		Files: files,
		Sys:   &syscall.SysProcAttr{Setpgid: true},
	})
	if err != nil {
		return fmt.Errorf("start %s: %w", path, err)
	}
	if limit.Cur > 0 {
		limit.Max = limit.Cur
		_ = unix.Prlimit(s.child, unix.RLIMIT_NPROC, &limit, nil)
	}
	return nil
}

// collect reaps what has ended and tells whether the command is among it.
func (s *shim) collect() (status unix.WaitStatus, ended bool) {
	for {
		var st unix.WaitStatus
		pid, err := unix.Wait4(-1, &st, unix.WNOHANG, nil)
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil || pid == 0:
			return status, ended
		case pid == s.child:
			status, ended = st, true
		}
	}
}

// killAll kills all descendants until none is left. The kernel does it for the first
// process of a namespace.
func (s *shim) killAll() {
	if os.Getpid() == 1 {
		return
	}
	eventually(killWait, func() bool {
		for _, pid := range descendants(os.Getpid()) {
			_ = unix.Kill(pid, unix.SIGKILL)
		}
		for {
			pid, err := unix.Wait4(-1, nil, unix.WNOHANG, nil)
			if errors.Is(err, unix.ECHILD) {
				return true
			}
			if pid == 0 || err != nil && !errors.Is(err, unix.EINTR) {
				return false
			}
		}
	})
}

// mimic ends this process as the command ended, or gives the exit code for it.
func mimic(status unix.WaitStatus) int {
	if !status.Signaled() {
		return status.ExitStatus()
	}
	signal.Reset()
	_ = unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{})
	_ = unix.Kill(os.Getpid(), status.Signal())
	time.Sleep(10 * time.Millisecond) // for the signal to arrive; the first process of a namespace gets none
	return 128 + int(status.Signal())
}

// threadsOnMachine counts them, as the base to which a limit is added: the kernel counts
// all threads of a user, not only those of a tree.
func threadsOnMachine() uint64 {
	load, err := os.ReadFile("/proc/loadavg") // 0.20 0.18 0.12 1/80 11206
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(load))
	if len(fields) < 4 {
		return 0
	}
	_, total, _ := strings.Cut(fields[3], "/")
	n, err := strconv.ParseUint(total, 10, 32)
	if err != nil {
		return 0
	}
	return n
}

// descendants lists the processes below root, nearest first.
func descendants(root int) []int {
	children := make(map[int][]int)
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	for _, entry := range entries {
		if pid, err := strconv.Atoi(entry.Name()); err == nil {
			if parent, ok := parentOf(pid); ok {
				children[parent] = append(children[parent], pid)
			}
		}
	}
	found := children[root]
	for i := 0; i < len(found); i++ {
		found = append(found, children[found[i]]...)
	}
	return found
}

func parentOf(pid int) (parent int, ok bool) {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0, false
	}
	// The name in parentheses may hold anything, so fields are counted from its end.
	_, rest, found := strings.Cut(string(stat[max(strings.LastIndexByte(string(stat), ')'), 0):]), ") ")
	fields := strings.Fields(rest)
	if !found || len(fields) < 2 {
		return 0, false
	}
	parent, err = strconv.Atoi(fields[1])
	return parent, err == nil
}
