// Package hostapi is what guest code may call, written once for every sandboxed
// language: an engine only turns its own values into plain ones and back.
//
// A [Host] serves one run, inside the sandbox worker. Nothing here reaches outside the
// process but log lines, progress and the result, which travel as frames. What would
// reach further (http, kv, secret) is denied.
package hostapi

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gluewheel/gluewheel/runtime"
)

// MaxResult is the longest result text in bytes; the rest is cut off.
const MaxResult = 48 << 10

// Host serves the calls of one run's guest.
type Host struct {
	Invocation runtime.Invocation

	stop     <-chan struct{}
	out      *runtime.Output
	progress func(percent float64, note string)
	calls    atomic.Int64

	mu     sync.Mutex
	result string
}

// New makes the Host of a run. The guest is told to end when stop is closed, and has
// some time then before it is interrupted. Progress may be nil.
func New(
	inv runtime.Invocation, stop <-chan struct{}, out *runtime.Output, progress func(percent float64, note string),
) *Host {
	if progress == nil {
		progress = func(float64, string) {}
	}
	return &Host{Invocation: inv, stop: stop, out: out, progress: progress}
}

// Log writes text to the run's log.
func (h *Host) Log(text string) { h.out.Line(text) }

// Output is the run's log, for engines whose guests write streams.
func (h *Host) Output() *runtime.Output { return h.out }

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

// Progress tells how far the run is, from 0 to 100.
func (h *Host) Progress(percent float64, note string) {
	h.progress(min(max(percent, 0), 100), Cut(note, 1024))
}

// Stopped reports whether the guest has been told to end.
func (h *Host) Stopped() bool {
	select {
	case <-h.stop:
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
	case <-h.stop:
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
