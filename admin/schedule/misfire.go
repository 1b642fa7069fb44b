package schedule

import (
	"iter"
	"slices"
	"time"

	"github.com/gluewheel/gluewheel/admin/job"
)

const (
	// maxCatchUp bounds a job's own CatchUpLimit.
	maxCatchUp = 1000
	// maxSkipRows is the most rows that record skipped fires, a job and pass: single
	// ones, and one for all the rest.
	maxSkipRows = 100
)

// madeUp is how many of a job's missed fires are made up for: the newest ones.
func madeUp(s job.MisfireStrategy, catchUpLimit int32) int {
	switch s {
	case job.MisfireFireOnce:
		return 1
	case job.MisfireCatchUp:
		return int(min(max(catchUpLimit, 0), maxCatchUp))
	default: // DO_NOTHING, and as in XXL-JOB whatever is unknown
		return 0
	}
}

// missed is what a misfire strategy made of the instants that are too late.
type missed struct {
	run       []time.Time // to be made up for, now
	skipped   []time.Time // one row each
	rest      span        // skipped as well, one row for all
	following time.Time   // the first instant that is not too late; zero = none
}

// span is a run of consecutive instants.
type span struct {
	from, to time.Time
	count    int
	more     bool // count is a lower bound
}

// miss splits the instants of l before cutoff, keep of which are made up for.
func miss(l *timeline, cutoff time.Time, keep int) missed {
	instants, following := l.before(cutoff)
	if following.IsZero() || !following.Before(cutoff) {
		split := len(instants) - min(keep, len(instants))
		m := missed{run: instants[split:], following: following}
		m.skip(instants[:split])
		return m
	}
	// More than were walked through: keep is far less than those.
	m := missed{run: l.newest(keep, cutoff)}
	last := l.last(cutoff)
	m.following = l.next(last)
	m.skip(instants)
	m.rest.to, m.rest.more = last, true
	if keep > 0 {
		m.rest.to = l.last(m.run[0])
	}
	if l.fixed {
		m.rest.count = int(m.rest.to.Sub(m.rest.from)/l.next(l.first).Sub(l.first)) + 1
		m.rest.more = false
	}
	return m
}

// skip records instants singly as far as rows go, and the rest as one span.
func (m *missed) skip(instants []time.Time) {
	if len(instants) <= maxSkipRows {
		m.skipped = instants
		return
	}
	m.skipped = instants[:maxSkipRows-1]
	rest := instants[maxSkipRows-1:]
	m.rest = span{from: rest[0], to: rest[len(rest)-1], count: len(rest)}
}

// skipLate decides about planned rows that were too late already when an outage ended,
// given in the order of jobs and instants. It returns those to be closed.
func skipLate(now time.Time, late []job.Late) (skip []int64) {
	for rows := range byJob(late) {
		for i := range len(rows) - keptLate(now, rows) {
			skip = append(skip, rows[i].RunID)
		}
	}
	return skip
}

// keptLate is how many of one job's late rows still run: the newest ones.
func keptLate(now time.Time, rows []job.Late) int {
	newest := &rows[len(rows)-1]
	keep := madeUp(newest.MisfireStrategy, newest.CatchUpLimit)
	if newest.MisfireStrategy != job.MisfireFireOnce {
		return min(keep, len(rows))
	}
	// Once for all that were missed: when planning has later instants to make up for, or
	// has done so, the one run is its.
	planned := newest.LastFire != nil && newest.LastFire.After(newest.FireAt)
	missing := newest.NextFire != nil && newest.NextFire.Before(now.Add(-job.MisfireAfter))
	if planned || missing {
		return 0
	}
	return keep
}

// byJob yields the rows of one job at a time.
func byJob(late []job.Late) iter.Seq[[]job.Late] {
	return func(yield func([]job.Late) bool) {
		for len(late) > 0 {
			n := slices.IndexFunc(late, func(r job.Late) bool { return r.JobID != late[0].JobID })
			if n < 0 {
				n = len(late)
			}
			if !yield(late[:n]) {
				return
			}
			late = late[n:]
		}
	}
}
