package chaos

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Schedule is a job's schedule as the suite gives it: "FIX_RATE" with whole seconds, or
// "CRON" of the form */n * * * * ? where n divides 60.
type Schedule struct{ Type, Conf string }

// every is the distance of two instants, and whether they lie on multiples of it.
func (s Schedule) every() (step time.Duration, aligned bool, err error) {
	text, isCron := strings.CutPrefix(s.Conf, "*/")
	if isCron {
		text = strings.TrimSuffix(text, " * * * * ?")
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || isCron != (s.Type == "CRON") || isCron && 60%n != 0 {
		return 0, false, fmt.Errorf("the oracle knows no schedule %s %q", s.Type, s.Conf)
	}
	return time.Duration(n) * time.Second, isCron, nil
}

// on reports whether an aligned schedule has the instant t.
func on(t time.Time, step time.Duration) bool {
	return t.Nanosecond() == 0 && int64(t.Second())%int64(step/time.Second) == 0
}

// after is the first instant of an aligned schedule later than t.
func after(t time.Time, step time.Duration) time.Time { return t.Truncate(step).Add(step) }

// EditKind is what an edit does to a schedule.
type EditKind string

const (
	EditStart      EditKind = "start"
	EditStop       EditKind = "stop"
	EditReschedule EditKind = "reschedule" // of a started job
	EditDelete     EditKind = "delete"
)

// Edit is a change of a job's schedule that took effect once, somewhen between Before
// and After.
type Edit struct {
	Kind          EditKind
	Schedule      Schedule // from now on; of start and reschedule
	Before, After time.Time
}

// cancels reports whether the edit cancels what was planned.
func (e *Edit) cancels() bool { return e.Kind != EditStart }

// Job is what the suite knows of a job.
type Job struct {
	ID         int32
	Name       string
	Edits      []Edit // in order
	Misfire    string // strategy
	Children   []int32
	Idempotent bool
	Broadcast  bool
	Witnessed  bool // its code writes to the witness
	Foreign    bool // runs on an executor of XXL-JOB's kind
	Mute       bool // its executor's log tells nothing
	Serial     bool // one run at a time on an executor, and no run is cut short
}

// period is a time in which one schedule was in force.
type period struct {
	schedule Schedule
	from     Edit
	to       Edit
	ended    bool // to is set
}

// periods lists them; the history must begin with a start.
func (j *Job) periods() []period {
	var out []period
	var open *period
	for _, e := range j.Edits {
		if open != nil {
			open.to, open.ended = e, true
			out = append(out, *open)
			open = nil
		}
		if e.Kind == EditStart || e.Kind == EditReschedule {
			open = &period{schedule: e.Schedule, from: e}
		}
	}
	if open != nil {
		out = append(out, *open)
	}
	return out
}

// planAhead is how far ahead of the present instants are planned: those of an older
// schedule may stand for a new one's so long.
const planAhead = 6 * time.Second
