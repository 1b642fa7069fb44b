package schedule

import (
	"time"

	"github.com/robfig/cron/v3"
)

// maxCounted is how many missed instants of a job are walked through in one pass, a few
// milliseconds' work. Beyond it only the ends are found, and counts are lower bounds.
const maxCounted = 10_000

// timeline is the sequence of a job's instants from first on.
type timeline struct {
	schedule cron.Schedule
	first    time.Time
	until    *time.Time // the last instant there may be; nil = no bound
	single   bool       // first is the only instant that is known
	fixed    bool       // equal steps from first on, see fixed
	steps    int        // calls of Next, the measure of work
}

// next returns the instant after at, an instant of the timeline; zero if there is none.
func (l *timeline) next(at time.Time) time.Time {
	l.steps++
	if l.single {
		return time.Time{}
	}
	n := l.schedule.Next(at)
	if !n.After(at) || l.past(n) { // the zero time, or a schedule that does not advance
		return time.Time{}
	}
	return n.UTC()
}

// past reports whether an instant comes after the last one there may be.
func (l *timeline) past(at time.Time) bool { return l.until != nil && at.After(*l.until) }

// before returns the instants from first on that are earlier than end, at most
// maxCounted, and the one that follows them (zero: none).
func (l *timeline) before(end time.Time) (instants []time.Time, following time.Time) {
	at := l.first
	for !at.IsZero() && at.Before(end) && len(instants) < maxCounted {
		instants = append(instants, at)
		at = l.next(at)
	}
	return instants, at
}

// last returns the newest instant that is earlier than end; first must be.
func (l *timeline) last(end time.Time) time.Time {
	second := l.next(l.first)
	if second.IsZero() || !second.Before(end) {
		return l.first
	}
	if l.fixed {
		if l.past(end) {
			end = l.until.Add(1)
		}
		step := second.Sub(l.first)
		return l.first.Add((end.Sub(l.first) - 1) / step * step)
	}
	// Next of an instant before the newest one is before end, Next of any later is not:
	// search by halving, to the second, as instants are whole seconds.
	lo, hi := l.first, end
	for hi.Sub(lo) > time.Second {
		mid := lo.Add((hi.Sub(lo) / 2).Truncate(time.Second))
		if !mid.After(lo) {
			mid = lo.Add(time.Second)
		}
		if n := l.next(mid); !n.IsZero() && n.Before(end) {
			lo = mid
		} else {
			hi = mid
		}
	}
	return l.next(lo)
}

// newest returns the n newest instants before end, in order of time; there must be as
// many.
func (l *timeline) newest(n int, end time.Time) []time.Time {
	out := make([]time.Time, n)
	for i := n - 1; i >= 0; i-- {
		out[i] = l.last(end)
		end = out[i]
	}
	return out
}
