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
	return newSession(p.engine, w, req).serve(ctx)
}

// take gives a warm worker or starts one, and has the pool filled up again.
func (p *program) take(ctx context.Context) (*process, error) {
	if w := p.engine.pool.take(p.src.Key); w != nil {
		p.engine.pool.refill(p.src)
		return w, nil
	}
	w, err := p.engine.start(ctx, p.src)
	if err == nil {
		p.engine.pool.refill(p.src)
	}
	return w, err
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
