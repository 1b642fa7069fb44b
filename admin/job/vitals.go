package job

import "time"

// Suspect is something that the ledger or the registry shows and should not. What it is
// about is named by Check, one of the constants below.
type Suspect struct {
	Check  string    `db:"check"`
	JobID  int32     `db:"job_id"` // 0 = of no job
	RunID  int64     `db:"run_id"` // 0 = of no run
	At     time.Time `db:"at"`     // since when, or for which instant
	Detail string    `db:"detail"` // for people
}

// What a Suspect can be.
const (
	SuspectDoubledRow     = "doubled_row"     // two rows for one instant of a schedule
	SuspectDoubledFollow  = "doubled_follow"  // two retries or children of one run
	SuspectMissingRetry   = "missing_retry"   // failed with retries left, and there is none
	SuspectInconsistent   = "inconsistent"    // state, outcome and end of a row contradict each other
	SuspectStuck          = "stuck"           // claimed or unknown, and nobody holds it
	SuspectForgotten      = "forgotten"       // running at an executor that is not there any more
	SuspectOverdue        = "overdue"         // planned, due, and not claimed
	SuspectPlanningBehind = "planning_behind" // a started job whose next fire is in the past
	SuspectLockRow        = "lock_row"        // a bucket without its lock row, or that nobody plans
	SuspectNoExecutor     = "no_executor"     // a group with started jobs and no live executor
)

// Instants is what one ledger row stands for: an instant, or a span of skipped ones.
type Instants struct {
	FireAt  time.Time  `db:"fire_at"`
	RangeTo *time.Time `db:"range_to"`
}

// ClockReading is how far a machine's clock was found to be ahead of the database's.
type ClockReading struct {
	Ahead time.Duration `db:"ahead"`
	// Doubt bounds the error: the database's clock was read at some instant between a
	// question and its answer, and taken for that of the middle.
	Doubt time.Duration `db:"doubt"`
}

// ReadClock compares the machine's clock, read before and after, with the database's,
// which was read in between.
func ReadClock(db, before, after time.Time) ClockReading {
	half := after.Sub(before) / 2
	return ClockReading{Ahead: before.Add(half).Sub(db), Doubt: half}
}

// AdminClock is the clock of an admin's machine.
type AdminClock struct {
	Name string `db:"name"` // the admin's
	ClockReading
}

// Vitals is how the database and the cluster stand.
type Vitals struct {
	Now         time.Time         `db:"now"` // the database's clock
	Admins      int               `db:"admins"`
	LastAliveAt time.Time         `db:"last_alive_at"` // the newest heartbeat of any admin
	LastDay     *time.Time        `db:"last_day"`      // the ledger's newest partition, a UTC day; nil = there is none
	HasDefault  bool              `db:"has_default"`   // the ledger has a default partition
	FireKey     bool              `db:"fire_key"`      // the index that keeps an instant from a second row is there
	Superuser   bool              `db:"superuser"`
	Remote      bool              `db:"remote"` // the connection leaves the machine
	Encrypted   bool              `db:"encrypted"`
	Standby     bool              `db:"standby"`
	Settings    map[string]string `db:"settings"` // of the server, by name
}
