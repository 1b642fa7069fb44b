package job

// State is where a run stands. The numbers are stored; they never change.
type State int16

const (
	// Planned: the ledger row exists, nobody has been asked to run it.
	Planned State = 1
	// Dispatching: an admin claimed it for one address and may be sending it now.
	Dispatching State = 2
	// Running: the executor accepted it (it may still wait in the executor's queue).
	Running State = 3
	// Unknown: at least one byte of the request was sent and no answer came, or the
	// claiming admin vanished. It is resolved at its recorded address, never failed over.
	Unknown State = 4

	// Succeeded: the job code ended well.
	Succeeded State = 10
	// Failed: the job code ended badly, or the executor refused the run.
	Failed State = 11
	// TimedOut: stopped because its timeout passed. Always XXL-JOB's code 502.
	TimedOut State = 12
	// Killed: stopped by a person, by COVER_EARLY or by the executor's shutdown.
	Killed State = 13
	// Lost: accepted, and then neither its result nor its executor came back.
	Lost State = 14
	// Misfired: not started because it was too late; its strategy skipped it.
	Misfired State = 15
	// Discarded: refused by DISCARD_LATER because the job was still busy.
	Discarded State = 16
	// Cancelled: its job was stopped, re-scheduled or deleted before the claim.
	Cancelled State = 17
)

var stateNames = map[State]string{
	Planned: "planned", Dispatching: "dispatching", Running: "running", Unknown: "unknown",
	Succeeded: "succeeded", Failed: "failed", TimedOut: "timed_out", Killed: "killed",
	Lost: "lost", Misfired: "misfired", Discarded: "discarded", Cancelled: "cancelled",
}

// String is the name used by the API, such as "timed_out".
func (s State) String() string { return stateNames[s] }

// Terminal reports whether the run has ended.
func (s State) Terminal() bool { return s >= Succeeded }

// ParseState is the inverse of String; ok is false for an unknown name.
func ParseState(name string) (s State, ok bool) {
	for s, n := range stateNames {
		if n == name {
			return s, true
		}
	}
	return 0, false
}

// Cause is why a run exists. The numbers are stored; they never change.
type Cause int16

const (
	// CauseSchedule: planned from the job's schedule. Unique by job, instant, shard, attempt.
	CauseSchedule Cause = 1
	// CauseManual: started by a person.
	CauseManual Cause = 2
	// CauseAPI: started by a program.
	CauseAPI Cause = 3
	// CauseRetry: repeats a run that ended badly; ParentID is that run.
	CauseRetry Cause = 4
	// CauseParent: fired by the success of a parent job; ParentID is that run.
	CauseParent Cause = 5
	// CauseMisfire: made up for one or many missed fires at once (FIRE_ONCE_NOW, CATCH_UP).
	CauseMisfire Cause = 6
)

var causeNames = map[Cause]string{
	CauseSchedule: "schedule", CauseManual: "manual", CauseAPI: "api",
	CauseRetry: "retry", CauseParent: "parent", CauseMisfire: "misfire",
}

// String is the name used by the API.
func (c Cause) String() string { return causeNames[c] }

// Reason codes: why a run ended, or why it is unknown. Stable, for programs; the
// message beside it is for people.
const (
	ReasonOK              = "ok"
	ReasonHandlerFailed   = "handler_failed"   // the job code said so, or threw
	ReasonTimeout         = "timeout"          // 502
	ReasonKilled          = "killed"           // by a person
	ReasonCoverEarly      = "cover_early"      // by the block strategy
	ReasonShutdown        = "executor_stopped" // by the executor's shutdown
	ReasonDiscardLater    = "discard_later"    // by the block strategy
	ReasonNoExecutor      = "no_executor"      // no address to route to
	ReasonRouteFailed     = "route_failed"     // addresses, but none usable
	ReasonRefused         = "refused"          // the executor answered, and not with 200
	ReasonUnreachable     = "unreachable"      // not one byte was sent
	ReasonNoAnswer        = "no_answer"        // bytes were sent, no answer came: unknown
	ReasonTakenOver       = "taken_over"       // claimed by an admin that vanished: unknown
	ReasonLostExecutor    = "executor_gone"    // lost: the executor stopped beating
	ReasonLostRestart     = "executor_restart" // lost: the executor came back without it
	ReasonLostResult      = "result_lost"      // lost: XXL-JOB's ten-minute rule
	ReasonMisfire         = "misfire"          // too late, skipped by the strategy
	ReasonMisfireRange    = "misfire_range"    // many at once, see RangeTo and RangeCount
	ReasonStopped         = "job_stopped"
	ReasonRescheduled     = "job_rescheduled"
	ReasonDeleted         = "job_deleted"
	ReasonExpanded        = "expanded" // parent of a broadcast: its shards were created
	ReasonOutOfMemory     = "out_of_memory"
	ReasonBadVersion      = "bad_version"    // the GLUE version cannot be run
	ReasonEngineMissing   = "engine_missing" // the executor lacks the engine or interpreter
	ReasonPoisoned        = "invalid_result" // the result itself could not be stored
	ReasonHandlerNotFound = "handler_not_found"
)
