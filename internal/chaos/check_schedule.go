package chaos

import (
	"slices"
	"time"
)

// course is a period and the rows that were planned in it, in the order of instants.
type course struct {
	period
	step    time.Duration
	aligned bool
	rows    []*Row
}

// checkSchedule compares a job's rows with the instants that its edits ask for.
func (f *facts) checkSchedule(j *Job) {
	var courses []*course
	for _, p := range j.periods() {
		step, aligned, err := p.schedule.every()
		if err != nil {
			f.report(Ghost, j.ID, nil, "%v", err)
			return
		}
		courses = append(courses, &course{period: p, step: step, aligned: aligned})
	}
	seen := map[time.Time]*Row{}
	for _, r := range f.rowsOf[j.ID] {
		if !r.scheduled() {
			continue
		}
		if twin, ok := seen[r.FireAt]; ok {
			f.report(DoubledRow, j.ID, []int64{twin.ID, r.ID}, "two rows for %s", clock(r.FireAt))
		}
		seen[r.FireAt] = r
		f.checkSkip(j, r)
		if c := courseOf(r, f.created(r), courses); c != nil {
			c.rows = append(c.rows, r)
		} else {
			f.report(Ghost, j.ID, []int64{r.ID}, "a row for %s, when no schedule was in force", clock(r.FireAt))
		}
	}
	// An instant has one row, whichever schedule it was planned by: an edit keeps the rows
	// that are at instants of the new schedule, and what a stop cancelled stays cancelled.
	have := map[time.Time]bool{}
	for _, c := range courses {
		for _, r := range c.rows {
			for _, t := range f.instantsOf(r, c.step) {
				have[t] = true
			}
		}
	}
	for i, c := range courses {
		var next *course
		if i+1 < len(courses) && courses[i+1].from.Kind == EditReschedule {
			next = courses[i+1]
		}
		f.checkCourse(j, c, next, have)
	}
}

// courseOf is the course in which a row was planned, by the time of its insert. An edit
// takes effect somewhere between its request and its answer, and so two may fit: then a
// row belongs to the former if it goes on with it.
func courseOf(r *Row, made time.Time, courses []*course) *course {
	var best *course
	for _, c := range courses {
		switch {
		case made.Before(c.from.Before) || c.ended && made.After(c.to.After):
		case best == nil || !best.goesOn(r):
			best = c
		}
	}
	return best
}

// goesOn reports whether a row fits behind those that the course has. What the course
// had planned beyond its end was cancelled with it.
func (c *course) goesOn(r *Row) bool {
	switch {
	case r.State == stateCancelled && r.EndedAt.After(c.to.After.Add(clockSlack)):
		return false
	case r.State != stateCancelled && r.FireAt.After(c.to.After.Add(claimAhead)):
		return false
	}
	if c.aligned {
		return on(r.FireAt, c.step)
	}
	n := len(c.rows)
	return n > 0 && c.rows[n-1].last().Add(c.step).Equal(r.FireAt)
}

// last is the newest instant that a row stands for.
func (r *Row) last() time.Time {
	if r.RangeTo != nil {
		return *r.RangeTo
	}
	return r.FireAt
}

// checkSkip holds rows that were not to run to their reasons.
func (f *facts) checkSkip(j *Job, r *Row) {
	switch r.State {
	case stateMisfired:
		if r.EndedAt != nil && r.EndedAt.Sub(r.FireAt) < misfireAfter-clockSlack {
			f.report(Missing, j.ID, []int64{r.ID}, "%s skipped when it was %v late", clock(r.FireAt), r.EndedAt.Sub(r.FireAt))
		}
		if j.Misfire == "CATCH_UP" {
			f.report(Missing, j.ID, []int64{r.ID}, "%s skipped although missed fires are made up for", clock(r.FireAt))
		}
	case stateCancelled:
		if !slices.ContainsFunc(j.Edits, func(e Edit) bool { return f.cancelledBy(r, &e) }) {
			f.report(Missing, j.ID, []int64{r.ID}, "%s cancelled although nobody stopped the job", clock(r.FireAt))
		}
	}
}

// cancelledBy reports whether an edit explains that a row is cancelled: the edit did it
// itself, or the row was claimed at the time and given back unsent later.
func (f *facts) cancelledBy(r *Row, e *Edit) bool {
	if !e.cancels() || r.EndedAt == nil || r.EndedAt.Before(e.Before.Add(-clockSlack)) || f.created(r).After(e.After.Add(clockSlack)) {
		return false
	}
	return !r.EndedAt.After(e.After.Add(clockSlack)) || f.stateAt(r, e.After) == stateDispatching
}

// stateAt is the state that a row was in at a moment.
func (f *facts) stateAt(r *Row, at time.Time) int16 {
	var state int16
	for _, c := range f.changes[r.ID] {
		if c.At.After(at) {
			break
		}
		state = c.New
	}
	return state
}

// checkCourse checks the rows of one course, and that no instant is left out. next is the
// one whose edit ended it, if that gave the job another schedule.
func (f *facts) checkCourse(j *Job, c, next *course, have map[time.Time]bool) {
	until := f.sureUntil(&c.period)
	for _, r := range c.rows {
		f.checkInstant(j, c, next, r)
		// What lies before an instant that is there must be there, backlog or not.
		until = latest(until, r.last())
	}
	first := after(c.from.After, c.step)
	if !c.aligned {
		var ok bool
		if first, ok = f.firstOf(j, c, until); !ok {
			return
		}
	}
	for t := first; t.Before(until); t = t.Add(c.step) {
		if !have[t] {
			f.report(Missing, j.ID, nil, "no row for %s of %s", clock(t), c.schedule.Conf)
		}
	}
}

// firstOf is an instant from which on a fixed rate must be whole. It begins one interval
// after the edit took effect, rounded up to the second, and that is known by the rows.
func (f *facts) firstOf(j *Job, c *course, until time.Time) (first time.Time, ok bool) {
	sure := ceil(c.from.After).Add(c.step)
	if len(c.rows) == 0 {
		if sure.Add(planAhead).Before(until) {
			f.report(Missing, j.ID, nil, "no row at all from %s to %s", clock(c.from.After), clock(until))
		}
		return first, false
	}
	first = c.rows[0].FireAt
	early, late := ceil(c.from.Before), ceil(c.from.After)
	if begun := first.Add(-first.Sub(early) / c.step * c.step); begun.After(late) && begun.Sub(late) < c.step {
		f.report(Ghost, j.ID, nil, "%s is no instant of a rate of %v that began from %s to %s",
			clock(first), c.step, clock(c.from.Before), clock(c.from.After))
	}
	for !first.Add(-c.step).Before(sure) {
		first = first.Add(-c.step)
	}
	for first.Before(sure) {
		first = first.Add(c.step)
	}
	return first, true
}

// ceil is the whole second at or after t.
func ceil(t time.Time) time.Time {
	if whole := t.Truncate(time.Second); whole.Before(t) {
		return whole.Add(time.Second)
	}
	return t
}

// includes reports whether an instant is one of the course's schedule.
func (c *course) includes(t time.Time) bool {
	if c.aligned {
		return on(t, c.step)
	}
	return len(c.rows) == 0 || t.Sub(c.rows[0].FireAt)%c.step == 0
}

// checkInstant checks one row for itself.
func (f *facts) checkInstant(j *Job, c, next *course, r *Row) {
	kept := next != nil && next.includes(r.FireAt)
	over := c.ended && c.to.cancels() && !kept
	switch {
	case !c.includes(r.FireAt):
		f.report(Ghost, j.ID, []int64{r.ID}, "%s is no instant of %s", clock(r.FireAt), c.schedule.Conf)
	case r.FireAt.Before(c.from.Before):
		f.report(Ghost, j.ID, []int64{r.ID}, "%s was before the job started", clock(r.FireAt))
	case over && r.State != stateCancelled && r.FireAt.After(c.to.After.Add(claimAhead)):
		f.report(Ghost, j.ID, []int64{r.ID}, "%s was after the %s at %s", clock(r.FireAt), c.to.Kind, clock(c.to.After))
	case over && f.claimedAfter(r, c.to.After.Add(clockSlack)):
		f.report(Ghost, j.ID, []int64{r.ID}, "%s was claimed after the %s had been answered at %s", clock(r.FireAt), c.to.Kind, clock(c.to.After))
	case kept && next.aligned && r.State == stateCancelled && r.FireAt.After(c.to.After) && !r.EndedAt.After(c.to.After):
		f.report(Missing, j.ID, []int64{r.ID}, "%s was cancelled by an edit whose schedule has it", clock(r.FireAt))
	}
}

// claimedAfter reports whether a row was planned before a moment and claimed after it.
func (f *facts) claimedAfter(r *Row, at time.Time) bool {
	return slices.ContainsFunc(f.changes[r.ID], func(c Change) bool {
		return c.Old == statePlanned && c.New == stateDispatching && c.At.After(at)
	})
}

// instantsOf are all instants that a row stands for.
func (f *facts) instantsOf(r *Row, step time.Duration) []time.Time {
	if r.RangeTo == nil {
		return []time.Time{r.FireAt}
	}
	var out []time.Time
	for t := r.FireAt; !t.After(*r.RangeTo); t = t.Add(step) {
		out = append(out, t)
	}
	if len(out) != int(r.RangeCount) {
		f.report(Missing, r.Job, []int64{r.ID}, "a range of %d instants says that it is %d", len(out), r.RangeCount)
	}
	return out
}

// sureUntil is the instant up to which a period must be whole. "A backlog ends with an
// edit": a job that is edited while planning is behind, which it may be until
// recoverWithin after a fault, is not asked for the instants that were not planned yet.
func (f *facts) sureUntil(p *period) time.Time {
	if !p.ended {
		return p.from.After
	}
	until := p.to.Before
	for _, w := range slices.Backward(f.Faults) {
		if w.From.Before(until) && w.To.After(until.Add(-recoverWithin)) {
			until = w.From
		}
	}
	return until
}
