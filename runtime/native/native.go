// Package native runs job handlers that are Go functions of this process.
//
// A handler is stopped by its context alone. One that ignores it cannot be killed: its
// run ends after the grace all the same, its goroutine is left behind and counted (see
// [Engine.Abandoned]), and the message says so. Panics become failed results that carry
// the stack.
package native

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gluewheel/gluewheel/runtime"
)

// Type is the glue type of native handlers.
const Type = "BEAN"

// Errors of [Engine.Register].
var (
	ErrDuplicate = errors.New("handler is registered already")
	ErrUnnamed   = errors.New("handler needs a name and a function")
)

// Func is a handler. What it returns is the run's message; an error makes the run fail.
type Func func(ctx context.Context, req runtime.Request) (message string, err error)

// Engine holds the registered handlers.
type Engine struct {
	abandoned atomic.Int64

	mu    sync.RWMutex
	funcs map[string]Func
}

var _ runtime.Engine = (*Engine)(nil)

// New makes an engine without handlers.
func New() *Engine { return &Engine{funcs: make(map[string]Func)} }

// Register adds a handler. A name can be taken once.
func (e *Engine) Register(name string, fn Func) error {
	if name == "" || fn == nil {
		return fmt.Errorf("register handler %q: %w", name, ErrUnnamed)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if _, taken := e.funcs[name]; taken {
		return fmt.Errorf("register handler %q: %w", name, ErrDuplicate)
	}
	e.funcs[name] = fn
	return nil
}

// Names lists the handlers in alphabetical order.
func (e *Engine) Names() []string {
	e.mu.RLock()
	defer e.mu.RUnlock()
	return slices.Sorted(maps.Keys(e.funcs))
}

// Abandoned counts the handlers that still run although their run has ended.
func (e *Engine) Abandoned() int64 { return e.abandoned.Load() }

// Types implements [runtime.Engine].
func (e *Engine) Types() []string { return []string{Type} }

// Prepare finds the handler that src names.
func (e *Engine) Prepare(_ context.Context, src runtime.Source) (runtime.Program, error) {
	e.mu.RLock()
	defer e.mu.RUnlock()
	fn, ok := e.funcs[src.Name]
	if !ok {
		return nil, &runtime.InvalidError{Message: fmt.Sprintf("job handler [%s] not found.", src.Name)}
	}
	return &program{engine: e, src: src, fn: fn}, nil
}

// Close has nothing to free: running handlers end with their own contexts.
func (e *Engine) Close() error { return nil }

type program struct {
	engine *Engine
	src    runtime.Source
	fn     Func
}

func (p *program) Close() error { return nil }

func (p *program) Run(ctx context.Context, req runtime.Request) runtime.Result {
	started := time.Now()
	out := runtime.NewOutput(p.src.Limits.LogBytes, req.Log)
	req.Log = out.Line
	if req.Progress == nil {
		req.Progress = func(float64, string) {}
	}

	result := p.await(ctx, p.start(ctx, req))
	result.Usage = runtime.Usage{Wall: time.Since(started), LogBytes: out.Bytes()}
	return result
}

// attempt is one call of a handler, on its own goroutine because nothing but the
// handler itself can end it.
type attempt struct {
	done chan runtime.Result // one place: the goroutine never waits for a reader
	left atomic.Bool         // either side sets it first: the handler's end, or the run's
}

func (p *program) start(ctx context.Context, req runtime.Request) *attempt {
	a := &attempt{done: make(chan runtime.Result, 1)}
	go func() {
		result := runtime.Result{Kind: runtime.Failed, Message: fmt.Sprintf("handler [%s] ended its goroutine", p.src.Name)}
		defer func() {
			a.done <- result
			if !a.left.CompareAndSwap(false, true) {
				p.engine.abandoned.Add(-1)
			}
		}()
		result = p.call(ctx, req)
	}()
	return a
}

func (p *program) await(ctx context.Context, a *attempt) runtime.Result {
	select {
	case result := <-a.done:
		if _, stopped := runtime.KindOf(ctx); stopped {
			return runtime.Stopped(ctx, "")
		}
		return result
	case <-ctx.Done():
	}
	grace := p.src.Limits.GraceTime()
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case <-a.done:
		return runtime.Stopped(ctx, "")
	case <-timer.C:
	}
	p.engine.abandoned.Add(1)
	if !a.left.CompareAndSwap(false, true) {
		p.engine.abandoned.Add(-1) // it ended at the last moment
		return runtime.Stopped(ctx, "")
	}
	return runtime.Stopped(ctx, fmt.Sprintf(
		"handler [%s] ignores its context and is still running %v after it was asked to stop", p.src.Name, grace))
}

func (p *program) call(ctx context.Context, req runtime.Request) (result runtime.Result) {
	defer func() {
		if cause := recover(); cause != nil {
			req.Log(fmt.Sprintf("panic: %v\n%s", cause, debug.Stack()))
			result = runtime.Result{Kind: runtime.Failed, Message: fmt.Sprintf("handler [%s] panicked: %v", p.src.Name, cause)}
		}
	}()
	message, err := p.fn(ctx, req)
	if err != nil {
		return runtime.Result{Kind: runtime.Failed, Message: err.Error()}
	}
	return runtime.Result{Kind: runtime.Succeeded, Message: message}
}
