package worker

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"syscall"
	"time"

	"github.com/gluewheel/gluewheel/runtime"
	"github.com/gluewheel/gluewheel/runtime/broker"
	"github.com/gluewheel/gluewheel/runtime/frame"
	"github.com/gluewheel/gluewheel/runtime/proc"
)

// What the Go runtime says on standard error when it cannot go on.
const (
	stackOverflow = "goroutine stack exceeds"
	cannotAlloc   = "out of memory"
	cannotReserve = "cannot allocate memory"
)

// session is one run in a worker, seen from the supervisor.
type session struct {
	*process
	req     runtime.Request
	out     *runtime.Output
	calls   *calls
	bounded bool  // a control group bounds the memory, nobody has to watch
	peak    int64 // most memory seen, where somebody has to
}

func newSession(e *Engine, w *process, req runtime.Request) *session {
	// The worker's own limit comes first; this one holds if the worker is not itself.
	out := runtime.NewOutput(cmp.Or(w.src.Limits.LogBytes, runtime.DefaultLogBytes)+1024, req.Log)
	return &session{
		process: w, req: req, out: out,
		calls: &calls{
			broker: broker.Broker{Client: e.http, Services: req.Services, Grants: w.src.Grants, Output: out},
			conn:   w.conn,
			slots:  make(chan struct{}, frame.MaxCalls),
		},
		bounded: e.proc.Methods().Memory != "",
	}
}

// serve runs, ends the worker, and waits for what it asked for.
func (s *session) serve(ctx context.Context) runtime.Result {
	calls, cancel := context.WithCancel(ctx)
	defer s.calls.wait()
	defer s.end() // so that nobody writes to the worker any more
	defer cancel()
	return s.run(ctx, calls)
}

// run drives the worker through its run. However it ends, nothing of the worker is
// heard afterwards. What it asks for is done under the context calls.
func (s *session) run(ctx, calls context.Context) runtime.Result {
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
	go func() { answer <- s.listen(calls) }() // ends with the worker, at the latest when it is killed

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
			resident := s.resident()
			s.peak = max(s.peak, resident)
			if resident > bound(s.src) {
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
func (s *session) listen(calls context.Context) *frame.ResultBody {
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
				s.req.Progress(body.Percent, s.out.Masked(body.Note))
			}
		case frame.Call:
			if s.calls.serve(calls, payload) != nil {
				return nil
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
	result := runtime.Result{Kind: body.Kind, Message: s.out.Masked(body.Message), Usage: body.Usage}
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

// usage is what a worker that gave no result has used; of its host calls those that
// came through here.
func (s *session) usage(exit proc.Exit) runtime.Usage {
	return runtime.Usage{
		CPU:       max(exit.CPU-s.found.CPU, 0),
		PeakBytes: cmp.Or(exit.PeakBytes, s.peak),
		LogBytes:  s.out.Bytes(),
		HostCalls: s.calls.count(),
	}
}
