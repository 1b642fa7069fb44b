// Package hostapi is what guest code may call, written once for every sandboxed
// language: an engine only turns its own values into plain ones and back.
//
// A [Host] serves one run, inside the sandbox worker. Nothing here reaches outside the
// process but log lines, progress, the result and three calls: HTTP requests, the job's
// own store and secrets. They travel as frames, and the supervisor does what the
// version's grants allow.
package hostapi

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gluewheel/gluewheel/runtime"
)

// MaxResult is the longest result text in bytes; the rest is cut off.
const MaxResult = 48 << 10

// ErrMemory is the error of an engine whose guest outgrew its memory.
var ErrMemory = errors.New("the job outgrew its memory")

// Config says what a Host has to work with.
type Config struct {
	Invocation runtime.Invocation
	// Stop is closed to tell the guest to end; it has some time then before it is
	// interrupted.
	Stop <-chan struct{}
	// Output is the run's log; required.
	Output *runtime.Output
	// Progress gets what the guest reports; may be nil.
	Progress func(percent float64, note string)
	// HTTP has a request made. Without it gw.http is denied.
	HTTP func(ctx context.Context, req runtime.HTTPRequest) (runtime.HTTPResponse, error)
	// KV works on the job's own store. Without it gw.kv is denied.
	KV func(ctx context.Context, req runtime.KVRequest) (runtime.KVResponse, error)
	// Secret reads a secret. Without it gw.secret is denied.
	Secret func(ctx context.Context, name string) (string, error)
}

// Host serves the calls of one run's guest. Its methods may be called concurrently.
type Host struct {
	Config
	calls atomic.Int64

	mu     sync.Mutex
	result string
}

// New makes the Host of a run.
func New(cfg Config) *Host { return &Host{Config: cfg} }

// Log writes text to the run's log.
func (h *Host) Log(text string) { h.Output.Line(text) }

// SetResult sets the text that the run answers if it succeeds.
func (h *Host) SetResult(text string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.result = Cut(text, MaxResult)
}

// Result is the text that was set last.
func (h *Host) Result() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.result
}

// Count counts a host call.
func (h *Host) Count() { h.calls.Add(1) }

// Calls is the number of host calls so far.
func (h *Host) Calls() int64 { return h.calls.Load() }

// SetProgress tells how far the run is, from 0 to 100.
func (h *Host) SetProgress(percent float64, note string) {
	if h.Progress != nil {
		h.Progress(min(max(percent, 0), 100), Cut(note, 1024))
	}
}

// Stopped reports whether the guest has been told to end.
func (h *Host) Stopped() bool {
	select {
	case <-h.Stop:
		return true
	default:
		return false
	}
}

// Sleep waits, unless the run is stopped first, which is [ErrStopped].
func (h *Host) Sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-h.Stop:
	case <-ctx.Done():
	}
	return ErrStopped
}

// Cut shortens text to at most limit bytes of valid UTF-8, with dots where it was cut.
func Cut(text string, limit int) string {
	if len(text) > limit {
		text = text[:limit-3] + "..."
	}
	return strings.ToValidUTF8(text, "")
}
