package job

import (
	"errors"
	"time"
)

// ErrBadData: the database refuses the values, now and for ever.
var ErrBadData = errors.New("the values cannot be stored")

// Claim asks for one planned run, at the address that routing chose for it.
type Claim struct {
	RunID      int64
	JobID      int32
	Epoch      int32 // as last seen; the claim compares it
	JobVersion int64 // of the job as it was routed; the claim compares it
	// Address is where the run will be sent. Empty: routing found none, and the run is
	// claimed only to be ended with a reason.
	Address string
	// Own says that Address was chosen from the run's own list, Run.Addresses. A run
	// that has such a list is not won by a claim that ignored it.
	Own bool
	// Route is why it is Address; nil without one.
	Route *Route
}

// Expansion asks for the planned parent of a broadcast: one shard an address.
type Expansion struct {
	RunID      int64
	JobID      int32
	Epoch      int32
	JobVersion int64
	Addresses  []string
	Own        bool
}

// Claimed is the answer to one claim. When it is Won the run is dispatching and
// belongs to the claiming admin until its lease ends. Otherwise the run is still
// planned, and JobVersion, Epoch and Addresses say what a new claim must take into
// account. Claims of runs that are gone (claimed by others, cancelled) get no answer.
type Claimed struct {
	RunID       int64     `db:"id"`
	ParentID    *int64    `db:"parent_id"` // of a shard: the broadcast that was asked for
	JobID       int32     `db:"job_id"`
	FireAt      time.Time `db:"fire_at"`
	DueAt       time.Time `db:"due_at"`
	Shard       int32     `db:"shard"`
	ShardTotal  int32     `db:"shard_total"`
	Attempt     int16     `db:"attempt"`
	Param       *string   `db:"param"`
	Addresses   []string  `db:"addresses"`
	JobVersion  int64     `db:"job_version"`
	GlueVersion int32     `db:"glue_version"`
	Epoch       int32     `db:"epoch"`
	Address     string    `db:"address"`
	IsTest      bool      `db:"is_test"`
	State       State     `db:"state"`
	Resent      bool      `db:"resent"`
}

// Won reports whether the claim succeeded.
func (c *Claimed) Won() bool { return c.State != Planned }

// Hold names a run that an admin holds, by the epoch it got with it.
type Hold struct {
	RunID int64
	Epoch int32
}

// Doubt is a hold whose request may or may not have arrived, and why.
type Doubt struct {
	Hold
	Reason string // a Reason… code
}

// Acceptance says that an executor took a run, and when.
type Acceptance struct {
	RunID int64
	At    time.Time // by the clock of this process
}

// Ending is a result on its way into the ledger.
type Ending struct {
	Result
	// Epoch, when not 0, makes it the finding of a dispatcher: it counts only while
	// the run is held by that epoch. Results of executors carry 0 and always count.
	Epoch int32
	// StartedAt is when the executor took the run; zero when not known here.
	StartedAt time.Time
	// CameAt is when this process learned of it; the completer fills it in.
	CameAt time.Time
}

// Ended is a run whose end was just stored: what retries, children and alarms need.
type Ended struct {
	RunID       int64     `db:"id"`
	JobID       int32     `db:"job_id"`
	GroupID     int32     `db:"group_id"`
	FireAt      time.Time `db:"fire_at"`
	Shard       int32     `db:"shard"`
	ShardTotal  int32     `db:"shard_total"`
	Attempt     int16     `db:"attempt"`
	RetriesLeft int16     `db:"retries_left"`
	Param       *string   `db:"param"`
	Addresses   []string  `db:"addresses"`
	VersionPin  *int32    `db:"version_pin"`
	IsTest      bool      `db:"is_test"`
	State       State     `db:"state"`
	EndedAt     time.Time `db:"ended_at"`
	Message     string    `db:"-"` // of the result that ended it
	CameAt      time.Time `db:"-"` // the result's
}

// Ends is what storing a batch of results did.
type Ends struct {
	Ended []Ended // the runs that the batch ended
	Fires []Fire  // retries and children that it created, committed
}

// FollowRules is what a job says about what comes after its runs.
type FollowRules struct {
	JobID        int32   `db:"id"`
	ChildJobIDs  []int32 `db:"child_job_ids"`
	ChildrenOnce bool    `db:"children_once"`
	PassResult   bool    `db:"pass_result"`
	RetryPause
	Idempotent bool `db:"idempotent"`
}

// Follow is what comes after a run: at most one retry, and children.
type Follow struct {
	Retry      bool
	RetryDelay time.Duration
	Children   []int32 // job ids; unknown ones are ignored
	// Together lets the children of a broadcast fire once, when all of its shards have
	// succeeded, and not before.
	Together bool
	// PassResult makes the result the children's parameter: its message, or with Together
	// a JSON array of all shards' messages.
	PassResult bool
}

// VersionKey names a GLUE version.
type VersionKey struct{ JobID, Number int32 }
