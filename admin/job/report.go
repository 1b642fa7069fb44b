package job

import "time"

// Tally tells how far runs are counted for reports.
type Tally struct {
	Busy    bool          // another admin is counting
	Counted time.Time     // runs that ended before it are counted
	Behind  time.Duration // how far that is behind what could be counted
}

// RunCount is how many runs ended in a span of time, and how.
type RunCount struct {
	At      time.Time `db:"at"` // where the span begins
	Outcome State     `db:"outcome"`
	Runs    int64     `db:"runs"`
}

// JobFigures are what a job's runs of some days came to.
type JobFigures struct {
	JobID    int32  `db:"job_id"`
	Name     string `db:"name"` // empty when the job is gone
	Runs     int64  `db:"runs"`
	Failures int64  `db:"failures"` // failed, timed out, lost
	AvgMS    int64  `db:"avg_ms"`   // of the runs that had begun
	MaxMS    int64  `db:"max_ms"`
}

// FiguresOrder says which jobs come first.
type FiguresOrder string

const (
	OrderSlowest FiguresOrder = "slowest"
	OrderFailing FiguresOrder = "failing"
)

// FiguresFilter selects JobFigures.
type FiguresFilter struct {
	GroupIDs []int32 // nil = all groups; empty but not nil = none
	From, To time.Time
	Order    FiguresOrder
	Limit    int
}

// Overview is the state of things at one look.
type Overview struct {
	Jobs        int64         `db:"jobs"`
	EnabledJobs int64         `db:"enabled_jobs"`
	Running     int64         `db:"running"` // open runs that an executor has or is about to get, at most TotalCap
	LatenessP50 time.Duration `db:"p50"`     // from the instant due to the start, of the last hour's runs
	LatenessP99 time.Duration `db:"p99"`
}

// HistoryRun is a run as a sparkline shows it.
type HistoryRun struct {
	JobID     int32      `db:"job_id"`
	RunID     int64      `db:"id"`
	State     State      `db:"state"`
	FireAt    time.Time  `db:"fire_at"`
	StartedAt *time.Time `db:"started_at"`
	EndedAt   *time.Time `db:"ended_at"`
}

// VersionCount is what became of the runs of one version of a job's code.
type VersionCount struct {
	Number   int32 `db:"number"`
	Runs     int64 `db:"runs"`
	Failures int64 `db:"failures"` // failed, timed out, lost
}

// Upcoming is what is needed to know when a started job fires.
type Upcoming struct {
	JobID        int32        `db:"id"`
	GroupID      int32        `db:"group_id"`
	ScheduleType ScheduleType `db:"schedule_type"`
	ScheduleConf string       `db:"schedule_conf"`
	TimeZone     string       `db:"time_zone"`
	DSTPolicy    DSTPolicy    `db:"dst_policy"`
	ValidFrom    *time.Time   `db:"valid_from"`
	ValidUntil   *time.Time   `db:"valid_until"`
	NextFire     time.Time    `db:"next_fire"`
}

// Timing is the job's schedule.
func (u *Upcoming) Timing() Timing {
	return Timing{
		Type: u.ScheduleType, Conf: u.ScheduleConf, Zone: u.TimeZone, DST: u.DSTPolicy,
		ValidFrom: u.ValidFrom, ValidUntil: u.ValidUntil,
	}
}
