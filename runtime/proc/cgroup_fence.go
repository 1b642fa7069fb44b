package proc

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// cgroupFence is the control group of one run: a directory in each hierarchy.
type cgroupFence struct {
	dirs []groupDir
}

type groupDir struct {
	path string
	tree *hierarchy
}

// start has the kernel put the child into the group of version 2 as it is made, and
// takes the spawner's thread into those of version 1 for the moment of the fork, since
// children inherit these. Either way the command is inside from its first instruction.
func (f *cgroupFence) start(cmd *exec.Cmd, t *thread) (err error) {
	for _, d := range f.dirs {
		if d.tree.version2 {
			dir, err := os.Open(d.path)
			if err != nil {
				return err
			}
			defer dir.Close()
			cmd.SysProcAttr.UseCgroupFD, cmd.SysProcAttr.CgroupFD = true, int(dir.Fd())
			continue
		}
		if err := write(d.path, "tasks", t.id); err != nil {
			return fmt.Errorf("enter control group: %w", err)
		}
		defer func() {
			if back := write(d.tree.home, "tasks", t.id); back != nil {
				err = errors.Join(err, fmt.Errorf("leave control group: %w", back))
			}
		}()
	}
	return cmd.Start()
}

func (f *cgroupFence) stop(pid int) { _ = unix.Kill(-pid, unix.SIGTERM) }

func (f *cgroupFence) kill(int) { killGroup(f.main()) }

// empty kills again what it finds: where the kernel cannot kill a group at once, a fork
// may have escaped the first time.
func (f *cgroupFence) empty() bool {
	dir := f.main()
	if events := read(dir, "cgroup.events"); events != "" {
		return strings.Contains(events, "populated 0")
	}
	if strings.TrimSpace(read(dir, "cgroup.procs")) == "" {
		return true
	}
	killGroup(dir)
	return false
}

// main is the directory by which processes are killed: version 2's where there is one.
func (f *cgroupFence) main() string {
	for _, d := range f.dirs {
		if d.tree.version2 {
			return d.path
		}
	}
	return f.dirs[0].path
}

func (f *cgroupFence) measure(exit *Exit) {
	for _, d := range f.dirs {
		if d.tree.version2 {
			if usec := value(read(d.path, "cpu.stat"), "usage_usec"); usec > 0 {
				exit.CPU = time.Duration(usec) * time.Microsecond
			}
		}
		if !d.tree.has("memory") {
			continue
		}
		peak, events := "memory.max_usage_in_bytes", "memory.oom_control"
		if d.tree.version2 {
			peak, events = "memory.peak", "memory.events"
		}
		if bytes, err := strconv.ParseInt(strings.TrimSpace(read(d.path, peak)), 10, 64); err == nil {
			exit.PeakBytes = bytes
		}
		exit.OutOfMemory = value(read(d.path, events), "oom_kill") > 0
	}
}

func (f *cgroupFence) remove() error {
	var errs []error
	for _, d := range f.dirs {
		errs = append(errs, removeGroup(d.path))
	}
	return errors.Join(errs...)
}

// value finds "key number" in a control file, 0 if it is not there.
func value(file, key string) int64 {
	for line := range strings.Lines(file) {
		if k, v, _ := strings.Cut(strings.TrimSpace(line), " "); k == key {
			n, _ := strconv.ParseInt(v, 10, 64)
			return n
		}
	}
	return 0
}
