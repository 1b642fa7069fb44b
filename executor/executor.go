package executor

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/gluewheel/gluewheel/runtime"
	"github.com/gluewheel/gluewheel/runtime/native"
)

// ErrRunning: Run was called before.
var ErrRunning = errors.New("executor runs already, or has ended")

// Executor takes triggers from admins, runs them and reports.
type Executor struct {
	cfg    Config
	native *native.Engine
	ready  chan struct{} // closed when it listens

	mu      sync.Mutex // guards what follows
	started bool
	addr    string
	address string
	node    *node // nil before Ready
}

// New checks the configuration. Nothing is opened before Run.
func New(cfg Config) (*Executor, error) {
	if err := cfg.check(); err != nil {
		return nil, fmt.Errorf("executor: %w", err)
	}
	cfg.fill()
	return &Executor{cfg: cfg, native: native.New(), ready: make(chan struct{})}, nil
}

// Handler runs one trigger. An error makes the run fail with its text; a panic does so
// with its stack in the log. ctx ends with a kill, the job's timeout or the executor's
// stop: a handler that goes on regardless is left behind and reported.
type Handler func(ctx context.Context, job *Job) error

// Handle registers a handler under the name that jobs give as their JobHandler. A name
// can be taken once. Handlers are registered before Run, so that the admin is told.
func (e *Executor) Handle(name string, h Handler) error {
	if h == nil {
		return e.native.Register(name, nil)
	}
	return e.native.Register(name, func(ctx context.Context, req runtime.Request) (string, error) {
		job := newJob(req)
		err := h(ctx, job)
		return job.resultText(), err
	})
}

// Run takes triggers until ctx ends, then stops as the package comment says. It returns
// once everything it started has ended, and can be called once.
func (e *Executor) Run(ctx context.Context) error {
	e.mu.Lock()
	started := e.started
	e.started = true
	e.mu.Unlock()
	if started {
		return ErrRunning
	}
	n, err := openNode(e)
	if err != nil {
		return fmt.Errorf("start executor %s: %w", e.cfg.AppName, err)
	}
	return n.run(ctx)
}

// Ready is closed once triggers are taken.
func (e *Executor) Ready() <-chan struct{} { return e.ready }

// Addr is where it listens, host:port; empty before Ready.
func (e *Executor) Addr() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.addr
}

// Address is what the admin is told; empty before Ready.
func (e *Executor) Address() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.address
}

func (e *Executor) listening(n *node) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.addr, e.address, e.node = n.ln.Addr().String(), n.address, n
	close(e.ready)
}
