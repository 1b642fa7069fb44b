package worker

import (
	"fmt"
	"sync/atomic"
	"time"

	"github.com/gluewheel/gluewheel/runtime"
)

// Stats are what the workers and their warm pool do.
type Stats struct {
	Starts int64 // workers that were started, for runs, for the pool and for checks
	Ends   Ends  // of those whose program did not end by itself

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

// Ends count workers that were ended before their program had come to its end, by why.
type Ends struct {
	Timeout int64 // the run's time was over
	Kill    int64 // somebody asked for it, or the executor stops
	Memory  int64 // outgrown
	Limit   int64 // another limit, such as CPU time
	Loading int64 // starting or compiling took too long, or was not wanted any more
	Crash   int64 // the worker's own fault: it gave no result
}

// Stats tells how the workers and the warm pool are doing.
func (e *Engine) Stats() Stats {
	s := e.pool.stats(time.Now())
	s.Starts = e.starts.Load()
	s.Ends = e.ends.read()
	return s
}

// ends counts as Ends does. Safe for concurrent use.
type ends struct{ timeout, kill, memory, limit, loading, crash atomic.Int64 }

func (e *ends) read() Ends {
	return Ends{
		Timeout: e.timeout.Load(), Kill: e.kill.Load(), Memory: e.memory.Load(),
		Limit: e.limit.Load(), Loading: e.loading.Load(), Crash: e.crash.Load(),
	}
}

// count notes how a run in a worker ended.
func (e *ends) count(kind runtime.Kind) {
	switch kind {
	case runtime.TimedOut:
		e.timeout.Add(1)
	case runtime.Killed:
		e.kill.Add(1)
	case runtime.OutOfMemory:
		e.memory.Add(1)
	case runtime.LimitExceeded:
		e.limit.Add(1)
	case runtime.HostError:
		e.crash.Add(1)
	default: // its program ended by itself
	}
}

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
