package schedule

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/gluewheel/gluewheel/admin/job"
)

// maxSteps is how many calls of Next one planning transaction may make before it leaves
// the remaining jobs to the next, about 0.1 s.
const maxSteps = 200_000

var errNoMoreFires = errors.New("schedule has no further fire")

// planner decides which fires due jobs get. It does no I/O.
type planner struct {
	schedules parsed
	horizon   time.Duration
	limit     int // entries from which on no further job is begun

	// why holds the reasons of the latest plan for stopping jobs.
	why map[int32]error
}

// plan plans all fires of each job from its next one to the horizon.
func (p *planner) plan(now time.Time, due []job.Due) job.Plan {
	p.why = make(map[int32]error)
	plan := job.Plan{Moves: make([]job.Move, 0, len(due)), Entries: make([]job.Entry, 0, len(due))}
	steps := 0
	for i := range due {
		if len(plan.Entries) >= p.limit || steps >= maxSteps {
			plan.Cut = true
			break
		}
		j := jobPlan{now: now, due: &due[i], entries: plan.Entries}
		move, err := j.run(&p.schedules, now.Add(p.horizon))
		if err != nil {
			p.why[due[i].ID] = err
		}
		plan.Moves = append(plan.Moves, move)
		plan.Entries = j.entries
		steps += j.line.steps
	}
	return plan
}

// jobPlan plans one job and appends to entries.
type jobPlan struct {
	now     time.Time
	due     *job.Due
	line    timeline
	entries []job.Entry
}

// run plans the job's fires up to until. An error says why it has no next fire.
func (j *jobPlan) run(schedules *parsed, until time.Time) (job.Move, error) {
	move := job.Move{JobID: j.due.ID, Version: j.due.Version, ReadFire: j.due.NextFire}
	schedule, err := schedules.get(j.due)
	if err != nil {
		return move, fmt.Errorf("read schedule: %w", err)
	}
	at := j.due.NextFire.UTC()
	j.line = timeline{
		schedule: schedule, first: at, until: j.due.ValidUntil,
		single: j.due.ScheduleType == job.ScheduleFixDelay, fixed: fixed(j.due),
	}
	if cutoff := j.now.Add(-job.MisfireAfter); at.Before(cutoff) {
		at = j.misfire(cutoff, &move)
	}
	for ; !at.IsZero() && !at.After(until); at = j.line.next(at) {
		j.fire(at, at, job.CauseSchedule)
		move.LastFire = at
	}
	switch {
	case !at.IsZero():
		move.Next = &at
	case j.line.single:
		move.Waits = true
	default:
		return move, errNoMoreFires
	}
	return move, nil
}

// misfire lets the job's strategy decide about the instants before cutoff, and returns
// the one that follows them.
func (j *jobPlan) misfire(cutoff time.Time, move *job.Move) time.Time {
	keep := madeUp(j.due.MisfireStrategy, j.due.CatchUpLimit)
	if j.line.past(j.now) {
		keep = 0 // it would run outside its time of validity
	}
	m := miss(&j.line, cutoff, keep)
	for _, at := range m.skipped {
		j.skip(at)
		move.LastFire = at
	}
	if m.rest.count > 0 {
		j.skipRest(m.rest)
		move.LastFire = m.rest.to
	}
	for _, at := range m.run {
		j.fire(at, j.now, job.CauseMisfire)
		move.LastFire = at
	}
	return m.following
}

// fire plans a run; a retry count beyond the column's range is cut to it.
func (j *jobPlan) fire(at, due time.Time, cause job.Cause) {
	e := j.entry(at, cause)
	e.DueAt = due
	e.State = job.Planned
	e.RetriesLeft = int16(min(max(j.due.RetryCount, 0), math.MaxInt16))
	j.entries = append(j.entries, e)
}

func (j *jobPlan) skip(at time.Time) {
	e := j.entry(at, job.CauseSchedule)
	e.State, e.Reason = job.Misfired, job.ReasonMisfire
	e.Message = fmt.Sprintf("Skipped by %s: %v late.", j.skipper(), j.now.Sub(at).Round(time.Second))
	j.entries = append(j.entries, e)
}

func (j *jobPlan) skipRest(s span) {
	e := j.entry(s.from, job.CauseSchedule)
	e.State, e.Reason = job.Misfired, job.ReasonMisfireRange
	e.RangeTo, e.RangeCount = &s.to, int32(min(s.count, math.MaxInt32))
	atLeast := ""
	if s.more {
		atLeast = "at least "
	}
	e.Message = fmt.Sprintf("%s%d fires from %s to %s were skipped by %s.", atLeast, s.count,
		s.from.Format(time.RFC3339), s.to.Format(time.RFC3339), j.skipper())
	j.entries = append(j.entries, e)
}

// skipper is what decided to skip fires, for people.
func (j *jobPlan) skipper() string {
	if j.line.past(j.now) {
		return "the end of the job's validity"
	}
	return fmt.Sprintf("the misfire strategy %s", j.due.MisfireStrategy)
}

func (j *jobPlan) entry(at time.Time, cause job.Cause) job.Entry {
	return job.Entry{
		JobID: j.due.ID, GroupID: j.due.GroupID, Cause: cause, Shard: job.FirstShard(j.due.RouteStrategy),
		FireAt: at, DueAt: at,
	}
}
