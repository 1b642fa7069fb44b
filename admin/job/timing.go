package job

import (
	"cmp"
	"time"
)

// ScheduleType says how ScheduleConf is read.
type ScheduleType string

const (
	ScheduleNone     ScheduleType = "NONE"      // never scheduled
	ScheduleCron     ScheduleType = "CRON"      // a cron expression
	ScheduleFixRate  ScheduleType = "FIX_RATE"  // whole seconds between fires
	ScheduleFixDelay ScheduleType = "FIX_DELAY" // whole seconds from the end of a run, its retries included, to the next fire
	ScheduleOnce     ScheduleType = "ONCE"      // one instant, RFC 3339; the job stops after it
)

// DSTPolicy says what happens to a wall time that does not exist because the clock is
// set forward. A wall time that comes twice fires once, at its later instant, under
// either policy.
type DSTPolicy string

const (
	// DSTXXL skips it, as XXL-JOB does. It is the default.
	DSTXXL DSTPolicy = "xxl"
	// DSTRunOnce fires once at the first instant after the gap, however many wall times
	// fell into it.
	DSTRunOnce DSTPolicy = "run-once"
)

// Timing is all that says when a job fires.
type Timing struct {
	Type ScheduleType
	Conf string
	Zone string    // IANA name; empty = server default
	DST  DSTPolicy // empty = DSTXXL
	// No instant before ValidFrom or after ValidUntil fires; nil = no bound.
	ValidFrom, ValidUntil *time.Time
}

// Timing is when the job fires while it is started.
func (j *Job) Timing() Timing {
	return Timing{
		Type: j.ScheduleType, Conf: j.ScheduleConf, Zone: j.TimeZone, DST: j.DSTPolicy,
		ValidFrom: j.ValidFrom, ValidUntil: j.ValidUntil,
	}
}

// Same reports whether two timings say the same. Instants are compared to the
// millisecond, as the API shows them.
func (t Timing) Same(other Timing) bool {
	return t.Type == other.Type && t.Conf == other.Conf && t.Zone == other.Zone &&
		cmp.Or(t.DST, DSTXXL) == cmp.Or(other.DST, DSTXXL) &&
		sameInstant(t.ValidFrom, other.ValidFrom) && sameInstant(t.ValidUntil, other.ValidUntil)
}

func sameInstant(a, b *time.Time) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Truncate(time.Millisecond).Equal(b.Truncate(time.Millisecond))
}
