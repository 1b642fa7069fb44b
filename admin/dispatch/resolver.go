package dispatch

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/gluewheel/gluewheel/admin/job"
	"github.com/gluewheel/gluewheel/executor/protocol"
)

// doubt is what was found out so far about an unknown run.
type doubt struct {
	tries  int
	misses int // in a row: the executor could not be reached
	// Of a foreign executor. resent: the one re-send may have left. allowed: the ledger
	// has it as used up, and not one byte of it was written.
	resent, allowed bool
	absentSince     time.Time // its log was not there from then on; zero = not asked, or seen
}

func (b *doubt) unreachable(yes bool) {
	if yes {
		b.misses++
	} else {
		b.misses = 0
	}
}

// surelyAbsent notes that there is no log, and reports whether that is so for long.
func (b *doubt) surelyAbsent(now time.Time) bool {
	if b.absentSince.IsZero() {
		b.absentSince = now
	}
	return now.Sub(b.absentSince) >= sureAfter
}

const (
	// The first question comes at once, for most doubts end with it; then the pause
	// doubles, up to a bound that keeps a run's resolution within 30 s of its
	// executor's return.
	firstPause = 500 * time.Millisecond
	lastPause  = 8 * time.Second
	// sureAfter is how long a foreign executor must have had no log before the request is
	// sent again: a run that has left its queue has none for a moment.
	sureAfter = 3 * time.Second
	// parkAfter is how often a foreign executor is asked, after the re-send, for a log
	// that does not appear: about two minutes.
	parkAfter = 20
)

// resolver holds unknown runs until their executor is asked again.
type resolver struct {
	wake chan struct{} // capacity 1: something is due now

	mu      sync.Mutex
	waiting []appointment
}

type appointment struct {
	at time.Time
	e  *entry
}

func (r *resolver) init() { r.wake = make(chan struct{}, 1) }

// now asks about e as soon as possible.
func (r *resolver) now(e *entry) { r.put(e, time.Time{}) }

// later asks about e after a pause that grows with its tries.
func (r *resolver) later(e *entry, now time.Time) {
	pause := min(firstPause<<min(e.doubt.tries, 10), lastPause)
	e.doubt.tries++
	r.put(e, now.Add(pause))
}

func (r *resolver) put(e *entry, at time.Time) {
	r.mu.Lock()
	r.waiting = append(r.waiting, appointment{at, e})
	r.mu.Unlock()
	select {
	case r.wake <- struct{}{}:
	default: // the loop is awake already
	}
}

// due removes the entries whose time has come, and tells when the next one's does.
func (r *resolver) due(now time.Time) (entries []*entry, next time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	next = time.Hour
	rest := r.waiting[:0]
	for _, a := range r.waiting {
		if wait := a.at.Sub(now); wait > 0 {
			rest, next = append(rest, a), min(next, wait)
		} else {
			entries = append(entries, a.e)
		}
	}
	clear(r.waiting[len(rest):])
	r.waiting = rest
	return entries, next
}

// resolveLoop asks about unknown runs, through the slow pool, so that an executor that
// hangs delays only its own.
func (d *Dispatcher) resolveLoop(ctx context.Context) {
	t := time.NewTimer(time.Hour)
	defer t.Stop()
	for {
		entries, wait := d.resolver.due(time.Now())
		ask := entries[:0]
		for _, e := range entries {
			e.target = d.cfg.Registry.Target(e.job.GroupID, e.Address) // it may have registered since
			if !d.failOver(e) {
				ask = append(ask, e)
			}
		}
		d.slow.submit(ctx, ask)
		t.Reset(wait)
		select {
		case <-ctx.Done():
			return
		case <-d.resolver.wake:
		case <-t.C:
		}
	}
}

// failOver lets a run of an idempotent job be routed anew, once its executor has not
// been reachable for a while. Runs of other jobs stay where they may have arrived.
func (d *Dispatcher) failOver(e *entry) bool {
	if !e.job.Idempotent || e.doubt.misses < resendPatience {
		return false
	}
	d.giveUp([]*entry{e})
	return true
}

// inquire finds out about an unknown run at an executor that would run a repeated id
// again. Only where the log is certainly absent the request is sent a second time, and
// never a third.
func (d *Dispatcher) inquire(ctx context.Context, e *entry) {
	piece, err := d.cfg.Sender.Log(ctx, e.target, e.RunID, e.FireAt, 1)
	var out outcomes
	switch {
	case err != nil:
		e.doubt.unreachable(true)
		d.resolver.later(e, time.Now())
	case !piece.End: // every existing file of XXL-JOB's executors
		d.sortOutcome(&out, e, job.Outcome{Verdict: job.Accepted}, time.Now())
	case !strings.HasPrefix(piece.Content, protocol.MsgNoLogFile) || e.doubt.tries > parkAfter:
		d.park(e) // it answers like this whether it has the run or not
	case e.doubt.resent && !e.doubt.allowed, !e.doubt.surelyAbsent(time.Now()):
		e.doubt.unreachable(false)
		d.resolver.later(e, time.Now())
	default:
		d.resend(ctx, e, &out)
	}
	d.handOn(&out)
}

// park gives up asking. The callback or the lost rule ends the run.
func (d *Dispatcher) park(e *entry) {
	d.held.remove(e)
	d.doubts.park(e.hold())
}

// resend uses the one re-send. The ledger knows of it first, so that no other admin
// sends a third time.
func (d *Dispatcher) resend(ctx context.Context, e *entry, out *outcomes) {
	if !e.doubt.resent {
		won, err := d.cfg.Store.MarkResent(ctx, e.hold())
		if err != nil {
			d.resolver.later(e, time.Now())
			return
		}
		e.doubt.resent = true
		if e.doubt.allowed = won; !won {
			d.resolver.later(e, time.Now())
			return
		}
	}
	if d.held.leaveToSend(e, time.Now(), d.cfg.SendTimeout) != granted {
		d.resolver.later(e, time.Now())
		return
	}
	t := e.trigger()
	o := d.cfg.Sender.Run(ctx, e.target, &t)
	e.doubt.allowed = o.Verdict == job.Unreachable
	d.sortOutcome(out, e, o, time.Now())
}
