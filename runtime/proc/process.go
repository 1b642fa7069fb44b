package proc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

const (
	// killWait bounds the wait for killed processes. The kernel needs microseconds,
	// seconds at most when it has gigabytes to free.
	killWait = 3 * time.Second
	// drainWait bounds the wait for output once no process is left to write it.
	drainWait = time.Second
)

// Command is what to run. Nothing is inherited: what is not named here is not there.
type Command struct {
	Path           string   // of the executable
	Args           []string // without the command's own name
	Env            []string
	Dir            string
	Stdout, Stderr io.Writer  // each written by one goroutine; nil discards
	Files          []*os.File // descriptors from 3 on; the caller closes its copies
	Alone          bool       // it starts no process itself, so its group holds it as well as any shim
	Sealed         bool       // it has no capabilities, even as root, and can get none

	MemoryBytes int64 // of the whole tree, 0 is unbounded; needs Methods.Memory
	Processes   int64 // threads in the tree, 0 is unbounded; needs Methods.Processes
}

// Exit tells how a process ended, and what its tree used.
type Exit struct {
	Code        int            // -1 if a signal ended it
	Signal      syscall.Signal // 0 if it exited
	CPU         time.Duration
	PeakBytes   int64 // 0 if no control group measured it; rusage would tell this process's own size
	OutOfMemory bool  // the kernel killed in the tree because of MemoryBytes
	Survived    bool  // something outlived SIGKILL
}

// String says it in words, for messages.
func (e Exit) String() string {
	if e.Signal != 0 {
		return "signal: " + e.Signal.String()
	}
	return fmt.Sprintf("exit code %d", e.Code)
}

// Process is a started command and its descendants.
type Process struct {
	cmd     *exec.Cmd
	fence   fence
	readers []*os.File // our ends of the output pipes
	copies  sync.WaitGroup
	done    chan struct{}
	exit    Exit // written before done is closed
}

func startIn(f fence, c Command, s *spawner) (p *Process, err error) {
	cmd := exec.Command(c.Path, c.Args...)
	cmd.Env, cmd.Dir, cmd.ExtraFiles = c.Env, c.Dir, c.Files
	if cmd.Env == nil {
		cmd.Env = []string{} // nil would mean ours
	}
	cmd.WaitDelay = drainWait
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	p = &Process{cmd: cmd, fence: f, done: make(chan struct{})}

	var theirs []*os.File
	defer func() {
		closeAll(theirs)
		if err != nil {
			closeAll(p.readers)
			p.copies.Wait()
		}
	}()
	for _, pipe := range []struct {
		end  *io.Writer
		sink io.Writer
	}{{&cmd.Stdout, c.Stdout}, {&cmd.Stderr, c.Stderr}} {
		if pipe.sink == nil {
			continue
		}
		r, w, err := os.Pipe()
		if err != nil {
			return nil, err
		}
		p.readers, theirs = append(p.readers, r), append(theirs, w)
		*pipe.end = w
		p.copies.Go(func() { _, _ = io.Copy(pipe.sink, r) }) // ends with the last writer, or with r
	}
	err = s.run(func(t *thread) error { return f.start(cmd, t) })
	if err != nil && cmd.Process != nil { // it runs, but not as it should
		f.kill(cmd.Process.Pid)
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
	return p, err
}

// PID is the id of the command's own process, or of the shim around it.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Done is closed when no process of the tree is left (or [Exit.Survived] is set).
func (p *Process) Done() <-chan struct{} { return p.done }

// Exit tells how it ended, once Done is closed.
func (p *Process) Exit() Exit { return p.exit }

// Stop asks the process group to end. After the end it does nothing.
func (p *Process) Stop() { p.unlessDone(p.fence.stop) }

// Kill ends the whole tree. It does not wait. After the end it does nothing.
func (p *Process) Kill() { p.unlessDone(p.fence.kill) }

// unlessDone guards against signalling an id that the kernel has given to another.
func (p *Process) unlessDone(signal func(pid int)) {
	select {
	case <-p.done:
	default:
		signal(p.PID())
	}
}

// Wait waits for the end. When ctx is cancelled first, it stops the tree and, after the
// grace, kills it.
func (p *Process) Wait(ctx context.Context, grace time.Duration) Exit {
	select {
	case <-p.done:
		return p.exit
	case <-ctx.Done():
	}
	p.Stop()
	if p.endsWithin(grace) {
		return p.exit
	}
	p.Kill()
	if p.endsWithin(killWait + drainWait + time.Second) {
		return p.exit
	}
	return Exit{Code: -1, Signal: syscall.SIGKILL, Survived: true}
}

func (p *Process) endsWithin(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-p.done:
		return true
	case <-timer.C:
		return false
	}
}

// reap waits for the command, then clears away what it left.
func (p *Process) reap() {
	err := p.cmd.Wait()
	p.exit = exitOf(p.cmd.ProcessState, err)
	p.fence.kill(p.PID())
	p.exit.Survived = !eventually(killWait, p.fence.empty)
	p.drain()
	p.fence.measure(&p.exit)
	_ = p.fence.remove() // a fence that something survives in is cleared by a later Supervisor
	close(p.done)
}

// drain waits for the output to be read to its end.
func (p *Process) drain() {
	deadline := time.Now().Add(drainWait)
	for _, r := range p.readers {
		_ = r.SetReadDeadline(deadline) // pipes take deadlines
	}
	p.copies.Wait()
	closeAll(p.readers)
}

func exitOf(state *os.ProcessState, err error) Exit {
	if state == nil {
		return Exit{Code: -1, Survived: errors.Is(err, exec.ErrWaitDelay)}
	}
	exit := Exit{Code: state.ExitCode(), CPU: state.UserTime() + state.SystemTime()}
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		exit.Signal = status.Signal()
	}
	return exit
}

// eventually polls cond, more and more slowly, until it holds or the time is up.
func eventually(limit time.Duration, cond func() bool) bool {
	deadline := time.Now().Add(limit)
	for pause := 50 * time.Microsecond; ; pause = min(2*pause, 20*time.Millisecond) {
		if cond() {
			return true
		}
		if time.Now().After(deadline) {
			return false
		}
		time.Sleep(pause)
	}
}

func closeAll(files []*os.File) {
	for _, f := range files {
		_ = f.Close()
	}
}
