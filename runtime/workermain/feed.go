package workermain

import (
	"sync"
	"time"

	"github.com/gluewheel/gluewheel/runtime/frame"
)

const (
	// feedInterval is how long a line may wait for others, so that a chatty guest does
	// not cost a system call a line.
	feedInterval = 10 * time.Millisecond
	// feedBytes is how much waits at most; then the guest waits until it is sent.
	feedBytes = 64 << 10
)

// feed sends log lines and progress in batches, in order. A send blocks while the
// supervisor is slow, and with it the guest: that is the back-pressure.
type feed struct {
	conn  *frame.Conn
	timer *time.Timer

	mu      sync.Mutex
	lines   []byte
	latest  *frame.ProgressBody // the last progress not yet sent; older ones are of no use
	pending bool                // the timer runs
	closed  bool
}

func newFeed(conn *frame.Conn) *feed {
	f := &feed{conn: conn}
	f.timer = time.AfterFunc(time.Hour, f.flush)
	f.timer.Stop()
	return f
}

func (f *feed) line(line string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.lines = append(append(f.lines, line...), '\n')
	if len(f.lines) >= feedBytes {
		f.send()
		return
	}
	f.schedule()
}

func (f *feed) progress(percent float64, note string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.latest = &frame.ProgressBody{Percent: percent, Note: note}
	f.schedule()
}

func (f *feed) schedule() {
	if !f.pending && !f.closed {
		f.pending = true
		f.timer.Reset(feedInterval)
	}
}

func (f *feed) flush() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.pending = false
	f.send()
}

// close sends what waits; nothing is sent after it.
func (f *feed) close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.timer.Stop()
	f.send()
	f.closed = true
}

// send ignores errors: when the supervisor is gone, the reader ends the process.
func (f *feed) send() {
	if f.closed {
		return
	}
	if len(f.lines) > 0 {
		_ = f.conn.Write(frame.Log, f.lines)
		f.lines = f.lines[:0]
	}
	if f.latest != nil {
		_ = f.conn.Send(frame.Progress, f.latest)
		f.latest = nil
	}
}
