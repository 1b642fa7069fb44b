package chaos

import (
	"slices"
	"time"
)

// What is promised about time. Each is a sentence of docs/reliability.md, but for the
// three that allow for machines: clockSlack, calmLate and durableWithin. What the machine
// itself took from everyone, as Evidence.Stalls, counts for none of them.
const (
	misfireAfter = 5 * time.Second // "those at most 5 s late fire"
	claimAhead   = time.Second     // "a claim is at most 1 s early"
	// recoverWithin is how late a fire may be handled once nothing is broken any more:
	// "planning resumes within 10 s".
	recoverWithin = 10 * time.Second
	// resolveWithin is how long a run may stay unknown once nothing is broken: "a
	// doubtful one is resolved within 30 s".
	resolveWithin = 30 * time.Second
	// resolveDeletedWithin is the same where the job was deleted meanwhile: "within a minute".
	resolveDeletedWithin = time.Minute
	// calmBefore is how long nothing must have been broken for a fire to count as
	// undisturbed: until then it may be one that is caught up with.
	calmBefore = recoverWithin
	// clockSlack is for instants that one process took and another wrote down.
	clockSlack = 50 * time.Millisecond
	// calmLate is the most that the claim of an undisturbed fire may be late where two
	// cores serve a dozen processes. What is usual is among the figures: some 20 ms.
	calmLate = 3 * time.Second
	// durableWithin is how long after its code's end a result may still be lost with its
	// executor's process ("a result that was not on disk"): the journal's group commit
	// takes milliseconds, and as many more as a busy machine does not run the process.
	durableWithin = 300 * time.Millisecond
)

// takeoverWithin is the most that a claim may be late when an admin is gone, or has lost
// the database alone.
var takeoverWithin = map[string]time.Duration{
	"admin-kill":           7 * time.Second,
	"admin-freeze":         10 * time.Second,
	"split:admin-postgres": 10 * time.Second,
}

// Check compares the three accounts and lists every broken promise.
func Check(e *Evidence) []Violation {
	f := newFacts(e)
	for _, j := range e.Jobs {
		f.checkSchedule(j)
	}
	for i := range e.Rows {
		r := &e.Rows[i]
		f.checkChanges(r)
		f.checkTiming(r)
		if f.givenUp(r) {
			continue
		}
		if r.open() {
			f.report(Stuck, r.Job, []int64{r.ID}, "still %s", stateNames[r.State])
			continue
		}
		f.checkEnd(r)
		f.checkFollowing(r)
	}
	f.checkStarts()
	f.checkOverlap()
	f.checkTriggers()
	for _, text := range e.Audit {
		f.report(Audited, 0, nil, "%s", text)
	}
	return f.found
}

// givenUp reports whether a run waits for the ten minutes of a foreign executor ("a run
// of an executor that never comes back"): both its requests were lost, and a third is
// never sent; or its log tells nothing, and then not even a second is. One that was started
// is no such run: its result is sent until it is taken.
func (f *facts) givenUp(r *Row) bool {
	j := f.jobsByID[r.Job]
	return j != nil && r.State == stateUnknown && len(f.starts[r.ID]) == 0 && (j.Mute || j.Foreign && r.Resent)
}

// checkTriggers compares runs that were asked for by hand.
func (f *facts) checkTriggers() {
	asked := map[string]bool{}
	for _, t := range f.Triggers {
		asked[t.Tag] = true
		rows := slices.DeleteFunc(slices.Clone(f.byTag[t.Tag]), func(r *Row) bool { return r.Attempt > 0 || r.Shard > 0 })
		switch {
		case len(rows) > 1:
			f.report(DoubledRow, t.Job, ids(rows), "trigger %s has %d rows", t.Tag, len(rows))
		case len(rows) == 0 && t.Acked:
			f.report(Missing, t.Job, nil, "trigger %s was answered with run %d, which is not there", t.Tag, t.Run)
		case t.Acked && rows[0].ID != t.Run:
			f.report(Mismatch, t.Job, ids(rows), "trigger %s was answered with run %d", t.Tag, t.Run)
		}
	}
	for tag, rows := range f.byTag {
		if !asked[tag] {
			f.report(Ghost, rows[0].Job, ids(rows), "nobody triggered %q", tag)
		}
	}
}

func ids(rows []*Row) []int64 {
	out := make([]int64, len(rows))
	for i, r := range rows {
		out[i] = r.ID
	}
	return out
}

// mayBecome lists the changes of state that keep the promises. An end is final, but for
// a run that was given up and then answers.
var mayBecome = map[int16][]int16{
	0:                {statePlanned, stateDispatching, stateMisfired},
	statePlanned:     {statePlanned, stateDispatching, stateSucceeded, stateFailed, stateMisfired, stateCancelled},
	stateDispatching: {stateDispatching, statePlanned, stateRunning, stateUnknown, stateSucceeded, stateFailed, stateTimedOut, stateKilled, stateLost, stateDiscarded},
	stateRunning:     {stateSucceeded, stateFailed, stateTimedOut, stateKilled, stateLost},
	stateUnknown:     {stateUnknown, statePlanned, stateRunning, stateSucceeded, stateFailed, stateTimedOut, stateKilled, stateLost, stateDiscarded},
	stateLost:        {stateSucceeded, stateFailed, stateTimedOut, stateKilled},
}

// checkChanges follows a row through its changes.
func (f *facts) checkChanges(r *Row) {
	state, epoch := int16(0), int32(0)
	for _, c := range f.changes[r.ID] {
		switch {
		case c.Old != state:
			f.report(StaleWrite, r.Job, []int64{r.ID}, "was %s, and changed from %s", stateNames[state], stateNames[c.Old])
		case c.Epoch < epoch:
			f.report(StaleWrite, r.Job, []int64{r.ID}, "epoch went back from %d to %d", epoch, c.Epoch)
		case !slices.Contains(mayBecome[c.Old], c.New):
			f.report(StaleWrite, r.Job, []int64{r.ID}, "%s became %s", stateNames[c.Old], stateNames[c.New])
		}
		state, epoch = c.New, c.Epoch
	}
	if state != r.State {
		f.report(StaleWrite, r.Job, []int64{r.ID}, "last became %s, and is %s", stateNames[state], stateNames[r.State])
	}
}

// checkTiming holds claims and doubts to their times.
func (f *facts) checkTiming(r *Row) {
	if at, what := r.handled(); !at.IsZero() && r.Shard <= 0 {
		late := at.Sub(r.DueAt) - f.stalled(r.DueAt, at)
		if late > calmLate && !f.faulty(r.DueAt.Add(-calmBefore), at) {
			f.report(Late, r.Job, []int64{r.ID}, "%s %v late although nothing was broken", what, late)
		}
		if calm := f.calm(r.DueAt, at); calm > recoverWithin {
			f.report(Late, r.Job, []int64{r.ID}, "%s %v late, nothing was broken for %v of it", what, late, calm)
		}
		if w := f.only(r.DueAt.Add(-calmBefore), at); w != nil {
			if limit, ok := takeoverWithin[w.Fault]; ok && late > limit {
				f.report(Late, r.Job, []int64{r.ID}, "%s %v late in %s, promised are %v", what, late, w.Fault, limit)
			}
		}
	}
	if j := f.jobsByID[r.Job]; j != nil && j.Mute {
		return // nobody can tell, until the ten-minute rule does
	}
	within := resolveWithin
	if r.EndedAt != nil && f.deleted(r) {
		within = resolveDeletedWithin
	}
	for _, d := range doubts(f.changes[r.ID]) {
		if calm := f.calm(d.from, d.to); calm > within {
			f.report(Late, r.Job, []int64{r.ID}, "unknown for %v, nothing was broken for %v of it", d.to.Sub(d.from), calm)
		}
	}
}

// only is the fault between two moments when there is exactly one.
func (f *facts) only(from, to time.Time) *Window {
	var found *Window
	for i := range f.Faults {
		if w := &f.Faults[i]; w.From.Before(to) && w.To.After(from) {
			if found != nil {
				return nil
			}
			found = w
		}
	}
	return found
}

// calm is for how long nothing was broken between two moments: all the pauses between
// faults together, or a plan with many faults would excuse everything. A machine that
// stood still was broken.
func (f *facts) calm(from, to time.Time) time.Duration {
	return to.Sub(from) - overlap(f.broken, from, to)
}

type doubt struct{ from, to time.Time }

// doubts are the times in which a row was unknown.
func doubts(changes []Change) []doubt {
	var out []doubt
	var since time.Time
	for _, c := range changes {
		switch {
		case c.New == stateUnknown && since.IsZero():
			since = c.At
		case c.New != stateUnknown && !since.IsZero():
			out = append(out, doubt{since, c.At})
			since = time.Time{}
		}
	}
	return out
}
