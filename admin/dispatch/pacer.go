package dispatch

import (
	"cmp"
	"container/heap"
	"context"
	"slices"
	"sync"
	"time"
)

// pacer holds claimed runs until their instants. It holds ticks: runs that are due at
// the same instant, which is how they come.
type pacer struct {
	wake chan struct{} // capacity 1: an earlier tick came in

	mu    sync.Mutex
	ticks tickHeap
}

type tick struct {
	due     time.Time
	entries []*entry
}

func (p *pacer) init() { p.wake = make(chan struct{}, 1) }

// add takes entries, whose order it changes.
func (p *pacer) add(entries []*entry) {
	slices.SortFunc(entries, func(a, b *entry) int {
		return cmp.Or(a.DueAt.Compare(b.DueAt), cmp.Compare(a.RunID, b.RunID))
	})
	p.mu.Lock()
	for len(entries) > 0 {
		due, n := entries[0].DueAt, 1
		for n < len(entries) && entries[n].DueAt.Equal(due) {
			n++
		}
		heap.Push(&p.ticks, tick{due, entries[:n:n]})
		entries = entries[n:]
	}
	p.mu.Unlock()
	select {
	case p.wake <- struct{}{}:
	default: // the loop is awake already
	}
}

// due removes what is due, and tells how long until the next tick.
func (p *pacer) due(now time.Time) (entries []*entry, next time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.ticks) > 0 {
		if wait := p.ticks[0].due.Sub(now); wait > 0 {
			return entries, wait
		}
		entries = append(entries, heap.Pop(&p.ticks).(tick).entries...)
	}
	return entries, time.Hour
}

// paceLoop hands runs to the pools at their instants.
func (d *Dispatcher) paceLoop(ctx context.Context) {
	t := time.NewTimer(time.Hour)
	defer t.Stop()
	for {
		entries, wait := d.pacer.due(d.cfg.Now())
		d.submit(ctx, entries)
		t.Reset(wait)
		select {
		case <-ctx.Done():
			return
		case <-d.pacer.wake:
		case <-t.C:
		}
	}
}

// tickHeap orders ticks by their instants.
type tickHeap []tick

func (h tickHeap) Len() int           { return len(h) }
func (h tickHeap) Less(i, j int) bool { return h[i].due.Before(h[j].due) }
func (h tickHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *tickHeap) Push(x any)        { *h = append(*h, x.(tick)) }

func (h *tickHeap) Pop() any {
	old := *h
	last := old[len(old)-1]
	old[len(old)-1] = tick{}
	*h = old[:len(old)-1]
	return last
}
