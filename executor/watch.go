package executor

import (
	"context"
	"log/slog"
	"time"

	"github.com/gluewheel/gluewheel/executor/protocol"
	"github.com/gluewheel/gluewheel/runtime"
)

// Ran is a run that has come to its end here, for whoever watches the executor.
type Ran struct {
	RunID    int64
	JobID    int32
	Attempt  int    // 0 for the first try; XXL-JOB's admins do not tell
	GlueType string // what kind of code it was
	Began    time.Time
	Ended    time.Time
	Outcome  string // a protocol.Outcome…
	Reason   string // a protocol.Reason…
	Usage    runtime.Usage
}

// ran tells of a run that has ended, before anybody can know its result.
func (n *node) ran(t protocol.Trigger, cb protocol.Callback, began time.Time, used runtime.Usage) {
	if n.log.Enabled(context.Background(), slog.LevelDebug) {
		n.log.Debug("run has ended", "run_id", int64(t.LogID), "job_id", int32(t.JobID),
			"outcome", cb.Gluewheel.Outcome, "reason", cb.Gluewheel.Reason)
	}
	if n.cfg.Ran == nil {
		return
	}
	r := Ran{
		RunID: int64(t.LogID), JobID: int32(t.JobID), GlueType: t.GlueType, Began: began, Ended: time.Now(),
		Outcome: cb.Gluewheel.Outcome, Reason: cb.Gluewheel.Reason, Usage: used,
	}
	if x := t.Gluewheel; x != nil {
		r.Attempt = x.Attempt
		if x.Test {
			r.JobID = protocol.TestJobID(r.JobID)
		}
	}
	n.cfg.Ran(r)
}

// Load is what an executor has to do.
type Load struct {
	Running int // runs in progress
	Waiting int // accepted triggers in the queues of their jobs
	Results int // that no admin has taken yet
}

// Load tells it; nothing before Ready.
func (e *Executor) Load() Load {
	e.mu.Lock()
	n := e.node
	e.mu.Unlock()
	if n == nil {
		return Load{}
	}
	running, waiting := n.queues.Load()
	return Load{Running: running, Waiting: waiting, Results: n.sender.Pending()}
}
