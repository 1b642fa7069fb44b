package job

import (
	"errors"
	"time"

	"github.com/gluewheel/gluewheel/glue"
)

// Errors that cross package borders. The API turns them into problem answers.
var (
	// ErrNotFound: no such row.
	ErrNotFound = errors.New("not found")
	// ErrConflict: the row changed since it was read.
	ErrConflict = errors.New("changed by someone else")
	// ErrDuplicateApp: the app name is taken.
	ErrDuplicateApp = errors.New("app name is taken")
	// ErrDuplicateUser: the user name is taken.
	ErrDuplicateUser = errors.New("user name is taken")
	// ErrLastAdmin: without this account nobody could administer the installation.
	ErrLastAdmin = errors.New("the last admin")
	// ErrGroupInUse: the group still has jobs.
	ErrGroupInUse = errors.New("group still has jobs")
	// ErrExecutor: the executor refused, or did not answer.
	ErrExecutor = errors.New("executor did not do it")
	// ErrSandbox: the sandbox could not look at code, by no fault of the code.
	ErrSandbox = errors.New("sandbox could not look at the code")
	// ErrEnded: the run has already ended.
	ErrEnded = errors.New("run has already ended")
)

// FieldError says which field of an input is wrong and what to do about it.
type FieldError struct {
	Field   string // the input's name, such as "schedule_conf"
	Message string // a sentence with the fix
}

func (e *FieldError) Error() string { return e.Field + ": " + e.Message }

// MisfireStrategy says what happens to a fire that is more than MisfireAfter late.
type MisfireStrategy string

const (
	MisfireDoNothing MisfireStrategy = "DO_NOTHING"    // skip it (XXL-JOB's default)
	MisfireFireOnce  MisfireStrategy = "FIRE_ONCE_NOW" // one run for all that were missed
	MisfireCatchUp   MisfireStrategy = "CATCH_UP"      // every one, up to CatchUpLimit
)

// MisfireAfter is the lateness from which the misfire strategy decides; up to it
// each instant fires. XXL-JOB's pre-read window is the same 5 s.
const MisfireAfter = 5 * time.Second

// RouteStrategy names how one address is chosen, in XXL-JOB's words.
type RouteStrategy string

const (
	RouteFirst      RouteStrategy = "FIRST"
	RouteLast       RouteStrategy = "LAST"
	RouteRound      RouteStrategy = "ROUND"
	RouteRandom     RouteStrategy = "RANDOM"
	RouteHash       RouteStrategy = "CONSISTENT_HASH"
	RouteLFU        RouteStrategy = "LEAST_FREQUENTLY_USED"
	RouteLRU        RouteStrategy = "LEAST_RECENTLY_USED"
	RouteFailover   RouteStrategy = "FAILOVER"
	RouteBusyover   RouteStrategy = "BUSYOVER"
	RouteBroadcast  RouteStrategy = "SHARDING_BROADCAST"
	BroadcastParent               = -1 // shard of the parent row of a broadcast
)

// Group is an executor group: the executors that share an app name.
type Group struct {
	ID          int32    `db:"id"`
	AppName     string   `db:"app_name"`
	Title       string   `db:"title"`
	AddressType int16    `db:"address_type"` // 0 automatic, 1 manual
	AddressList []string `db:"address_list"` // used when manual
	// RequireReview: new code is live only when another publisher has approved it.
	RequireReview bool      `db:"require_review"`
	Version       int64     `db:"version"`
	CreatedAt     time.Time `db:"created_at"`
	UpdatedAt     time.Time `db:"updated_at"`
}

// Manual reports whether the group's addresses were entered by hand.
func (g *Group) Manual() bool { return g.AddressType == 1 }

// Job is a job as stored.
type Job struct {
	ID              int32           `db:"id"`
	GroupID         int32           `db:"group_id"`
	Bucket          int32           `db:"bucket"`
	Name            string          `db:"name"`
	Description     string          `db:"description"`
	Author          string          `db:"author"`
	AlarmEmail      string          `db:"alarm_email"`
	ScheduleType    ScheduleType    `db:"schedule_type"`
	ScheduleConf    string          `db:"schedule_conf"`
	TimeZone        string          `db:"time_zone"` // IANA name, empty = server default
	DSTPolicy       DSTPolicy       `db:"dst_policy"`
	ValidFrom       *time.Time      `db:"valid_from"`  // no fire before it; nil = no bound
	ValidUntil      *time.Time      `db:"valid_until"` // no fire after it; nil = no bound
	MisfireStrategy MisfireStrategy `db:"misfire_strategy"`
	CatchUpLimit    int32           `db:"catch_up_limit"`
	RouteStrategy   RouteStrategy   `db:"route_strategy"`
	BlockStrategy   string          `db:"block_strategy"` // protocol.Block…
	MaxConcurrent   int32           `db:"max_concurrent"` // open dispatched runs over all executors; 0 = no limit
	Handler         string          `db:"handler"`
	Param           string          `db:"param"`
	TimeoutS        int32           `db:"timeout_s"` // seconds, 0 = none
	RetryCount      int32           `db:"retry_count"`
	RetryDelayS     int32           `db:"retry_delay_s"` // seconds; with the next three a RetryPause
	RetryBackoff    RetryBackoff    `db:"retry_backoff"`
	RetryMaxDelayS  int32           `db:"retry_max_delay_s"`
	RetryJitterPct  int32           `db:"retry_jitter_pct"`
	Idempotent      bool            `db:"idempotent"`
	// DiscardIsFailure makes what DISCARD_LATER refuses a failure, which is retried and
	// alarms, as in XXL-JOB.
	DiscardIsFailure bool       `db:"discard_is_failure"`
	GlueType         glue.Type  `db:"glue_type"`
	GlueVersion      int32      `db:"glue_version"` // 0 = none published
	ChildJobIDs      []int32    `db:"child_job_ids"`
	Tags             []string   `db:"tags"`          // sorted, each once
	ChildrenOnce     bool       `db:"children_once"` // a broadcast's: when all shards have succeeded
	PassResult       bool       `db:"pass_result"`   // the result is the children's parameter
	Enabled          bool       `db:"enabled"`
	LastFire         *time.Time `db:"last_fire"`
	NextFire         *time.Time `db:"next_fire"`
	Version          int64      `db:"version"`
	CreatedAt        time.Time  `db:"created_at"`
	UpdatedAt        time.Time  `db:"updated_at"`
}

// Due is what planning reads of a job: few columns, because thousands are read a second.
type Due struct {
	ID              int32           `db:"id"`
	GroupID         int32           `db:"group_id"`
	ScheduleType    ScheduleType    `db:"schedule_type"`
	ScheduleConf    string          `db:"schedule_conf"`
	TimeZone        string          `db:"time_zone"`
	DSTPolicy       DSTPolicy       `db:"dst_policy"`
	ValidUntil      *time.Time      `db:"valid_until"`
	MisfireStrategy MisfireStrategy `db:"misfire_strategy"`
	CatchUpLimit    int32           `db:"catch_up_limit"`
	RouteStrategy   RouteStrategy   `db:"route_strategy"`
	RetryCount      int32           `db:"retry_count"`
	NextFire        time.Time       `db:"next_fire"`
	Version         int64           `db:"version"`
}
