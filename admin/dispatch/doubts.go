package dispatch

import (
	"context"
	"sync"
	"time"

	"github.com/gluewheel/gluewheel/admin/job"
	"github.com/gluewheel/gluewheel/admin/outage"
)

// doubts gathers what the ledger must be told about runs that are held: those whose
// request was not answered, those of which nothing was sent, and those that nothing
// more can be found out about.
type doubts struct {
	wake chan struct{} // capacity 1: something waits

	mu       sync.Mutex
	doubtful []*entry
	unsent   []job.Hold
	parked   []job.Hold
}

func (q *doubts) init() { q.wake = make(chan struct{}, 1) }

func (q *doubts) add(entries []*entry) {
	q.put(func() { q.doubtful = append(q.doubtful, entries...) }, len(entries))
}

func (q *doubts) giveUp(holds []job.Hold) {
	q.put(func() { q.unsent = append(q.unsent, holds...) }, len(holds))
}

func (q *doubts) park(h job.Hold) {
	q.put(func() { q.parked = append(q.parked, h) }, 1)
}

func (q *doubts) put(add func(), n int) {
	if n == 0 {
		return
	}
	q.mu.Lock()
	add()
	q.mu.Unlock()
	select {
	case q.wake <- struct{}{}:
	default: // the loop is awake already
	}
}

// doubtLinger gathers the runs of many requests into one statement.
const doubtLinger = 20 * time.Millisecond

// doubtLoop writes what gathered.
func (d *Dispatcher) doubtLoop(ctx context.Context) {
	away := outage.Pacer{Log: d.log, What: "mark runs unknown"}
	for {
		select {
		case <-ctx.Done():
			return
		case <-d.doubts.wake:
		}
		if !outage.Sleep(ctx, doubtLinger) {
			return
		}
		away.After(ctx, d.flushDoubts(ctx))
	}
}

// flushDoubts makes runs unknown, planned again or parked. What fails is kept for the
// next time; the epoch guards against runs that others have taken over meanwhile.
func (d *Dispatcher) flushDoubts(ctx context.Context) error {
	q := &d.doubts
	q.mu.Lock()
	doubtful, unsent, parked := q.doubtful, q.unsent, q.parked
	q.doubtful, q.unsent, q.parked = nil, nil, nil
	q.mu.Unlock()
	if len(unsent) > 0 {
		if _, err := d.cfg.Store.Release(ctx, unsent); err != nil {
			d.keepDoubts(doubtful, unsent, parked)
			return err
		}
	}
	if len(parked) > 0 {
		if _, err := d.cfg.Store.Park(ctx, parked); err != nil {
			d.keepDoubts(doubtful, nil, parked)
			return err
		}
	}
	if err := d.markUnknown(ctx, doubtful); err != nil {
		d.keepDoubts(doubtful, nil, nil)
		return err
	}
	return nil
}

func (d *Dispatcher) keepDoubts(doubtful []*entry, unsent, parked []job.Hold) {
	d.doubts.add(doubtful)
	d.doubts.giveUp(unsent)
	for _, h := range parked {
		d.doubts.park(h)
	}
}

// markUnknown hands to the resolver what the ledger now calls unknown. Runs whose
// result came in the meantime are done.
func (d *Dispatcher) markUnknown(ctx context.Context, doubtful []*entry) error {
	if len(doubtful) == 0 {
		return nil
	}
	list := make([]job.Doubt, len(doubtful))
	for i, e := range doubtful {
		list[i] = job.Doubt{Hold: e.hold(), Reason: job.ReasonNoAnswer}
	}
	marked, err := d.cfg.Store.MarkUnknown(ctx, d.cfg.Lease, list)
	if err != nil {
		return err
	}
	unknown := make(map[int64]bool, len(marked))
	for _, id := range marked {
		unknown[id] = true
	}
	now := time.Now()
	for _, e := range doubtful {
		if unknown[e.RunID] {
			e.doubt = &doubt{}
			d.resolver.later(e, now)
		} else {
			d.held.remove(e)
		}
	}
	return nil
}
