package admin

import (
	"context"
	"fmt"
	"strings"

	"github.com/gluewheel/gluewheel/admin/job"
	"github.com/gluewheel/gluewheel/executor/protocol"
)

// kill ends a run. One that nobody has claimed is cancelled. Our executors stop just
// that run and report its end themselves. XXL-JOB's executors stop the job: the run is
// called killed at once, as XXL-JOB does it, because what they report is a failure.
func (p *parts) kill(ctx context.Context, r job.Run, by string) error {
	if r.State.Terminal() {
		return job.ErrEnded
	}
	if r.State == job.Planned {
		return p.store.CancelRun(ctx, r.ID, "Cancelled by "+by+" before it was sent.")
	}
	target := p.registry.Target(r.GroupID, r.Address)
	outcome := p.calls.Kill(ctx, target, sentAs(r), r.ID)
	if outcome.Verdict != job.Accepted {
		return fmt.Errorf("kill run %d at %s: %w: %s", r.ID, r.Address, job.ErrExecutor, outcome.Text)
	}
	if target.Ours() {
		return nil
	}
	message := fmt.Sprintf("Killed by %s. %s", by, outcome.Text)
	return p.complete.End(ctx, []job.Result{{
		RunID: r.ID, State: job.Killed, Reason: job.ReasonKilled,
		Message: strings.TrimSpace(message), Code: protocol.CodeFail,
	}})
}

// sentAs is the job id that the executor knows the run by.
func sentAs(r job.Run) int32 {
	if r.IsTest {
		return protocol.TestJobID(r.JobID)
	}
	return r.JobID
}

// readLog reads a run's log at the executor that has it.
func (p *parts) readLog(ctx context.Context, r job.Run, fromLine int) (job.LogPiece, error) {
	return p.calls.Log(ctx, p.registry.Target(r.GroupID, r.Address), r.ID, r.FireAt, fromLine)
}
