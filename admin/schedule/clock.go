package schedule

import (
	"sync"
	"time"
)

// maxRoundTrip is how long a heartbeat may take to be a good reading of the database's
// clock, taken for that of its middle; a slower one counts only when there is no good one
// for goodFor, and then for what is sure: it was that time before the answer came. Half a
// slow trip would be ahead where the way back was the short one, and fires early; being
// behind only makes them late.
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
	if good {
		db = db.Add(trip / 2)
	}
	c.local, c.db, c.good = received, db, good
}
