package job

import "time"

// PlanRequest says who plans, and how much at once.
type PlanRequest struct {
	// Owner is the planning admin's node id; it goes into bucket locks and ledger rows.
	Owner int32
	// Buckets is how many bucket locks there must be; a missing one is inserted.
	Buckets int
	// Horizon is how far ahead of the database's clock jobs are read and planned.
	Horizon time.Duration
	// Limit is the most jobs read, and about the most ledger rows written, in one
	// transaction.
	Limit int
}

// Plan is what planning decided for the due jobs that it was shown.
type Plan struct {
	Moves   []Move
	Entries []Entry
	// Cut tells that not all due jobs were planned, because Limit was reached.
	Cut bool
}

// Move sets a job's next fire. It takes effect only if the job is still as it was
// read (version, next fire, enabled), and its entries are written only then.
type Move struct {
	JobID    int32
	Version  int64     // as read
	ReadFire time.Time // next_fire as read
	// Next is nil when there are no more fires: the job is stopped once its last is
	// claimed. A job that Waits is not: it gets its next fire when this one's run has
	// ended. Only FIX_DELAY jobs may.
	Next     *time.Time
	Waits    bool
	LastFire time.Time // newest instant that was planned or skipped; zero = leave as it is
}

// Entry is a ledger row as planning writes it: open and waiting for its claim
// (State Planned), or closed at once (State Misfired).
type Entry struct {
	JobID       int32
	GroupID     int32
	Cause       Cause
	Shard       int32 // BroadcastParent for a broadcast
	FireAt      time.Time
	DueAt       time.Time
	RetriesLeft int16
	State       State
	Reason      string
	Message     string
	RangeTo     *time.Time // last instant of a row that stands for many
	RangeCount  int32
}

// PlanResult is what a planning transaction has committed.
type PlanResult struct {
	Now     time.Time // the database's clock under the lock
	Buckets []int32   // planned by this call; empty while others hold them all
	Fires   []Fire    // open rows, for the ring
	Skipped int       // rows written as misfired
	Missed  int       // fires that these rows stand for: of a range many
	Over    []int32   // jobs that have no next fire
	More    bool      // there is more to plan at once
	// LockWait is from asking for the locks of buckets to having them, and LockHold from
	// then to the end of the commit, which releases them.
	LockWait, LockHold time.Duration
}

// Late is a planned schedule row that was already very late when an outage ended.
type Late struct {
	RunID           int64           `db:"id"`
	JobID           int32           `db:"job_id"`
	FireAt          time.Time       `db:"fire_at"`
	MisfireStrategy MisfireStrategy `db:"misfire_strategy"`
	CatchUpLimit    int32           `db:"catch_up_limit"`
	LastFire        *time.Time      `db:"last_fire"` // the job's, not the row's
	NextFire        *time.Time      `db:"next_fire"` // the job's
}

// SweepRequest bounds one look for late planned rows.
type SweepRequest struct {
	// After is how late a row must be.
	After time.Duration
	// MisfireAfter is how late a row must have been at the end of the last outage
	// for the misfire strategy to decide about it.
	MisfireAfter time.Duration
	// Limit is the most rows that are returned.
	Limit int
}

// SweepResult is what a sweep found.
type SweepResult struct {
	Fires    []Fire // still to be run, whoever planned them
	Limited  []Fire // the same of jobs with a limit: those that there is room for
	Misfired int    // rows closed by the misfire strategy
}

// Pulse is what an admin learns from its heartbeat.
type Pulse struct {
	Now           time.Time `db:"now"`  // the database's clock
	Live          int       `db:"live"` // live admins, this one included
	ChangeCounter int64     `db:"change_counter"`
	OutageEndedAt time.Time `db:"outage_ended_at"`
}

// FirstShard is the shard of a run as it is planned: a broadcast begins as its parent,
// which the claim expands.
func FirstShard(r RouteStrategy) int32 {
	if r == RouteBroadcast {
		return BroadcastParent
	}
	return 0
}
