package protocol

import "time"

// Header names. Dialect C sends both and wants both.
const (
	HeaderToken   = "XXL-JOB-ACCESS-TOKEN"
	HeaderAppName = "XXL-JOB-APPNAME"
	ContentType   = "application/json;charset=UTF-8"
)

// Codes of envelopes and of job results.
const (
	CodeOK      = 200
	CodeFail    = 500
	CodeTimeout = 502
)

// Block strategies; unknown or missing means serial.
const (
	BlockSerial  = "SERIAL_EXECUTION"
	BlockDiscard = "DISCARD_LATER"
	BlockCover   = "COVER_EARLY"
)

// Executor paths.
const (
	PathBeat     = "/beat"
	PathIdleBeat = "/idleBeat"
	PathRun      = "/run"
	PathTrigger  = "/trigger" // dialect C's name of /run
	PathKill     = "/kill"
	PathLog      = "/log"
	// PathBatch takes a BatchRequest; only gluewheel executors have it.
	PathBatch = "/gw/run"
)

// Texts that peers compare or people know by heart (dialect B).
const (
	MsgSuccess         = "Success"
	MsgBadMethod       = "invalid request, HttpMethod not support."
	MsgNoPath          = "invalid request, uri-mapping empty."
	MsgEmptyBody       = "invalid request, requestBody empty."
	MsgBadToken        = "The access token is wrong."
	MsgUnknownPath     = "invalid request, uri-mapping(%s) not found."
	MsgIllegalArgument = "Illegal Argument."
	MsgBusy            = "job thread is running or has trigger queue."
	MsgAlreadyKilled   = "job thread already killed."
	MsgNoHandler       = "job handler [%s] not found."
	MsgBadGlueType     = "glueType[%s] is not valid."
	MsgDiscardLater    = "block strategy effect：Discard Later" // the colon is U+FF1A
	MsgCoverEarly      = "block strategy effect：Cover Early"
	MsgRepeat          = "repeat trigger job, logId:%d"  // dialects B, C
	MsgRepeatA         = "repeate trigger job, logId:%d" // dialect A, sic
	MsgKilledByAdmin   = "scheduling center kill job."
	MsgShutdown        = "web container destroy and kill the job."
	MsgKilledRunning   = "%s [job running, killed]"
	MsgKilledQueued    = "%s [job not executed, in the job queue, killed.]"
	MsgTimeout         = "job execute timeout " // trailing space, sic
	MsgScriptExit      = "script exit value(%d) is failed"
	MsgNoLogFile       = "readLog fail, logFile not exists"
)

// Times of the protocol.
const (
	// Heartbeat is the interval of an executor's registration.
	Heartbeat = 30 * time.Second
	// DeadAfter is the silence after which an executor's registration is dropped.
	DeadAfter = 90 * time.Second
	// IdleAfter is how long a job's queue stays when it has nothing to do: 30 polls of 3 s.
	IdleAfter = 93 * time.Second
	// CallTimeout bounds one request between admin and executor; XXL-JOB's default.
	CallTimeout = 3 * time.Second
)

// Limits, in bytes unless named otherwise.
const (
	// MaxBody is the largest request an executor takes; Java's is the same.
	MaxBody = 5 << 20
	// MaxCallback is the largest callback that an admin takes. Executors up to 3.3 send
	// all results that wait in one request, with messages of up to MaxMessage each.
	MaxCallback = 64 << 20
	// MaxMessage is the most characters of a result's message; then "..." follows.
	MaxMessage = 50000
)
