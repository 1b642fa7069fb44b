package dispatch

import (
	"context"
	"sync"
	"time"

	"github.com/gluewheel/gluewheel/admin/job"
)

// pool sends entries with a bounded number of workers, of which only a part serves one
// address. Each address has a lane; a worker takes one request's worth from a lane and
// then goes on to the lane that has waited longest. Workers start on demand and end
// when no lane has work for them. A full pool makes entries wait; it drops none.
type pool struct {
	workers, perAddress int
	wg                  *sync.WaitGroup
	send                func(ctx context.Context, batch []*entry)
	waited              func(time.Duration) // how long the first of a batch did

	mu      sync.Mutex
	closed  bool
	lanes   map[string]*lane
	ready   []*lane // with work and room for a worker, longest waiting first
	active  int
	waiting int // entries in lanes
}

// lane is what waits for one address.
type lane struct {
	address string
	queue   []*entry
	active  int
	queued  bool // stands in ready
}

func newPool(workers, perAddress int, wg *sync.WaitGroup, send func(context.Context, []*entry)) *pool {
	return &pool{
		workers: workers, perAddress: perAddress, wg: wg, send: send, lanes: map[string]*lane{},
		waited: func(time.Duration) {},
	}
}

// close lets no more work begin. Workers end after the request that they are at.
func (p *pool) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	clear(p.lanes)
	p.ready, p.waiting = nil, 0
}

// PoolLoad is what a pool has to do.
type PoolLoad struct {
	Waiting int // runs for which no worker is free
	Sending int // requests under way
}

// load tells how many entries wait, and how many requests are under way.
func (p *pool) load() PoolLoad {
	p.mu.Lock()
	defer p.mu.Unlock()
	return PoolLoad{Waiting: p.waiting, Sending: p.active}
}

// submit queues entries. ctx gives the requests its values and not its end: one that is
// under way at shutdown is finished, since its answer decides what the run becomes.
func (p *pool) submit(ctx context.Context, entries []*entry) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return // at shutdown: what is held and unsent is given back
	}
	now := time.Now()
	p.waiting += len(entries)
	for _, e := range entries {
		e.submitted = now
		address := job.SameAddress(e.Address)
		l, ok := p.lanes[address]
		if !ok {
			l = &lane{address: address}
			p.lanes[address] = l
		}
		l.queue = append(l.queue, e)
		p.offer(l)
	}
	p.hire(context.WithoutCancel(ctx))
}

// offer puts a lane that can use a worker at the end of the line; mu is held.
func (p *pool) offer(l *lane) {
	if !l.queued && len(l.queue) > 0 && l.active < p.perAddress {
		l.queued = true
		p.ready = append(p.ready, l)
	}
}

// hire starts workers for the lanes in line; mu is held. A lane may use several.
func (p *pool) hire(ctx context.Context) {
	want := 0
	for _, l := range p.ready {
		want += min(requests(l.queue), p.perAddress-l.active)
	}
	for ; want > 0 && p.active < p.workers; want-- {
		p.active++
		p.wg.Go(func() { p.work(ctx) })
	}
}

func (p *pool) work(ctx context.Context) {
	for {
		l, batch := p.next()
		if batch == nil {
			return
		}
		p.waited(time.Since(batch[0].submitted))
		p.send(ctx, batch)
		p.mu.Lock()
		l.active--
		p.offer(l)
		if p.lanes[l.address] == l && l.active == 0 && len(l.queue) == 0 {
			delete(p.lanes, l.address)
		}
		p.mu.Unlock()
	}
}

// next takes one request's entries; nil ends the worker.
func (p *pool) next() (*lane, []*entry) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.ready) == 0 {
		p.active--
		return nil, nil
	}
	l := p.ready[0]
	p.ready[0] = nil
	p.ready = p.ready[1:]
	l.queued = false
	n := requestSize(l.queue)
	batch := l.queue[:n:n]
	if l.queue = l.queue[n:]; len(l.queue) == 0 {
		l.queue = nil
	}
	l.active++
	p.waiting -= n
	p.offer(l)
	return l, batch
}

const (
	// maxRuns is the most runs in one request to one of our executors.
	maxRuns = 200
	// maxBytes bounds such a request, roughly: under protocol.MaxBody, since JSON
	// escapes grow a source.
	maxBytes = 1 << 20
)

// requestSize is how many of the first entries go into one request: many for our
// executors, else one.
func requestSize(queue []*entry) int {
	if !queue[0].target.Ours() {
		return 1
	}
	size := 0
	for i, e := range queue {
		if size += e.size(); i == maxRuns || i > 0 && size > maxBytes || !e.target.Ours() {
			return i
		}
	}
	return len(queue)
}

// requests is about how many requests a queue is worth.
func requests(queue []*entry) int {
	if len(queue) > 0 && queue[0].target.Ours() {
		return (len(queue) + maxRuns - 1) / maxRuns
	}
	return len(queue)
}
