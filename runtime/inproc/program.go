package inproc

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/tetratelabs/wazero"

	"github.com/gluewheel/gluewheel/runtime"
	"github.com/gluewheel/gluewheel/runtime/broker"
	"github.com/gluewheel/gluewheel/runtime/hostapi"
	"github.com/gluewheel/gluewheel/runtime/wasm"
)

// program is a module with checks, compiled.
type program struct {
	engine *Engine
	src    runtime.Source
	cache  wazero.CompilationCache
	kept   *wasm.Guest // never runs; as long as it is there, the cache holds the code
	going  sync.WaitGroup
}

// warning is the first line of each run's log.
const warning = "[WARN] isolation inproc: this module runs inside the executor's own process, without most of the sandbox"

// endWait is what a run gets beyond its grace to come to a check: the longest that
// wazero's own functions take, such as filling the whole memory.
const endWait = time.Second

var errCPU = errors.New("the job used up its CPU time")

// load makes a guest for one run from the code in the cache.
func (p *program) load(ctx context.Context) (*wasm.Guest, error) {
	return wasm.Load(ctx, p.src.Code, wasm.Options{MemoryBytes: p.src.Limits.MemoryBytes, Cache: p.cache})
}

// Close frees the machine code once runs that were given up on have ended, too.
func (p *program) Close() error {
	ended := make(chan struct{})
	go func() { p.going.Wait(); close(ended) }()
	select {
	case <-ended:
	case <-time.After(endWait):
		return errors.New("close module: a run in this process has not ended; its machine code is kept")
	}
	ctx := context.Background() // freeing memory waits for nothing
	return errors.Join(p.kept.Close(ctx), p.cache.Close(ctx))
}

// Run implements [runtime.Program].
func (p *program) Run(ctx context.Context, req runtime.Request) runtime.Result {
	started := time.Now()
	out := runtime.NewOutput(p.src.Limits.LogBytes, req.Log)
	out.Line(warning)
	select {
	case p.engine.slots <- struct{}{}:
		defer func() { <-p.engine.slots }()
	case <-ctx.Done():
		return runtime.Stopped(ctx, "no place was free to run in this process")
	}
	r := p.begin(ctx, req, out)
	result := r.await(ctx, p.src.Limits)
	result.Message = out.Masked(result.Message)
	result.Usage.Wall, result.Usage.LogBytes, result.Usage.HostCalls = time.Since(started), out.Bytes(), r.host.Calls()
	return result
}

// run is one run of a guest on a goroutine of its own.
type run struct {
	host *hostapi.Host
	soft chan struct{} // closed to ask the guest to end
	hard context.CancelCauseFunc
	done chan runtime.Result // one place: the goroutine never waits for a reader
}

func (p *program) begin(ctx context.Context, req runtime.Request, out *runtime.Output) *run {
	guestCtx, hard := context.WithCancelCause(context.WithoutCancel(ctx)) // it is asked softly first
	r := &run{soft: make(chan struct{}), hard: hard, done: make(chan runtime.Result, 1)}
	b := &broker.Broker{Client: p.engine.http, Services: req.Services, Grants: p.src.Grants, Output: out}
	r.host = hostapi.New(hostapi.Config{
		Invocation: req.Invocation(p.src.Name), Stop: r.soft, Output: out, Progress: req.Progress,
		HTTP: b.HTTP, KV: b.KV, Secret: b.Secret,
	})
	p.going.Go(func() {
		defer hard(nil)
		message, err := recovered(func() (string, error) { return p.call(guestCtx, r.host) })
		r.done <- resultOf(guestCtx, message, err)
	})
	return r
}

func (p *program) call(ctx context.Context, host *hostapi.Host) (message string, err error) {
	guest, err := p.load(ctx)
	if err != nil {
		return "", fmt.Errorf("make guest: %w", err)
	}
	defer func() { err = errors.Join(err, guest.Close(context.WithoutCancel(ctx))) }()
	return guest.Run(ctx, host)
}

func resultOf(ctx context.Context, message string, err error) runtime.Result {
	switch {
	case err == nil:
		return runtime.Result{Kind: runtime.Succeeded, Message: message}
	case errors.Is(context.Cause(ctx), errCPU):
		return runtime.Result{Kind: runtime.LimitExceeded, Message: errCPU.Error()}
	default:
		return runtime.Result{Kind: runtime.Failed, Message: hostapi.Cut(err.Error(), hostapi.MaxResult)}
	}
}

// await waits for the guest, and stops it when ctx ends or its time is used up: CPU time
// is not metered in here, and the time since the start is never less.
func (r *run) await(ctx context.Context, limits runtime.Limits) runtime.Result {
	var used <-chan time.Time
	if limits.CPU > 0 {
		timer := time.NewTimer(limits.CPU)
		defer timer.Stop()
		used = timer.C
	}
	select {
	case result := <-r.done:
		if _, stopped := runtime.KindOf(ctx); stopped {
			return runtime.Stopped(ctx, "")
		}
		return result
	case <-used:
		r.hard(errCPU)
		if result, ended := r.within(endWait); ended {
			return result
		}
		return runtime.Result{Kind: runtime.LimitExceeded, Message: errCPU.Error() + ", and is still running in the executor's process"}
	case <-ctx.Done():
	}
	close(r.soft)
	if _, ended := r.within(limits.GraceTime()); ended {
		return runtime.Stopped(ctx, "")
	}
	r.hard(context.Cause(ctx))
	if _, ended := r.within(endWait); ended {
		return runtime.Stopped(ctx, "")
	}
	return runtime.Stopped(ctx, "the module is still running in the executor's process")
}

func (r *run) within(d time.Duration) (result runtime.Result, ended bool) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case result = <-r.done:
		return result, true
	case <-timer.C:
		return result, false
	}
}
