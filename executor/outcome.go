package executor

import (
	"context"
	"errors"
	"time"
	"unicode/utf8"

	"github.com/gluewheel/gluewheel/executor/protocol"
	"github.com/gluewheel/gluewheel/executor/queue"
	"github.com/gluewheel/gluewheel/glue"
	"github.com/gluewheel/gluewheel/glue/live"
	"github.com/gluewheel/gluewheel/runtime"
)

// verdict is how a kind of end is reported.
type verdict struct {
	code            int
	outcome, reason string
}

var verdicts = map[runtime.Kind]verdict{
	runtime.Succeeded:     {protocol.CodeOK, protocol.OutcomeSucceeded, protocol.ReasonOK},
	runtime.Failed:        {protocol.CodeFail, protocol.OutcomeFailed, protocol.ReasonHandlerFailed},
	runtime.TimedOut:      {protocol.CodeTimeout, protocol.OutcomeTimedOut, protocol.ReasonTimeout},
	runtime.Killed:        {protocol.CodeFail, protocol.OutcomeKilled, protocol.ReasonKilled},
	runtime.OutOfMemory:   {protocol.CodeFail, protocol.OutcomeFailed, protocol.ReasonOutOfMemory},
	runtime.LimitExceeded: {protocol.CodeFail, protocol.OutcomeFailed, protocol.ReasonLimitExceeded},
	runtime.EngineMissing: {protocol.CodeFail, protocol.OutcomeFailed, protocol.ReasonEngineMissing},
	runtime.Invalid:       {protocol.CodeFail, protocol.OutcomeFailed, protocol.ReasonBadVersion},
	runtime.HostError:     {protocol.CodeFail, protocol.OutcomeFailed, protocol.ReasonHostError},
}

// unprepared is the result of a run whose code could not be made ready.
func unprepared(ctx context.Context, err error) runtime.Result {
	result := runtime.Result{Kind: runtime.HostError, Message: err.Error()}
	if invalid, ok := errors.AsType[*runtime.InvalidError](err); ok {
		result = runtime.Result{Kind: runtime.Invalid, Message: invalid.Message}
	}
	if errors.Is(err, live.ErrNoEngine) {
		result.Kind = runtime.EngineMissing
	}
	if kind, stopped := runtime.KindOf(ctx); stopped {
		result.Kind = kind
	}
	return result
}

// outcome puts a result into the protocol's words.
func (n *node) outcome(ctx context.Context, t protocol.Trigger, result runtime.Result, began time.Time) protocol.Callback {
	v := verdicts[result.Kind]
	message := result.Message
	stop := queue.StopOf(ctx)
	switch {
	case result.Kind == runtime.TimedOut:
		message = protocol.MsgTimeout
	case result.Kind == runtime.Killed && stop != nil:
		v.reason, message = stop.Reason, stop.Running()
	case result.Kind == runtime.Invalid && t.GlueType == string(glue.Bean):
		v.reason = protocol.ReasonHandlerNotFound
	}
	cb := newCallback(t, v, message)
	cb.Gluewheel.StartedMS = began.UnixMilli()
	cb.Gluewheel.WallMS = result.Usage.Wall.Milliseconds()
	cb.Gluewheel.CPUMS = result.Usage.CPU.Milliseconds()
	cb.Gluewheel.PeakBytes = result.Usage.PeakBytes
	cb.Gluewheel.LogBytes = result.Usage.LogBytes
	cb.Gluewheel.HostCalls = result.Usage.HostCalls
	return cb
}

func newCallback(t protocol.Trigger, v verdict, message string) protocol.Callback {
	cb := protocol.Callback{
		LogID:       t.LogID,
		LogDateTim:  t.LogDateTimeMS,
		LogDateTime: t.LogDateTimeMS,
		HandleCode:  protocol.Int(v.code),
		Gluewheel: &protocol.CallbackX{
			Outcome: v.outcome,
			Reason:  v.reason,
			EndedMS: time.Now().UnixMilli(),
		},
	}
	if message != "" {
		message = cut(message)
		cb.HandleMsg = &message
	}
	return cb
}

// cut bounds a message in characters, as XXL-JOB does.
func cut(message string) string {
	if len(message) <= protocol.MaxMessage || utf8.RuneCountInString(message) <= protocol.MaxMessage {
		return message
	}
	return string([]rune(message)[:protocol.MaxMessage]) + "..."
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// report makes results durable and sends them. Results that the journal cannot take now
// are in its memory; an admin that has them makes them safe just as well.
func (n *node) report(results ...protocol.Callback) {
	n.warn("results are not on disk yet", n.journal.End(results...))
	n.sender.Add(results...)
}

// dropTriggers reports triggers that will never run; the queue calls it.
func (n *node) dropTriggers(triggers []protocol.Trigger, stop *queue.Stop) {
	results := make([]protocol.Callback, len(triggers))
	for i, t := range triggers {
		v := verdict{protocol.CodeFail, protocol.OutcomeKilled, stop.Reason}
		results[i] = newCallback(t, v, stop.Queued())
	}
	n.report(results...)
}

// acked forgets results that an admin has; the sender calls it.
func (n *node) acked(ids []int64) {
	n.warn("results may be sent twice", n.journal.Ack(ids...))
}

// addLogTail gives a bad end the end of its log, for when this executor is gone.
func (n *node) addLogTail(cb *protocol.Callback) {
	x := cb.Gluewheel
	if x == nil || x.Outcome == protocol.OutcomeSucceeded {
		return
	}
	tail, err := n.logs.Tail(int64(cb.LogID), time.UnixMilli(int64(cb.LogDateTim)), protocol.MaxLogTail)
	if err != nil || tail == "" {
		return // a run that never began has no log
	}
	full := *x // cb's is shared with the sender's copy
	full.LogTail = &tail
	cb.Gluewheel = &full
}
