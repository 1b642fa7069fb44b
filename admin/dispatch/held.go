package dispatch

import (
	"sync"
	"time"

	"github.com/gluewheel/gluewheel/admin/job"
)

// entry is a run that this admin holds.
type entry struct {
	job.Claimed
	job     *job.Job // as claimed
	version *version // nil for BEAN
	target  job.Target

	// Below: guarded by held.mu.
	lease time.Time // by the monotonic clock: until when it is surely held
	sent  bool      // a request was, or may have been, written
	gone  bool      // no longer held: another admin has it, or it ended

	submitted time.Time // to a pool; of the submitter, then of the worker
	doubt     *doubt    // nil until the run is unknown; used by one goroutine at a time
}

func (e *entry) hold() job.Hold { return job.Hold{RunID: e.RunID, Epoch: e.Epoch} }

// held is every run that this admin holds: waiting for its instant, waiting in a pool,
// being sent, or unknown.
type held struct {
	mu        sync.Mutex
	entries   map[int64]*entry
	waiting   int            // not yet sent
	waitingAt map[string]int // the same by address
}

func (h *held) init() { h.entries, h.waitingAt = map[int64]*entry{}, map[string]int{} }

// add takes entries on. One of an earlier epoch is gone with it.
func (h *held) add(entries []*entry) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, e := range entries {
		if old, ok := h.entries[e.RunID]; ok {
			h.forget(old)
		}
		h.entries[e.RunID] = e
		if !e.sent {
			h.wait(e, 1)
		}
	}
}

// wait counts e as waiting or no longer; mu is held.
func (h *held) wait(e *entry, by int) {
	h.waiting += by
	address := job.SameAddress(e.Address)
	if h.waitingAt[address] += by; h.waitingAt[address] == 0 {
		delete(h.waitingAt, address)
	}
}

// forget is called with mu held.
func (h *held) forget(e *entry) {
	if e.gone {
		return
	}
	e.gone = true
	if !e.sent {
		h.wait(e, -1)
	}
	if h.entries[e.RunID] == e {
		delete(h.entries, e.RunID)
	}
}

func (h *held) remove(e *entry) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.forget(e)
}

func (h *held) unsent() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.waiting
}

// unsentAt is how many entries wait to be sent to one address.
func (h *held) unsentAt(address string) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.waitingAt[job.SameAddress(address)]
}

// leave says whether an entry may be written now.
type leave int8

const (
	granted leave = iota
	tooLate       // the lease does not outlast a request
	notHeld       // another admin has the run, or it ended
)

// leaveToSend grants leave when e is held and its lease outlasts the request. Then it
// counts as sent.
func (h *held) leaveToSend(e *entry, now time.Time, timeout time.Duration) leave {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case e.gone:
		return notHeld
	case now.Add(timeout).After(e.lease):
		return tooLate
	}
	if !e.sent {
		h.wait(e, -1)
		e.sent = true
	}
	return granted
}

// expiring lists what must be renewed: all whose lease ends before the instant.
func (h *held) expiring(before time.Time) []job.Hold {
	h.mu.Lock()
	defer h.mu.Unlock()
	var out []job.Hold
	for _, e := range h.entries {
		if e.lease.Before(before) {
			out = append(out, e.hold())
		}
	}
	return out
}

// renewed notes which of the holds that were asked for are still held, until lease.
func (h *held) renewed(asked []job.Hold, still []int64, lease time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	kept := make(map[int64]bool, len(still))
	for _, id := range still {
		kept[id] = true
	}
	for _, a := range asked {
		e, ok := h.entries[a.RunID]
		switch {
		case !ok || e.Epoch != a.Epoch:
		case kept[a.RunID]:
			e.lease = lease
		default:
			h.forget(e)
		}
	}
}

// takeUnsent forgets, and lists, what was claimed and not sent.
func (h *held) takeUnsent() []job.Hold {
	h.mu.Lock()
	defer h.mu.Unlock()
	var out []job.Hold
	for _, e := range h.entries {
		if !e.sent {
			out = append(out, e.hold())
			h.forget(e)
		}
	}
	return out
}
