package wire

import (
	"context"
	"errors"
	"sync"
	"time"
)

const (
	// jobCallsPerSecond is how often one group may call the job API, as in XXL-JOB, whose
	// bound is for all together.
	jobCallsPerSecond = 100
	// rateWait is the longest a call waits for its turn.
	rateWait = time.Second
)

var errTooMany = errors.New("Too many requests, please try again later.") //nolint:staticcheck // the protocol's words

// rates spaces the calls of each group. The zero value is ready. Groups are few enough to
// be kept for ever.
type rates struct {
	mu   sync.Mutex
	next map[int32]time.Time // group → when the call after the last one may go
}

// take waits for a group's turn, or refuses at once when that is too far away. Up to a
// second's worth of calls may come together.
func (r *rates) take(ctx context.Context, group int32) error {
	const interval, burst = time.Second / jobCallsPerSecond, time.Second
	now := time.Now()
	r.mu.Lock()
	if r.next == nil {
		r.next = map[int32]time.Time{}
	}
	at := r.next[group]
	if at.Before(now) {
		at = now
	}
	wait := at.Sub(now) - burst
	if wait > rateWait {
		r.mu.Unlock()
		return errTooMany
	}
	r.next[group] = at.Add(interval)
	r.mu.Unlock()
	if wait <= 0 {
		return nil
	}
	t := time.NewTimer(wait)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
