package job

import "time"

// Fire is a planned run on its way: what the ring holds and dispatch claims.
// It is a copy of a committed ledger row, small because a burst holds thousands.
type Fire struct {
	RunID  int64
	JobID  int32
	Shard  int32     // BroadcastParent = to be expanded at the claim
	Epoch  int32     // as read; the claim compares it
	FireAt time.Time // planned instant, UTC
	DueAt  time.Time // when to send, UTC
	// Addressed says that it has its own list of addresses, which its claim reads.
	Addressed bool
}

// Run is a ledger row.
type Run struct {
	ID          int64      `db:"id"`
	FireAt      time.Time  `db:"fire_at"`
	DueAt       time.Time  `db:"due_at"`
	JobID       int32      `db:"job_id"`
	GroupID     int32      `db:"group_id"`
	Cause       Cause      `db:"cause"`
	Shard       int32      `db:"shard"`
	ShardTotal  int32      `db:"shard_total"`
	Attempt     int16      `db:"attempt"`
	RetriesLeft int16      `db:"retries_left"`
	ParentID    *int64     `db:"parent_id"`
	Param       *string    `db:"param"`     // overrides the job's
	Addresses   []string   `db:"addresses"` // overrides the group's
	JobVersion  int64      `db:"job_version"`
	GlueVersion int32      `db:"glue_version"`
	VersionPin  *int32     `db:"version_pin"` // number of the version it must run: 0 of a test-run, nil = the live one
	State       State      `db:"state"`
	Owner       int32      `db:"owner"`
	Epoch       int32      `db:"epoch"`
	LeaseUntil  *time.Time `db:"lease_until"`
	Address     string     `db:"address"`
	Route       *Route     `db:"route"` // why it is Address
	ClaimedAt   *time.Time `db:"claimed_at"`
	StartedAt   *time.Time `db:"started_at"`
	EndedAt     *time.Time `db:"ended_at"`
	Outcome     *State     `db:"outcome"`
	Reason      string     `db:"reason"`
	Message     string     `db:"message"`
	Code        int32      `db:"code"`
	RangeTo     *time.Time `db:"range_to"`
	RangeCount  int32      `db:"range_count"`
	LogTail     *string    `db:"log_tail"`
	LateResult  *string    `db:"late_result"`
	IsTest      bool       `db:"is_test"`
	Usage       *Usage     `db:"usage"` // written by the end; nil when the executor did not say
}

// Result is how a run ended, as a callback or the dispatcher reports it.
type Result struct {
	RunID   int64
	State   State  // terminal
	Reason  string // a Reason… code
	Message string
	Code    int32   // XXL-JOB's handle code: 200, 500, 502; 0 when nothing ran
	LogTail *string // end of the log of a failed run, at most 64 KiB
	Usage   *Usage  // nil when the executor did not say
}

// Usage is what a run consumed, by its executor's account. It is stored as JSON.
type Usage struct {
	WallMS    int64 `json:"wall_ms"`
	CPUMS     int64 `json:"cpu_ms"`
	PeakBytes int64 `json:"peak_bytes"` // of memory; 0 when it cannot be told
	LogBytes  int64 `json:"log_bytes"`
	HostCalls int64 `json:"host_calls"` // of gw functions
}
