package dispatch

import (
	"sync"

	"github.com/gluewheel/gluewheel/admin/job"
)

// inbox holds runs that were handed over and are not yet claimed.
type inbox struct {
	capacity int
	wake     chan struct{} // capacity 1: something came in

	mu    sync.Mutex
	items []routed
}

// routed is a fire on its way through routing.
type routed struct {
	job.Fire
	ready     bool     // routed: job, addresses and why are set
	job       *job.Job // as routed; nil when there is no such job any more
	addresses []string // where it goes: one, or a broadcast's; empty for the reason why
	own       []string // the run's own list, which replaces the group's when not nil
	test      bool     // it brings its own code; known once its list is, and it always has one
	why       failure
	route     *job.Route // how its one address was found
	tries     int        // claims lost because the job had changed
}

// failure is why a run has nowhere to go.
type failure struct{ reason, message string }

func (b *inbox) init(capacity int) {
	b.capacity, b.wake = capacity, make(chan struct{}, 1)
}

// add takes as many fires as fit beside waiting ones, and returns how many did not.
func (b *inbox) add(fires []job.Fire, waiting int) (left int) {
	b.mu.Lock()
	n := min(len(fires), max(b.capacity-waiting-len(b.items), 0))
	for _, f := range fires[:n] {
		b.items = append(b.items, routed{Fire: f})
	}
	b.mu.Unlock()
	b.poke()
	return len(fires) - n
}

func (b *inbox) free(waiting int) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return max(b.capacity-waiting-len(b.items), 0)
}

// addBack returns items whose routing took its own time, or whose claim failed. They
// were counted before, so that no limit applies.
func (b *inbox) addBack(items []routed) {
	b.mu.Lock()
	b.items = append(b.items, items...)
	b.mu.Unlock()
	b.poke()
}

func (b *inbox) poke() {
	select {
	case b.wake <- struct{}{}:
	default: // the claim loop is awake already
	}
}

// take removes at most n items.
func (b *inbox) take(n int) []routed {
	b.mu.Lock()
	defer b.mu.Unlock()
	out := append([]routed(nil), b.items[:min(n, len(b.items))]...)
	rest := copy(b.items, b.items[len(out):])
	clear(b.items[rest:])
	if b.items = b.items[:rest]; rest > 0 {
		b.poke()
	}
	return out
}
