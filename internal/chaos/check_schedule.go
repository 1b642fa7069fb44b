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
	var newest time.Time // that any schedule so far has planned
	for _, c := range courses {
		f.checkCourse(j, c, newest)
		for _, r := range c.rows {
			newest = latest(newest, r.last())
		}
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

// checkCourse checks the rows of one course. A schedule begins behind the newest instant
// that the one before had planned, cancelled or not.
func (f *facts) checkCourse(j *Job, c *course, newest time.Time) {
	var instants []time.Time
	for _, r := range c.rows {
		f.checkInstant(j, c, r)
		instants = append(instants, f.instantsOf(r, c.step)...)
	}
	until := f.sureUntil(&c.period)
	if !c.aligned {
		f.checkSteps(j, c, instants, until)
		return
	}
	for t := after(latest(c.from.After, newest), c.step); t.Before(until); t = t.Add(c.step) {
		if !slices.ContainsFunc(instants, t.Equal) {
			f.report(Missing, j.ID, nil, "no row for %s of %s", clock(t), c.schedule.Conf)
		}
	}
}

// checkInstant checks one row for itself.
func (f *facts) checkInstant(j *Job, c *course, r *Row) {
	switch {
	case c.aligned && !on(r.FireAt, c.step):
		f.report(Ghost, j.ID, []int64{r.ID}, "%s is no instant of %s", clock(r.FireAt), c.schedule.Conf)
	case r.FireAt.Before(c.from.Before):
		f.report(Ghost, j.ID, []int64{r.ID}, "%s was before the job started", clock(r.FireAt))
	case c.ended && r.State != stateCancelled && r.FireAt.After(c.to.After.Add(claimAhead)):
		f.report(Ghost, j.ID, []int64{r.ID}, "%s was after the %s at %s", clock(r.FireAt), c.to.Kind, clock(c.to.After))
	}
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

// sureUntil is the instant up to which a period must be whole. A job that is edited
// while planning is behind, as after an outage, is not asked for the instants of the
// backlog: the edit comes first.
func (f *facts) sureUntil(p *period) time.Time {
	if !p.ended {
		return p.from.After
	}
	until := p.to.Before
	for _, w := range slices.Backward(f.Faults) {
		if w.From.Before(until) && w.To.After(until.Add(-calmBefore)) {
			until = w.From
		}
	}
	return until
}

// checkSteps checks instants at a fixed distance, wherever the first one lies.
func (f *facts) checkSteps(j *Job, c *course, instants []time.Time, until time.Time) {
	step := c.step
	firstBy := c.from.After.Add(planAhead + step + time.Second)
	if len(instants) == 0 {
		if firstBy.Before(until) {
			f.report(Missing, j.ID, nil, "no row at all from %s to %s", clock(c.from.After), clock(until))
		}
		return
	}
	if first := instants[0]; first.After(firstBy) && firstBy.Before(until) {
		f.report(Missing, j.ID, nil, "the first row is for %s, the job was started at %s", clock(first), clock(c.from.After))
	}
	for i := 1; i < len(instants); i++ {
		switch gap := instants[i].Sub(instants[i-1]); {
		case gap == step || gap == 0: // 0 is reported as doubled
		case gap%step == 0:
			f.report(Missing, j.ID, nil, "no row between %s and %s", clock(instants[i-1]), clock(instants[i]))
		default:
			f.report(Ghost, j.ID, nil, "%s follows %s, the rate is %v", clock(instants[i]), clock(instants[i-1]), step)
		}
	}
	if last := instants[len(instants)-1]; last.Add(step).Before(until) {
		f.report(Missing, j.ID, nil, "the last row is for %s, the job went on until %s", clock(last), clock(until))
	}
}
