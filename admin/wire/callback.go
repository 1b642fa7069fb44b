package wire

import (
	"bytes"
	"context"
	"strings"
	"time"

	"github.com/goccy/go-json"
	"github.com/gofiber/fiber/v2"

	"github.com/gluewheel/gluewheel/admin/job"
	"github.com/gluewheel/gluewheel/executor/protocol"
)

// callback stores results and answers after the commit.
func (h *handler) callback(ctx context.Context, _ *fiber.Ctx, body []byte) error {
	list, err := parseCallbacks(body)
	if err != nil {
		return err
	}
	now := time.Now()
	endings := make([]job.Ending, 0, len(list))
	for i := range list {
		if list[i].LogID > 0 { // anything else is no run's, and ignored as in XXL-JOB
			endings = append(endings, ending(&list[i], now))
		}
	}
	return h.Complete.EndStarted(ctx, endings)
}

// parseCallbacks takes a list, or an object that holds one (3.5), or one result alone.
func parseCallbacks(body []byte) ([]protocol.Callback, error) {
	body = bytes.TrimSpace(body)
	if body[0] == '[' {
		var list []protocol.Callback
		err := json.Unmarshal(body, &list)
		return list, err
	}
	var wrapped struct {
		List []protocol.Callback `json:"callbackList"`
		protocol.Callback
	}
	if err := json.Unmarshal(body, &wrapped); err != nil {
		return nil, err
	}
	if wrapped.List == nil && wrapped.LogID > 0 {
		return []protocol.Callback{wrapped.Callback}, nil
	}
	return wrapped.List, nil
}

// ending is what a callback says about its run.
func ending(cb *protocol.Callback, now time.Time) job.Ending {
	code, msg := cb.Result()
	e := job.Ending{Result: job.Result{RunID: int64(cb.LogID), Message: msg, Code: int32(code)}}
	e.State, e.Reason = meaning(code, msg)
	x := cb.Gluewheel
	if x == nil {
		return e
	}
	if s, ok := job.ParseState(x.Outcome); ok && s.Terminal() {
		e.State, e.Reason = s, x.Reason
	}
	e.LogTail = x.LogTail
	e.StartedAt = startedAt(x, now)
	return e
}

// startedAt places the start by how long the run took, not by the executor's clock.
func startedAt(x *protocol.CallbackX, now time.Time) time.Time {
	took := time.Duration(x.EndedMS-x.StartedMS) * time.Millisecond
	if x.StartedMS <= 0 || took < 0 {
		return time.Time{}
	}
	return now.Add(-took)
}

// meaning maps XXL-JOB's codes. Executors of XXL-JOB report a kill as a failure with a
// known text.
func meaning(code int, msg string) (job.State, string) {
	switch code {
	case protocol.CodeOK:
		return job.Succeeded, job.ReasonOK
	case protocol.CodeTimeout:
		return job.TimedOut, job.ReasonTimeout
	}
	for _, format := range []string{protocol.MsgKilledRunning, protocol.MsgKilledQueued} {
		why, killed := strings.CutSuffix(msg, strings.TrimPrefix(format, "%s"))
		if killed {
			return job.Killed, killReason(why)
		}
	}
	return job.Failed, job.ReasonHandlerFailed
}

func killReason(why string) string {
	switch {
	case strings.HasPrefix(why, protocol.MsgCoverEarly):
		return job.ReasonCoverEarly
	case strings.HasPrefix(why, protocol.MsgShutdown):
		return job.ReasonShutdown
	default:
		return job.ReasonKilled
	}
}
