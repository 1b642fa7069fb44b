package worker

import (
	"fmt"
	"time"
)

// Stats are what the warm pool does.
type Stats struct {
	Warm      int   // workers that wait for a run
	Bytes     int64 // their memory
	Served    int64 // runs that found a warm worker
	Missed    int64 // runs that had to start one
	Refills   int64 // workers made for the pool
	PerMinute int   // of those, in the last whole minute
}

// String says it to people.
func (s Stats) String() string {
	return fmt.Sprintf("%d warm workers with %d MiB, %d made for the pool in the last minute, %d of %d runs found one",
		s.Warm, s.Bytes>>20, s.PerMinute, s.Served, s.Served+s.Missed)
}

// Stats tells how the warm pool is doing.
func (e *Engine) Stats() Stats { return e.pool.stats(time.Now()) }

// tally counts what a pool does; its pool's lock guards it.
type tally struct {
	served, missed, refills int64
	minute                  time.Time // in which current counts
	current, last           int       // refills of that minute, and of the one before
}

// refilled counts a worker that was made.
func (t *tally) refilled(now time.Time) {
	t.turn(now)
	t.refills++
	t.current++
}

// turn begins a new minute if the old one is over.
func (t *tally) turn(now time.Time) {
	minute := now.Truncate(time.Minute)
	if minute.Equal(t.minute) {
		return
	}
	if t.last = 0; minute.Sub(t.minute) == time.Minute {
		t.last = t.current
	}
	t.minute, t.current = minute, 0
}

func (p *pool) stats(now time.Time) Stats {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tally.turn(now)
	return Stats{
		Warm: len(p.waiting), Bytes: p.bytes,
		Served: p.tally.served, Missed: p.tally.missed,
		Refills: p.tally.refills, PerMinute: p.tally.last,
	}
}
