package worker

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/gluewheel/gluewheel/runtime"
	"github.com/gluewheel/gluewheel/runtime/frame"
	"github.com/gluewheel/gluewheel/runtime/proc"
)

const (
	// ownBytes is what a worker itself needs beside its guest: binary, heap, stacks.
	ownBytes = 64 << 20
	// bytesPerByte is what a worker needs for a byte of its program: compiling Lua or
	// WebAssembly took 13 bytes, measured on modules of 3 and 11 MB.
	bytesPerByte = 20
	// ownThreads bounds a worker's threads; Go needs about a dozen.
	ownThreads = 64
	// loadWait bounds starting and compiling. The largest modules take seconds.
	loadWait = 30 * time.Second
	// endWait bounds the wait for a killed worker.
	endWait = 5 * time.Second
)

// environment is all that a worker gets, and it forgets even that. Two threads suffice:
// one for the guest, one for the collector and the frames.
func environment() []string { return []string{"GOMAXPROCS=2", "GOTRACEBACK=single"} }

// process is a worker that has loaded a program.
type process struct {
	src    runtime.Source
	proc   *proc.Process
	socket *os.File
	conn   *frame.Conn
	stderr *tail
	found  frame.Inspection // by loading
	ready  time.Time        // when it was done loading
	bytes  int64            // what it takes in the pool
}

// warmth says whether a worker is made for the pool.
type warmth bool

const (
	warm warmth = true
	cold warmth = false // its run waits for it
)

// start starts a worker and has it load src. A program that cannot be run is a
// *[runtime.InvalidError].
func (e *Engine) start(ctx context.Context, src runtime.Source, w warmth) (*process, error) {
	p, err := e.spawn(src)
	if err != nil {
		return nil, fmt.Errorf("start worker: %w", err)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, loadWait, fmt.Errorf("loading took over %v", loadWait))
	defer cancel()
	hangUp := context.AfterFunc(ctx, p.proc.Kill) // the reads below end with the worker
	ready, err := p.load(e.cfg, w)
	hangUp()
	switch {
	case err != nil && ctx.Err() != nil:
		e.ends.loading.Add(1)
		err = fmt.Errorf("load program: %w", context.Cause(ctx))
	case err != nil:
		err = e.diedLoading(p, err)
	case ready.Invalid != nil:
		err = ready.Invalid
	case ready.Failure != "":
		err = errors.New(ready.Failure)
	}
	if err != nil {
		p.end()
		return nil, err
	}
	if ready.Unfenced != "" {
		e.unfenced.Do(func() { e.log.Warn("workers lack a fence", "reason", ready.Unfenced) })
	}
	p.found, p.ready = ready.Inspection, time.Now()
	return p, nil
}

func (e *Engine) spawn(src runtime.Source) (*process, error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		return nil, fmt.Errorf("make socket: %w", err)
	}
	ours, theirs := os.NewFile(uintptr(fds[0]), "worker"), os.NewFile(uintptr(fds[1]), "supervisor")
	defer theirs.Close()
	p := &process{src: src, socket: ours, conn: frame.New(ours, frame.MaxToSupervisor), stderr: &tail{}}
	p.proc, err = e.proc.Start(proc.Command{
		Path:        e.cfg.Exe,
		Args:        []string{"__worker"},
		Env:         environment(),
		Dir:         "/",
		Stderr:      p.stderr,
		Files:       []*os.File{theirs},
		Alone:       true,
		Sealed:      true,
		MemoryBytes: bound(src),
		Processes:   ownThreads,
	})
	if err != nil {
		return nil, errors.Join(err, ours.Close())
	}
	e.starts.Add(1)
	return p, nil
}

// bound is the memory that a worker for src may have, its guest's included.
func bound(src runtime.Source) int64 {
	return src.Limits.MemoryBytes + ownBytes + bytesPerByte*int64(len(src.Code))
}

func (p *process) load(cfg Config, w warmth) (ready frame.ReadyBody, err error) {
	err = p.conn.Send(frame.Load, frame.LoadBody{
		Type:        p.src.Type,
		Name:        p.src.Name,
		MemoryBytes: p.src.Limits.MemoryBytes,
		CacheDir:    cfg.CacheDir,
		Warm:        bool(w),
	})
	if err == nil {
		err = p.conn.Write(frame.Code, p.src.Code)
	}
	if err == nil {
		err = p.conn.Expect(frame.Ready, &ready)
	}
	return ready, err
}

// diedLoading explains why a worker ended instead of answering: the program was too
// much for it, or the worker itself is at fault.
func (e *Engine) diedLoading(p *process, err error) error {
	exit, ended := p.kill()
	if ended && (outgrew(exit, p.stderr.String()) || strings.Contains(p.stderr.String(), stackOverflow)) {
		e.ends.memory.Add(1)
		return &runtime.InvalidError{Message: "the program takes more memory to compile than its worker has"}
	}
	e.ends.crash.Add(1)
	return fmt.Errorf("load program: worker ended with %s: %s: %w", exit, p.stderr.firstLine(), err)
}

// kill ends the worker and waits for its end, with a bound.
func (p *process) kill() (exit proc.Exit, ended bool) {
	p.proc.Kill()
	timer := time.NewTimer(endWait)
	defer timer.Stop()
	select {
	case <-p.proc.Done():
		return p.proc.Exit(), true
	case <-timer.C:
		return proc.Exit{Code: -1, Survived: true}, false
	}
}

// end kills the worker without waiting; the process supervisor does that.
func (p *process) end() {
	p.proc.Kill()
	_ = p.socket.Close() // nothing of value is on its way
}

// alive reports whether a waiting worker can still be used.
func (p *process) alive() bool {
	select {
	case <-p.proc.Done():
		return false
	default:
		return true
	}
}

// tail keeps the beginning of what a worker writes to its standard error, which is
// where the Go runtime says why it ends; a stack trace follows.
type tail struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

const maxTail = 8 << 10

// Write implements io.Writer.
func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.buf.Write(b[:min(len(b), max(maxTail-t.buf.Len(), 0))])
	return len(b), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.buf.String()
}

func (t *tail) firstLine() string {
	line, _, _ := strings.Cut(t.String(), "\n")
	return line
}
