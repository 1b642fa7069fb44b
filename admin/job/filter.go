package job

import "time"

// RunFilter selects runs; zero fields select all.
type RunFilter struct {
	States   []State
	Causes   []Cause
	JobID    int32
	GroupIDs []int32   // nil = all groups; empty but not nil = none
	From     time.Time // planned instants from here …
	To       time.Time // … to before here
	Query    string    // part of the job's name, any case

	OldestFirst bool
}

// RunSummary is a run as lists show it, without its log tail.
type RunSummary struct {
	Run
	JobName string `db:"job_name"` // empty when the job is gone
	AppName string `db:"app_name"` // empty when the group is gone
}

// States lists every state in the order of its number.
func States() []State {
	return []State{
		Planned, Dispatching, Running, Unknown,
		Succeeded, Failed, TimedOut, Killed, Lost, Misfired, Discarded, Cancelled,
	}
}

// Causes lists every cause in the order of its number.
func Causes() []Cause {
	return []Cause{CauseSchedule, CauseManual, CauseAPI, CauseRetry, CauseParent, CauseMisfire}
}

// ParseCause is the inverse of Cause.String; ok is false for an unknown name.
func ParseCause(name string) (c Cause, ok bool) {
	for c, n := range causeNames {
		if n == name {
			return c, true
		}
	}
	return 0, false
}
