// Package runtime is the one interface behind which every kind of job code runs:
// native handlers, scripts, and the sandboxed languages.
//
// An [Engine] prepares a [Program] from a [Source]; a Program runs a [Request] and
// gives a [Result]. Engines never decide what a timeout or a kill means: the caller
// cancels the context with a cause ([ErrTimeout], [ErrKilled]), and the supervisor's
// word, not the guest's, becomes the Result's Kind.
//
// The package is a leaf: it knows neither jobs nor admins nor any third-party code.
package runtime

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Causes with which a caller cancels a run's context; read by context.Cause.
var (
	// ErrTimeout: the run's own timeout passed.
	ErrTimeout = errors.New("timeout")
	// ErrKilled: somebody asked for the end. Wrap it to say who.
	ErrKilled = errors.New("killed")
)

// Kind is how a run ended.
type Kind int

const (
	Succeeded     Kind = iota
	Failed             // the guest said so, threw, or exited non-zero
	TimedOut           // ended because of ErrTimeout
	Killed             // ended because of ErrKilled or another cancellation
	OutOfMemory        // ended because it outgrew its memory
	LimitExceeded      // ended because of another limit: CPU, log bytes, processes
	EngineMissing      // no engine or interpreter for it here
	Invalid            // the program cannot be run at all: syntax, ABI, malformed module
	HostError          // our own fault: the worker died, a disk was full
)

// Source is what a program is made from. It is immutable: equal Key, equal content.
type Source struct {
	Key     string // group, job, version and manifest: identifies the program in caches
	JobID   int32
	Version int64  // stamp of the version; names script files
	Type    string // a glue.Type
	Name    string // handler name for native programs
	Code    []byte // source text, or the module's bytes
	Digest  string // sha256:… of Code; empty where not known
	Limits  Limits
	Grants  Grants
	// Isolation is IsolationInproc for a version that asks to run in the executor's own
	// process; empty is the sandbox.
	Isolation string
}

// IsolationInproc is the one isolation that is not the sandbox.
const IsolationInproc = "inproc"

// Limits bound one run. Zero means the engine's default.
type Limits struct {
	MemoryBytes int64         // real memory
	CPU         time.Duration // CPU time
	LogBytes    int64         // output kept; more is cut with a note
	Grace       time.Duration // between the soft stop and the kill; default 500 ms
}

// Request is one run.
type Request struct {
	RunID      int64
	JobID      int32
	Param      string
	ShardIndex int
	ShardTotal int
	Attempt    int
	FireAt     time.Time     // planned instant, UTC; zero when the admin did not say
	Timeout    time.Duration // for the guest's information; the context enforces it
	Log        func(line string)
	Progress   func(percent float64, note string)
	Services   Services
}

// Result is how a run ended and what it used.
type Result struct {
	Kind    Kind
	Message string // a sentence for people; the guest's own result text when it succeeded
	Usage   Usage
}

// Usage is what a run consumed, as far as the engine can tell.
type Usage struct {
	Wall      time.Duration
	CPU       time.Duration
	PeakBytes int64
	LogBytes  int64
	HostCalls int64 // of a run that was killed, those that left its sandbox
}

// Engine makes programs of the types it names.
type Engine interface {
	// Types lists the glue types this engine runs here, now: an interpreter that is
	// not installed is not listed.
	Types() []string
	// Prepare checks src and makes it ready. It is cheap to call again with the same
	// Key. An error is an *InvalidError when the code itself is at fault.
	Prepare(ctx context.Context, src Source) (Program, error)
	// Close ends everything the engine keeps warm.
	Close() error
}

// Program is prepared code. Run may be called concurrently.
type Program interface {
	// Run runs once. It returns when everything it started has ended: after ctx is
	// cancelled that is at most Limits.Grace plus a bounded wait, whatever the code does.
	Run(ctx context.Context, req Request) Result
	// Close frees what the program holds once its last run has ended.
	Close() error
}

// InvalidError says that code cannot be run, and where.
type InvalidError struct {
	Line, Column int // 1-based; 0 when not known
	Message      string
}

func (e *InvalidError) Error() string { return e.Message }

// Text is the message without the line in front, for those who show the place beside it.
func (e *InvalidError) Text() string {
	return strings.TrimPrefix(e.Message, fmt.Sprintf("line %d: ", e.Line))
}

// KindOf is the outcome that the cause of ctx's cancellation dictates, and whether
// there is one: the supervisor's clock outranks whatever the dying code reported.
func KindOf(ctx context.Context) (Kind, bool) {
	cause := context.Cause(ctx)
	switch {
	case cause == nil:
		return Succeeded, false
	case errors.Is(cause, ErrTimeout), errors.Is(cause, context.DeadlineExceeded):
		return TimedOut, true
	default:
		return Killed, true
	}
}
