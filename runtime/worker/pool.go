package worker

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/gluewheel/gluewheel/runtime"
)

const (
	// admission is how long a worker must have waited before a newcomer to a full pool
	// may take its place.
	admission = 15 * time.Second
	// refillers bounds the workers that are made at a time for the pool: it shall not
	// take the processor from runs.
	refillers = 2
)

// pool keeps workers warm, the longest waiting first.
type pool struct {
	engine *Engine
	ctx    context.Context // of the refills; ends with the pool
	cancel context.CancelFunc
	wg     sync.WaitGroup // of the refills

	mu        sync.Mutex
	programs  map[string]int // open ones, by key
	waiting   []*process     // oldest first
	bytes     int64          // their memory
	refilling int
	wanted    []runtime.Source // workers that no refiller was free to make, one a key at most
	expiry    *time.Timer      // for the oldest
	closed    bool
	tally     tally
}

func newPool(e *Engine) *pool {
	ctx, cancel := context.WithCancel(context.Background())
	p := &pool{engine: e, ctx: ctx, cancel: cancel, programs: make(map[string]int)}
	p.expiry = time.AfterFunc(time.Hour, p.expire)
	p.expiry.Stop()
	return p
}

// size is the number of warm workers.
func (p *pool) size() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.waiting)
}

// has reports whether a worker waits for a run of key.
func (p *pool) has(key string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.ContainsFunc(p.waiting, func(w *process) bool { return w.src.Key == key && w.alive() })
}

// take takes a worker for a run of key, nil if there is none.
func (p *pool) take(key string) *process {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := 0; i < len(p.waiting); i++ {
		if p.waiting[i].src.Key != key {
			continue
		}
		w := p.remove(i)
		if w.alive() {
			p.tally.served++
			return w
		}
		w.end()
		i--
	}
	p.tally.missed++
	return nil
}

// put adds a worker, or ends it if it has no place.
func (p *pool) put(w *process) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.programs[w.src.Key] == 0 {
		w.end()
		return
	}
	w.bytes = w.resident()
	for !p.closed && p.full(w) && len(p.waiting) > 0 && time.Since(p.waiting[0].ready) > admission {
		p.remove(0).end()
	}
	if p.closed || p.full(w) {
		w.end()
		return
	}
	p.waiting = append(p.waiting, w)
	p.bytes += w.bytes
	p.schedule()
}

func (p *pool) full(w *process) bool {
	cfg := p.engine.cfg
	return len(p.waiting) >= cfg.PoolSize || p.bytes+w.bytes > cfg.PoolBytes
}

// refill has a worker made for src in the background, now or when others have been made.
func (p *pool) refill(src runtime.Source) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.closed || p.engine.cfg.PoolSize < 0:
	case p.refilling < refillers:
		p.refilling++
		p.wg.Go(func() { p.makeAll(src) })
	case !slices.ContainsFunc(p.wanted, func(w runtime.Source) bool { return w.Key == src.Key }):
		p.wanted = append(p.wanted, src)
	}
}

// makeAll makes a worker for src, then for what is wanted besides.
func (p *pool) makeAll(src runtime.Source) {
	for more := true; more; src, more = p.next() {
		w, err := p.engine.start(p.ctx, src, warm)
		switch {
		case err == nil:
			p.made()
			p.put(w)
		case p.ctx.Err() == nil:
			p.engine.log.Warn("warm worker not made", "key", src.Key, "error", err)
		}
	}
}

func (p *pool) made() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tally.refilled(time.Now())
}

// next is the program that has wanted a worker longest. Without one, a refiller ends.
func (p *pool) next() (src runtime.Source, more bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.wanted) > 0 && !p.closed {
		src, p.wanted = p.wanted[0], p.wanted[1:]
		if p.programs[src.Key] > 0 {
			return src, true
		}
	}
	p.refilling--
	return runtime.Source{}, false
}

// retain says that a program of key is open, which is what workers are kept for.
func (p *pool) retain(key string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.programs[key]++
}

// release takes that back. With the last program its workers end, and those that are
// still being made find no place.
func (p *pool) release(key string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.programs[key]--; p.programs[key] > 0 {
		return
	}
	delete(p.programs, key)
	for i := len(p.waiting) - 1; i >= 0; i-- {
		if p.waiting[i].src.Key == key {
			p.remove(i).end()
		}
	}
}

// expire ends the workers that have waited for too long.
func (p *pool) expire() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.waiting) > 0 && time.Since(p.waiting[0].ready) >= p.engine.cfg.PoolAge {
		p.remove(0).end()
	}
	p.schedule()
}

// schedule sets the timer for the oldest worker.
func (p *pool) schedule() {
	if len(p.waiting) == 0 || p.closed {
		p.expiry.Stop()
		return
	}
	p.expiry.Reset(time.Until(p.waiting[0].ready.Add(p.engine.cfg.PoolAge)))
}

func (p *pool) remove(i int) *process {
	w := p.waiting[i]
	p.waiting = slices.Delete(p.waiting, i, i+1)
	p.bytes -= w.bytes
	return w
}

// close ends all warm workers and waits until they are gone.
func (p *pool) close() error {
	p.cancel()
	p.mu.Lock()
	p.closed = true
	ending := p.waiting
	p.waiting, p.bytes = nil, 0
	p.expiry.Stop()
	p.mu.Unlock()

	p.wg.Wait() // bounded: the context ends what they wait for
	var err error
	for _, w := range ending {
		w.end()
		if _, ended := w.kill(); !ended {
			err = errors.Join(err, errors.New("close worker pool: a worker survives being killed"))
		}
	}
	return err
}
