package protocol

// Outcomes of a CallbackX: the terminal states that an executor can report, spelt as
// the admin spells them.
const (
	OutcomeSucceeded = "succeeded"
	OutcomeFailed    = "failed"
	OutcomeTimedOut  = "timed_out"
	OutcomeKilled    = "killed"
	OutcomeLost      = "lost"
)

// Reasons of a CallbackX: stable codes that say why, spelt as the admin spells them.
const (
	ReasonOK              = "ok"
	ReasonHandlerFailed   = "handler_failed"
	ReasonTimeout         = "timeout"
	ReasonKilled          = "killed"
	ReasonCoverEarly      = "cover_early"
	ReasonShutdown        = "executor_stopped"
	ReasonLostRestart     = "executor_restart"
	ReasonOutOfMemory     = "out_of_memory"
	ReasonLimitExceeded   = "limit_exceeded"
	ReasonBadVersion      = "bad_version"
	ReasonEngineMissing   = "engine_missing"
	ReasonHandlerNotFound = "handler_not_found"
	ReasonHostError       = "host_error"
)

// Texts of gluewheel executors where XXL-JOB has none.
const (
	// MsgRequestError opens the answer to a request that cannot be read.
	MsgRequestError = "request error:%s"
	// MsgInvokeError opens an admin's answer to a body that it cannot read; to an array
	// of callbacks it means that the admin speaks dialect C.
	MsgInvokeError = "openapi invoke error:"
	// MsgTypeNotAllowed refuses a glue type that the operator did not allow; dialect C's text.
	MsgTypeNotAllowed = "fail, current glue type [%s] not supported."
	// MsgQueueFull refuses a trigger because the job's queue is full.
	MsgQueueFull = "job queue is full, %d triggers are waiting."
	// MsgStopping refuses a trigger because the executor is shutting down.
	MsgStopping = "executor is stopping."
	// MsgLostRestart is the message of a run that an executor's crash cut short.
	MsgLostRestart = "the executor was restarted while the job was running."
)

// PathArtifact is the admin's path of a module, below its address; the digest and the
// query run=<log id>&epoch=<claim> follow. Only runs dispatched to the asking executor
// get an answer.
const PathArtifact = "/gw/artifact/"

// MaxLogTail is the most bytes of a failed run's log in a callback.
const MaxLogTail = 64 << 10
