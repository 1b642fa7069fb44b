package execclient

import (
	"context"
	"fmt"
	"time"

	"github.com/goccy/go-json"

	"github.com/gluewheel/gluewheel/admin/job"
	"github.com/gluewheel/gluewheel/executor/protocol"
)

// Run asks for one run. An executor that calls the path /trigger (3.5) is recognised
// by its registration, or by its answer, and remembered.
func (c *Client) Run(ctx context.Context, t job.Target, trigger *protocol.Trigger) job.Outcome {
	body, err := json.Marshal(trigger)
	if err != nil {
		return job.Outcome{Verdict: job.Unreachable, Text: fmt.Sprintf("write trigger: %v", err)}
	}
	path := c.runPath(t)
	out := outcome(c.post(ctx, t, path, body, c.cfg.MaxAnswer))
	if out.Verdict != job.Refused || out.Text != fmt.Sprintf(protocol.MsgUnknownPath, path) {
		return out
	}
	other := protocol.PathTrigger
	if path == protocol.PathTrigger {
		other = protocol.PathRun
	}
	out = outcome(c.post(ctx, t, other, body, c.cfg.MaxAnswer))
	if out.Verdict == job.Accepted || out.Verdict == job.Refused && out.Text != fmt.Sprintf(protocol.MsgUnknownPath, other) {
		c.rememberPath(t.Address, other)
	}
	return out
}

func (c *Client) runPath(t job.Target) string {
	c.mu.Lock()
	path, ok := c.paths[job.SameAddress(t.Address)]
	c.mu.Unlock()
	switch {
	case ok:
		return path
	case t.Dialect == job.DialectC:
		return protocol.PathTrigger
	default:
		return protocol.PathRun
	}
}

// rememberPath keeps at most as many paths as hosts: when full it starts over, which
// costs a refused request for each executor of 3.5.
func (c *Client) rememberPath(address, path string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.paths) >= c.cfg.MaxHosts {
		clear(c.paths)
	}
	c.paths[job.SameAddress(address)] = path
}

// RunBatch asks one of our executors for many runs, and answers in the same order. A
// run that the answer leaves out has no answer.
func (c *Client) RunBatch(ctx context.Context, t job.Target, triggers []protocol.Trigger) []job.Outcome {
	body, err := json.Marshal(protocol.BatchRequest{Triggers: triggers})
	if err != nil {
		return same(len(triggers), job.Outcome{Verdict: job.Unreachable, Text: fmt.Sprintf("write triggers: %v", err)})
	}
	r, err := c.post(ctx, t, protocol.PathBatch, body, c.cfg.MaxAnswer)
	all := outcome(r, err)
	if malformed(err) != "" { // from one of ours, which may have taken them
		all.Verdict = job.NoAnswer
	}
	if all.Verdict == job.Refused && all.Text == fmt.Sprintf(protocol.MsgUnknownPath, protocol.PathBatch) {
		return c.oneByOne(ctx, t, triggers)
	}
	if all.Verdict != job.Accepted {
		return same(len(triggers), all)
	}
	var answer protocol.BatchAnswer
	if err := json.Unmarshal(r.body, &answer); err != nil {
		return same(len(triggers), job.Outcome{Verdict: job.NoAnswer, Text: "the answer is not the protocol's: " + excerpt(r.body)})
	}
	return matchResults(triggers, answer.Results)
}

// oneByOne serves an executor that was replaced by one without batches, and has not
// registered anew yet.
func (c *Client) oneByOne(ctx context.Context, t job.Target, triggers []protocol.Trigger) []job.Outcome {
	out := make([]job.Outcome, len(triggers))
	for i := range triggers {
		out[i] = c.Run(ctx, t, &triggers[i])
	}
	return out
}

func matchResults(triggers []protocol.Trigger, results []protocol.BatchResult) []job.Outcome {
	byID := make(map[protocol.Int]*protocol.BatchResult, len(results))
	for i := range results {
		byID[results[i].LogID] = &results[i]
	}
	out := make([]job.Outcome, len(triggers))
	for i := range triggers {
		r, ok := byID[triggers[i].LogID]
		if !ok {
			out[i] = job.Outcome{Verdict: job.NoAnswer, Text: "the answer leaves this run out"}
			continue
		}
		out[i] = verdict(int(r.Code), r.Msg)
		out[i].Repeat = out[i].Repeat || r.Repeat
	}
	return out
}

func same(n int, o job.Outcome) []job.Outcome {
	out := make([]job.Outcome, n)
	for i := range out {
		out[i] = o
	}
	return out
}

// Kill stops a job on an executor; with runID, which only our executors heed, just
// that run.
func (c *Client) Kill(ctx context.Context, t job.Target, jobID int32, runID int64) job.Outcome {
	k := protocol.Kill{JobID: protocol.Int(jobID)}
	if t.Ours() {
		k.LogID = protocol.Int(runID)
	}
	return c.call(ctx, t, protocol.PathKill, k)
}

// Beat asks whether the executor is there.
func (c *Client) Beat(ctx context.Context, t job.Target) job.Outcome {
	return outcome(c.post(ctx, t, protocol.PathBeat, nil, c.cfg.MaxAnswer))
}

// IdleBeat asks whether the job is idle there: Accepted means it is.
func (c *Client) IdleBeat(ctx context.Context, t job.Target, jobID int32) job.Outcome {
	return c.call(ctx, t, protocol.PathIdleBeat, protocol.IdleBeat{JobID: protocol.Int(jobID)})
}

func (c *Client) call(ctx context.Context, t job.Target, path string, body any) job.Outcome {
	raw, err := json.Marshal(body)
	if err != nil {
		return job.Outcome{Verdict: job.Unreachable, Text: fmt.Sprintf("write request: %v", err)}
	}
	return outcome(c.post(ctx, t, path, raw, c.cfg.MaxAnswer))
}

// Log reads a run's log from a line (1-based) on. fireAt is the run's planned instant,
// by which XXL-JOB's executors find the file.
func (c *Client) Log(ctx context.Context, t job.Target, runID int64, fireAt time.Time, fromLine int) (job.LogPiece, error) {
	at := protocol.Int(fireAt.UnixMilli())
	raw, err := json.Marshal(protocol.LogRequest{
		LogDateTim: at, LogDateTime: at, LogID: protocol.Int(runID), FromLineNum: protocol.Int(fromLine),
	})
	if err != nil {
		return job.LogPiece{}, fmt.Errorf("write log request: %w", err)
	}
	r, err := c.post(ctx, t, protocol.PathLog, raw, c.cfg.MaxLog)
	if err != nil {
		return job.LogPiece{}, fmt.Errorf("read log of run %d: %w", runID, err)
	}
	e, err := parse(r)
	if err != nil {
		return job.LogPiece{}, fmt.Errorf("read log of run %d: %w", runID, err)
	}
	var l protocol.LogResult
	if err := json.Unmarshal(e.payload(), &l); err != nil || int(e.Code) != protocol.CodeOK {
		return job.LogPiece{}, fmt.Errorf("read log of run %d: executor answers code %d: %s", runID, e.Code, e.text())
	}
	return job.LogPiece{
		FromLine: int(l.FromLineNum), ToLine: int(l.ToLineNum), Content: l.LogContent, End: l.IsEnd,
	}, nil
}
