package wire

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-json"
	"github.com/gofiber/fiber/v2"

	"github.com/gluewheel/gluewheel/admin/job"
	"github.com/gluewheel/gluewheel/executor/protocol"
)

// resultsAtOnce bounds the results that are handed over together: as many as one
// transaction takes.
const resultsAtOnce = 2000

// callback stores results and answers after the commit. Results of other groups' runs
// are ignored like those of unknown ones.
func (h *handler) callback(ctx context.Context, _ *fiber.Ctx, in *call) (*string, error) {
	list, err := parseCallbacks(in.body)
	if err != nil {
		return nil, err
	}
	now := time.Now()
	for chunk := range slices.Chunk(list, resultsAtOnce) {
		endings := make([]job.Ending, 0, len(chunk))
		for i := range chunk {
			if chunk[i].LogID > 0 { // anything else is no run's, and ignored as in XXL-JOB
				endings = append(endings, ending(&chunk[i], now))
			}
		}
		if endings, err = h.own(ctx, in, endings); err != nil {
			return nil, err
		}
		if err := h.Complete.EndStarted(ctx, endings); err != nil {
			return nil, err
		}
	}
	return nil, nil
}

// own picks the results of runs that the sender may speak for.
func (h *handler) own(ctx context.Context, in *call, endings []job.Ending) ([]job.Ending, error) {
	if in.Groups() == nil || len(endings) == 0 {
		return endings, nil
	}
	ids := make([]int64, len(endings))
	for i := range endings {
		ids[i] = endings[i].RunID
	}
	found, err := h.Grants.RunsOfGroups(ctx, ids, in.Groups())
	if err != nil {
		return nil, err
	}
	own := make(map[int64]bool, len(found))
	for _, id := range found {
		own[id] = true
	}
	return slices.DeleteFunc(endings, func(e job.Ending) bool { return !own[e.RunID] }), nil
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
	e.Usage = usage(x)
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

// usage is what the executor says that the run consumed; nil of one that did not begin.
func usage(x *protocol.CallbackX) *job.Usage {
	if x.StartedMS <= 0 {
		return nil
	}
	return &job.Usage{
		WallMS: max(x.WallMS, 0), CPUMS: max(x.CPUMS, 0), PeakBytes: max(x.PeakBytes, 0),
		LogBytes: max(x.LogBytes, 0), HostCalls: max(x.HostCalls, 0),
	}
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
