package worker

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/gluewheel/gluewheel/runtime"
)

// program is a source that a worker has compiled at least once.
type program struct {
	engine *Engine
	src    runtime.Source
	closed sync.Once
}

// Close ends the warm workers of the program, and those still being made for it.
func (p *program) Close() error {
	p.closed.Do(func() { p.engine.pool.release(p.src.Key) })
	return nil
}

// Run implements [runtime.Program].
func (p *program) Run(ctx context.Context, req runtime.Request) runtime.Result {
	started := time.Now()
	result := p.run(ctx, req)
	result.Usage.Wall = time.Since(started)
	return result
}

func (p *program) run(ctx context.Context, req runtime.Request) runtime.Result {
	select {
	case p.engine.slots <- struct{}{}:
		defer func() { <-p.engine.slots }()
	case <-ctx.Done():
		return runtime.Stopped(ctx, "no worker was free")
	}
	w, err := p.take(ctx)
	if err != nil {
		return loadFailure(ctx, err)
	}
	refill := time.AfterFunc(refillDelay, func() { p.engine.pool.refill(p.src) })
	result := newSession(p.engine, w, req).serve(ctx)
	p.engine.ends.count(result.Kind)
	if refill.Stop() {
		p.engine.pool.refill(p.src)
	}
	return result
}

// refillDelay is how long the worker that takes this one's place is put off: starting it
// costs some ms of processor, which a short run, of less than that, had better have.
const refillDelay = 20 * time.Millisecond

// take gives a warm worker or starts one.
func (p *program) take(ctx context.Context) (*process, error) {
	if w := p.engine.pool.take(p.src.Key); w != nil {
		return w, nil
	}
	return p.engine.start(ctx, p.src, cold)
}

func loadFailure(ctx context.Context, err error) runtime.Result {
	if ctx.Err() != nil {
		return runtime.Stopped(ctx, "the program was still loading")
	}
	if invalid, ok := errors.AsType[*runtime.InvalidError](err); ok {
		return runtime.Result{Kind: runtime.Invalid, Message: invalid.Message}
	}
	return runtime.Result{Kind: runtime.HostError, Message: err.Error()}
}
