package worker

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"syscall"
	"time"

	"github.com/gluewheel/gluewheel/runtime"
	"github.com/gluewheel/gluewheel/runtime/frame"
	"github.com/gluewheel/gluewheel/runtime/proc"
)

// What the Go runtime says on standard error when it cannot go on.
const (
	stackOverflow = "goroutine stack exceeds"
	cannotAlloc   = "out of memory"
	cannotReserve = "cannot allocate memory"
)

// program is a source that a worker has compiled at least once.
type program struct {
	engine *Engine
	src    runtime.Source
}

// Close ends the warm workers of the program.
func (p *program) Close() error {
	p.engine.pool.drop(p.src.Key)
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
	s := &session{process: w, req: req, bounded: p.engine.proc.Methods().Memory != ""}
	// The worker's own limit comes first; this one holds if the worker is not itself.
	s.out = runtime.NewOutput(cmp.Or(p.src.Limits.LogBytes, runtime.DefaultLogBytes)+1024, req.Log)
	result := s.run(ctx)
	w.end()
	return result
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

// session is one run in a worker, seen from the supervisor.
type session struct {
	*process
	req     runtime.Request
	out     *runtime.Output
	bounded bool // a control group bounds the memory, nobody has to watch
}

// run drives the worker through its run. However it ends, nothing of the worker is
// heard afterwards.
func (s *session) run(ctx context.Context) runtime.Result {
	limits := s.src.Limits
	err := s.conn.Send(frame.Run, frame.RunBody{
		Invocation: s.req.Invocation(s.src.Name),
		LogBytes:   limits.LogBytes,
		CPUSeconds: uint64(math.Ceil(limits.CPU.Seconds())),
		GraceMS:    limits.GraceTime().Milliseconds(),
	})
	if err != nil {
		return s.died(false)
	}
	answer := make(chan *frame.ResultBody, 1)
	go func() { answer <- s.listen() }() // ends with the worker, at the latest when it is killed

	var outgrown <-chan time.Time
	if !s.bounded {
		ticker := time.NewTicker(watchInterval)
		defer ticker.Stop()
		outgrown = ticker.C
	}
	for {
		select {
		case result := <-answer:
			if result == nil {
				return s.died(false)
			}
			return s.finished(ctx, result)
		case <-outgrown:
			if s.resident() > bound(s.src) {
				result := s.died(true)
				<-answer
				return result
			}
		case <-ctx.Done():
			return s.stop(ctx, answer)
		}
	}
}

// listen passes on what the worker sends until its result; nil means that it ended, or
// broke the rules, without one.
func (s *session) listen() *frame.ResultBody {
	for {
		kind, payload, err := s.conn.Read()
		if err != nil {
			return nil
		}
		switch kind {
		case frame.Log:
			s.out.Line(string(payload))
		case frame.Progress:
			var body frame.ProgressBody
			if json.Unmarshal(payload, &body) == nil && s.req.Progress != nil {
				s.req.Progress(body.Percent, body.Note)
			}
		case frame.Result:
			var body frame.ResultBody
			if json.Unmarshal(payload, &body) != nil {
				return nil
			}
			return &body
		default:
			return nil
		}
	}
}

// stop asks the worker to end the run, and kills it after the grace.
func (s *session) stop(ctx context.Context, answer <-chan *frame.ResultBody) runtime.Result {
	_ = s.socket.SetWriteDeadline(time.Now().Add(100 * time.Millisecond)) // it may have stopped reading
	_ = s.conn.Write(frame.Cancel, nil)
	timer := time.NewTimer(s.src.Limits.GraceTime())
	defer timer.Stop()
	select {
	case result := <-answer:
		stopped := runtime.Stopped(ctx, "")
		if result != nil {
			stopped.Usage = result.Usage
		}
		return stopped
	case <-timer.C:
	}
	exit, ended := s.kill()
	how := ""
	if !ended {
		how = "the worker survives being killed"
		_ = s.socket.Close()
	}
	<-answer
	stopped := runtime.Stopped(ctx, how)
	stopped.Usage = s.usage(exit)
	return stopped
}

// finished is the worker's own result, unless the run was stopped in the meantime.
func (s *session) finished(ctx context.Context, body *frame.ResultBody) runtime.Result {
	result := runtime.Result{Kind: body.Kind, Message: body.Message, Usage: body.Usage}
	if _, stopped := runtime.KindOf(ctx); stopped {
		result = runtime.Stopped(ctx, "")
		result.Usage = body.Usage
	}
	return result
}

// died explains the end of a worker that gave no result.
func (s *session) died(outgrown bool) runtime.Result {
	exit, _ := s.kill()
	limits, words := s.src.Limits, s.stderr.String()
	var result runtime.Result
	switch {
	case outgrown || outgrew(exit, words):
		result = runtime.Result{Kind: runtime.OutOfMemory, Message: fmt.Sprintf(
			"the job outgrew its memory of %d MiB and was ended", limits.MemoryBytes>>20)}
	case limits.CPU > 0 && exit.Signal == syscall.SIGKILL && exit.CPU >= limits.CPU:
		result = runtime.Result{Kind: runtime.LimitExceeded, Message: fmt.Sprintf(
			"the job used up its CPU time of %v and was ended", limits.CPU)}
	case strings.Contains(words, stackOverflow):
		result = runtime.Result{Kind: runtime.Failed, Message: "stack overflow"}
	default:
		result = runtime.Result{Kind: runtime.HostError, Message: fmt.Sprintf(
			"the worker ended without a result (%s): %s", exit, s.stderr.firstLine())}
	}
	result.Usage = s.usage(exit)
	return result
}

// outgrew reports whether memory was what ended a worker: its control group's limit, or
// its address space's, of which the Go runtime complains.
func outgrew(exit proc.Exit, words string) bool {
	return exit.OutOfMemory || strings.Contains(words, cannotAlloc) || strings.Contains(words, cannotReserve)
}

func (s *session) usage(exit proc.Exit) runtime.Usage {
	return runtime.Usage{CPU: exit.CPU, PeakBytes: exit.PeakBytes, LogBytes: s.out.Bytes()}
}
