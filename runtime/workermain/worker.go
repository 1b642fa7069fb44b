package workermain

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"time"

	"golang.org/x/sys/unix"

	"github.com/gluewheel/gluewheel/runtime"
	"github.com/gluewheel/gluewheel/runtime/frame"
	"github.com/gluewheel/gluewheel/runtime/hostapi"
)

// guest is a loaded program that can be run once.
type guest interface {
	// Run returns the run's message, or the guest's error. ctx ends a little before the
	// process is killed.
	Run(ctx context.Context, host *hostapi.Host) (message string, err error)
}

type worker struct {
	conn     *frame.Conn
	meter    *meter
	unfenced error // what the kernel did not let this worker give up
}

func newWorker() (*worker, error) {
	unfenced := confine()
	if err := unix.SetNonblock(socket, true); err != nil {
		return nil, fmt.Errorf("find the supervisor's socket: %w", err)
	}
	conn := frame.New(os.NewFile(socket, "supervisor"), frame.MaxToWorker)
	return &worker{conn: conn, meter: newMeter(), unfenced: unfenced}, nil
}

// serve loads one program and runs it once. The supervisor's going away is no error.
func (w *worker) serve() error {
	var load frame.LoadBody
	if err := w.conn.Expect(frame.Load, &load); err != nil {
		return fmt.Errorf("receive program: %w", err)
	}
	kind, code, err := w.conn.Read()
	if err != nil || kind != frame.Code {
		return fmt.Errorf("receive code: %w", cmp.Or(err, errors.New("another frame came")))
	}
	g, err := w.load(load, code)
	if err != nil {
		return fmt.Errorf("answer: %w", err)
	}
	if g == nil {
		return nil
	}
	kind, payload, err := w.conn.Read()
	if err != nil {
		return nil // the pool has no more use for this worker
	}
	var run frame.RunBody
	if kind != frame.Run {
		return fmt.Errorf("frame of kind %d came, a run was expected", kind)
	}
	if err := json.Unmarshal(payload, &run); err != nil {
		return fmt.Errorf("decode run: %w", err)
	}
	return w.run(g, run)
}

// load answers with Ready, and gives the guest if there is one to run.
func (w *worker) load(load frame.LoadBody, code []byte) (guest, error) {
	l, known := loaders[load.Type]
	if !known {
		return nil, w.conn.Send(frame.Ready, frame.ReadyBody{Failure: fmt.Sprintf("no engine for %s in this worker", load.Type)})
	}
	if err := limit(l.space, load.MemoryBytes, l.cacheBytes); err != nil {
		return nil, w.conn.Send(frame.Ready, frame.ReadyBody{Failure: err.Error()})
	}
	if load.MemoryBytes > 0 {
		debug.SetMemoryLimit(load.MemoryBytes) // collect harder before the kernel kills
	}
	started := time.Now()
	g, err := recovered(func() (guest, error) { return l.load(context.Background(), load, code, w.meter) })
	if err != nil {
		return nil, w.conn.Send(frame.Ready, refusal(err))
	}
	took := time.Since(started)
	if load.Warm {
		warmUp(l, load, w.meter)
	}
	ready := frame.ReadyBody{Inspection: frame.Inspection{LoadMS: took.Milliseconds()}}
	if l.inspect != nil {
		ready.ABI = l.inspect(g).ABI
	}
	if err := errors.Join(w.unfenced, sealFiles()); err != nil {
		ready.Unfenced = err.Error()
	}
	ready.CPU = w.meter.cpu()
	return g, w.conn.Send(frame.Ready, ready)
}

// refusal says why a program cannot be run. What panicked in loading it is the
// program's fault as well.
func refusal(err error) frame.ReadyBody {
	if invalid, ok := errors.AsType[*runtime.InvalidError](err); ok {
		return frame.ReadyBody{Invalid: invalid}
	}
	if errors.Is(err, errPanicked) {
		return frame.ReadyBody{Invalid: &runtime.InvalidError{Message: err.Error()}}
	}
	return frame.ReadyBody{Failure: err.Error()}
}

// run runs the guest and sends its result. It returns only if that cannot be done.
func (w *worker) run(g guest, body frame.RunBody) error {
	if err := limitCPU(w.meter.cpu(), body.CPUSeconds); err != nil {
		return w.conn.Send(frame.Result, frame.ResultBody{Kind: runtime.HostError, Message: err.Error()})
	}
	started := time.Now()
	before := w.meter.cpu()
	grace := time.Duration(body.GraceMS) * time.Millisecond
	calls := newCalls(w.conn)
	stop := listen(w.conn, grace*4/5, calls, body.CPUSeconds > 0) // the rest is for the guest's last words to travel
	defer stop.release()

	feed := newFeed(w.conn)
	out := runtime.NewOutput(body.LogBytes, feed.line)
	host := hostapi.New(hostapi.Config{
		Invocation: body.Invocation, Stop: stop.soft, Output: out, Progress: feed.progress,
		HTTP: calls.http, KV: calls.kv, Secret: calls.secret,
	})
	message, err := recovered(func() (string, error) { return g.Run(stop.hard, host) })
	feed.close()

	result := frame.ResultBody{Kind: runtime.Succeeded, Message: message}
	if err != nil {
		result = failure(stop.hard, err)
	}
	result.Usage = runtime.Usage{
		Wall:      time.Since(started),
		CPU:       w.meter.cpu() - before,
		PeakBytes: w.meter.peakBytes(),
		LogBytes:  out.Bytes(),
		HostCalls: host.Calls(),
	}
	if err := w.conn.Send(frame.Result, result); err != nil {
		return fmt.Errorf("send result: %w", err)
	}
	select {} // until the supervisor hangs up, which ends the process
}

// failure is the result of a guest that ended with err, unless a limit was behind it.
func failure(ctx context.Context, err error) frame.ResultBody {
	if cause := context.Cause(ctx); errors.Is(cause, errCPU) {
		return frame.ResultBody{Kind: runtime.LimitExceeded, Message: cause.Error()}
	}
	result := frame.ResultBody{Kind: runtime.Failed, Message: hostapi.Cut(err.Error(), hostapi.MaxResult)}
	if errors.Is(err, hostapi.ErrMemory) {
		result.Kind = runtime.OutOfMemory
	}
	if _, ok := errors.AsType[*runtime.InvalidError](err); ok {
		result.Kind = runtime.Invalid
	}
	return result
}

// errPanicked is the error of a panic inside an engine.
var errPanicked = errors.New("the engine panicked")

// recovered calls fn and turns a panic into an error: engines have bugs that guests find.
func recovered[T any](fn func() (T, error)) (value T, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			_, _ = fmt.Fprintf(os.Stderr, "panic: %v\n%s", cause, debug.Stack())
			err = fmt.Errorf("%w: %v", errPanicked, cause)
		}
	}()
	return fn()
}
