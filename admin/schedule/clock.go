package schedule

import (
	"sync"
	"time"
)

// maxRoundTrip is how long a heartbeat may take to be a good reading of the database's
// clock; a slower one counts only when there is no good one for goodFor.
const (
	maxRoundTrip = 50 * time.Millisecond
	goodFor      = 30 * time.Second
)

// clock estimates the database's clock between heartbeats, by which all instants are
// meant. It advances with the monotonic clock of the machine, so that setting the
// machine's time does not move it.
type clock struct {
	mu    sync.Mutex
	local time.Time // with its monotonic reading
	db    time.Time // the database's clock at local
	good  bool      // read within maxRoundTrip
}

// now is the database's time; the machine's before the first reading.
func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.local.IsZero() {
		return time.Now()
	}
	return c.db.Add(time.Since(c.local))
}

// observe takes a reading that was asked for at sent and has just come.
func (c *clock) observe(sent, db time.Time) {
	received := time.Now()
	trip := received.Sub(sent)
	c.mu.Lock()
	defer c.mu.Unlock()
	good := trip <= maxRoundTrip
	if !good && c.good && received.Sub(c.local) < goodFor {
		return
	}
	c.local, c.db, c.good = received, db.Add(trip/2), good
}
