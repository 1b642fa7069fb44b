package schedule

import (
	"slices"
	"sync"
	"time"

	"github.com/gluewheel/gluewheel/admin/job"
)

// ringSlots is the number of seconds in a turn of the ring.
const ringSlots = 60

// ring holds committed fires until they are handed over, in a slot for each second of a
// minute. Fires carry their absolute instants: one that is more than a turn away stays
// in its slot until its turn comes. Safe for concurrent use.
type ring struct {
	limit int // most fires held

	mu    sync.Mutex
	slots [ringSlots][]job.Fire
	held  map[int64]struct{} // run ids
	next  int64              // the Unix second that take begins with; all before are drained
}

func newRing(limit int) *ring {
	return &ring{limit: limit, held: make(map[int64]struct{})}
}

// add puts fires into the ring, but for those that it has. What does not fit is left
// out: the rows are in the ledger, and the sweeper brings them when they are late.
// Fires that are more than a turn ahead get only half of the room, so that delayed
// retries do not push out what is due soon.
func (r *ring) add(now time.Time, fires []job.Fire) (refused int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	far := now.Add(ringSlots * time.Second)
	for i := range fires {
		f := &fires[i]
		if _, ok := r.held[f.RunID]; ok {
			continue
		}
		if len(r.held) >= r.limit || len(r.held) >= r.limit/2 && f.DueAt.After(far) {
			refused++
			continue
		}
		r.held[f.RunID] = struct{}{}
		r.put(*f)
	}
	return refused
}

// put goes into the first slot not yet drained when the fire's own has been.
func (r *ring) put(f job.Fire) {
	slot := max(f.DueAt.Unix(), r.next) % ringSlots
	r.slots[slot] = append(r.slots[slot], f)
}

// take removes up to limit fires that are due at until, the oldest first, however late.
func (r *ring) take(until time.Time, limit int) []job.Fire {
	if limit <= 0 {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	end := until.Unix()
	// After a pause of more than a turn every slot is looked at once.
	first := max(r.next, end-ringSlots+1)
	var due []job.Fire
	for second := first; second <= end; second++ {
		due = r.drain(int(second%ringSlots), until, due)
	}
	slices.SortStableFunc(due, func(a, b job.Fire) int { return a.DueAt.Compare(b.DueAt) })
	r.next = end // the last slot may hold more for the rest of its second
	if len(due) > limit {
		for _, f := range due[limit:] {
			r.put(f)
		}
		due = due[:limit]
	}
	for i := range due {
		delete(r.held, due[i].RunID)
	}
	return due
}

// drain moves the fires of a slot that are due at until to due.
func (r *ring) drain(slot int, until time.Time, due []job.Fire) []job.Fire {
	kept := r.slots[slot][:0]
	for _, f := range r.slots[slot] {
		if f.DueAt.After(until) {
			kept = append(kept, f)
		} else {
			due = append(due, f)
		}
	}
	if len(kept) == 0 {
		kept = nil // a burst's memory goes with it
	}
	r.slots[slot] = kept
	return due
}

// len is the number of fires held.
func (r *ring) len() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.held)
}
