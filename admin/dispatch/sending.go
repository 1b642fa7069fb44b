package dispatch

import (
	"context"
	"log/slog"
	"strings"
	"time"

	"github.com/gluewheel/gluewheel/admin/job"
	"github.com/gluewheel/gluewheel/executor/protocol"
)

// submit gives due runs to the pools. Jobs whose requests take long, and addresses that
// hang, have the slow pool, so that they delay only their own.
func (d *Dispatcher) submit(ctx context.Context, entries []*entry) {
	if len(entries) == 0 {
		return
	}
	var slow []*entry
	fast := make([]*entry, 0, len(entries))
	now := time.Now()
	for _, e := range entries {
		if d.pace.isSlow(e.JobID, job.SameAddress(e.Address), now) {
			slow = append(slow, e)
		} else {
			fast = append(fast, e)
		}
	}
	d.fast.submit(ctx, fast)
	d.slow.submit(ctx, slow)
}

// send makes one request for a batch of one address, or looks after one unknown run.
func (d *Dispatcher) send(ctx context.Context, batch []*entry) {
	now := time.Now()
	ready := batch[:0]
	for _, e := range batch {
		switch d.held.leaveToSend(e, now, d.cfg.SendTimeout) {
		case granted:
			ready = append(ready, e)
		case tooLate:
			d.postpone(e)
		case notHeld: // nothing to do: who holds it, or ended it, decides
		}
	}
	if len(ready) == 0 {
		return
	}
	if e := ready[0]; e.doubt != nil && !e.target.Ours() {
		d.inquire(ctx, e)
		return
	}
	results := d.request(ctx, ready)
	d.pace.note(ready, job.SameAddress(ready[0].Address), time.Since(now), time.Now())
	d.logAnswers(ctx, ready, results)
	var out outcomes
	for i, e := range ready {
		d.sortOutcome(&out, e, results[i], time.Now())
	}
	d.handOn(&out)
}

// logAnswers says what became of each run's request, for whoever follows a run.
func (d *Dispatcher) logAnswers(ctx context.Context, sent []*entry, results []job.Outcome) {
	if !d.log.Enabled(ctx, slog.LevelDebug) {
		return
	}
	for i, e := range sent {
		d.log.DebugContext(ctx, "request answered", "run_id", e.RunID, "job_id", e.JobID, "epoch", e.Epoch,
			"addr", e.Address, "verdict", results[i].Verdict.String(), "text", results[i].Text)
	}
}

// postpone drops an entry whose lease no longer covers a request: nothing was written.
func (d *Dispatcher) postpone(e *entry) {
	if e.doubt != nil {
		d.resolver.later(e, time.Now())
		return
	}
	d.giveUp([]*entry{e})
}

// giveUp returns runs of which nothing was sent.
func (d *Dispatcher) giveUp(entries []*entry) {
	holds := make([]job.Hold, 0, len(entries))
	for _, e := range entries {
		d.held.remove(e)
		holds = append(holds, e.hold())
	}
	d.doubts.giveUp(holds)
}

func (d *Dispatcher) request(ctx context.Context, ready []*entry) []job.Outcome {
	target := ready[0].target
	if !target.Ours() {
		t := ready[0].trigger()
		return []job.Outcome{d.cfg.Sender.Run(ctx, target, &t)}
	}
	triggers := make([]protocol.Trigger, len(ready))
	for i, e := range ready {
		triggers[i] = e.trigger()
	}
	return d.cfg.Sender.RunBatch(ctx, target, triggers)
}

// sortOutcome says what an answer means for the run.
//
//	            first request          unknown run, asked again
//	accepted    accepted               accepted
//	refused     ends                   ends
//	stopping    planned again          planned again
//	unreachable ends, may be retried   stays unknown, asked later
//	no answer   becomes unknown        stays unknown, asked later
func (d *Dispatcher) sortOutcome(out *outcomes, e *entry, o job.Outcome, now time.Time) {
	switch {
	case o.Verdict == job.Accepted:
		d.held.remove(e)
		out.accepted = append(out.accepted, job.Acceptance{RunID: e.RunID, At: now})
	case o.Verdict == job.Refused && o.Text == protocol.MsgStopping && e.target.Ours():
		d.giveUp([]*entry{e}) // it took nothing, and leaves the registry now
	case o.Verdict == job.Refused:
		d.held.remove(e)
		out.endings = append(out.endings, refusal(e, o))
	case e.doubt != nil:
		e.doubt.unreachable(o.Verdict == job.Unreachable)
		d.resolver.later(e, now)
	case o.Verdict == job.Unreachable:
		d.held.remove(e)
		out.endings = append(out.endings, failed(&e.Claimed, job.ReasonUnreachable, "The executor could not be reached: "+o.Text))
	default:
		out.doubtful = append(out.doubtful, e)
	}
}

// refusal is how a run ends that its executor did not take. What DISCARD_LATER refuses
// is discarded, which neither retries nor alarms, unless the job asks for XXL-JOB's
// behaviour, which takes it for a failure.
func refusal(e *entry, o job.Outcome) job.Ending {
	end := failed(&e.Claimed, job.ReasonRefused, o.Text)
	end.Code = protocol.CodeFail
	noHandler, _, _ := strings.Cut(protocol.MsgNoHandler, "%")
	switch {
	case strings.HasPrefix(o.Text, protocol.MsgDiscardLater):
		end.Reason = job.ReasonDiscardLater
		if !e.job.DiscardIsFailure {
			end.State = job.Discarded
		}
	case strings.HasPrefix(o.Text, noHandler):
		end.Reason = job.ReasonHandlerNotFound
	}
	return end
}

func (d *Dispatcher) handOn(out *outcomes) {
	if len(out.accepted) > 0 {
		d.cfg.Complete.Accepted(out.accepted)
	}
	if len(out.endings) > 0 {
		d.cfg.Complete.Report(out.endings)
	}
	d.doubts.add(out.doubtful)
}
