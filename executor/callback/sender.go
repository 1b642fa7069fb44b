package callback

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/gluewheel/gluewheel/executor/protocol"
)

const (
	// maxBatch is how many results travel together. XXL-JOB sends up to 50; its admins
	// take more.
	maxBatch = 200
	// maxBatchBytes bounds their texts, below the 4 MiB that servers take by default.
	maxBatchBytes = 1 << 20
	// parallel is how many batches may be under way. An admin answers after its commit,
	// some 20 ms: four batches are 40,000 results a second.
	parallel = 4

	minBackoff = 250 * time.Millisecond
	maxBackoff = 5 * time.Second
)

// admins is where results go; *adminclient.Client.
type admins interface {
	Addresses() []string
	Call(ctx context.Context, address, call string, body []byte) error
}

// Config says whom to tell what.
type Config struct {
	// Admins are tried in order. Required.
	Admins admins
	// Acked is told which results an admin has taken. Required.
	Acked func(ids []int64)
	// Lag is told of each of them how long ago its run had ended. It must not block.
	// Optional.
	Lag func(time.Duration)
	// Complete adds to a result what is only needed on the wire, such as the end of its
	// log, so that waiting results stay small. Optional.
	Complete func(*protocol.Callback)
	// Log takes what an operator should know. Default: nothing is logged.
	Log *slog.Logger
}

// Sender holds the results that no admin has taken yet. Its methods may be called
// concurrently.
type Sender struct {
	cfg      Config
	log      *slog.Logger
	dialects dialects
	more     chan struct{} // room of one a worker: results are waiting

	mu      sync.Mutex // guards what follows
	waiting []protocol.Callback
	pending int           // waiting or in a batch
	empty   chan struct{} // closed while pending is 0
	failing bool
}

// New makes a sender without results.
func New(cfg Config) (*Sender, error) {
	if cfg.Admins == nil || cfg.Acked == nil {
		return nil, errors.New("callback: Admins and Acked are required")
	}
	if cfg.Complete == nil {
		cfg.Complete = func(*protocol.Callback) {}
	}
	if cfg.Lag == nil {
		cfg.Lag = func(time.Duration) {}
	}
	s := &Sender{
		cfg:      cfg,
		log:      cmp.Or(cfg.Log, slog.New(slog.DiscardHandler)).With("component", "callback"),
		dialects: dialects{wrapped: make(map[string]bool)},
		more:     make(chan struct{}, parallel),
		empty:    make(chan struct{}),
	}
	close(s.empty)
	return s, nil
}

// Add takes results to be sent. It never blocks: the journal bounds how many there are.
func (s *Sender) Add(results ...protocol.Callback) {
	if len(results) == 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.pending == 0 {
		s.empty = make(chan struct{})
	}
	s.pending += len(results)
	s.waiting = append(s.waiting, results...)
	s.signal()
}

// signal wakes a worker that sleeps. The caller holds mu.
func (s *Sender) signal() {
	select {
	case s.more <- struct{}{}:
	default: // as many wake-ups are under way as there are workers
	}
}

// Flush waits until every result was taken, or ctx ends.
func (s *Sender) Flush(ctx context.Context) error {
	s.mu.Lock()
	empty := s.empty
	s.mu.Unlock()
	select {
	case <-empty:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("flush results: %w", context.Cause(ctx))
	}
}

// Run sends until ctx ends.
func (s *Sender) Run(ctx context.Context) error {
	var workers sync.WaitGroup
	for range parallel {
		workers.Go(func() { s.work(ctx) })
	}
	workers.Wait()
	return nil
}

func (s *Sender) work(ctx context.Context) {
	backoff := minBackoff
	for {
		batch := s.take()
		if len(batch) == 0 {
			select {
			case <-s.more:
				continue
			case <-ctx.Done():
				return
			}
		}
		err := s.deliver(ctx, batch)
		s.note(err)
		if err == nil {
			backoff = minBackoff
			continue
		}
		select {
		case <-time.After(backoff):
			backoff = min(2*backoff, maxBackoff)
		case <-ctx.Done():
			return
		}
	}
}

// take removes the next batch from what waits.
func (s *Sender) take() []protocol.Callback {
	s.mu.Lock()
	defer s.mu.Unlock()
	n, bytes := 0, 0
	for n < min(len(s.waiting), maxBatch) && bytes < maxBatchBytes {
		bytes += s.size(&s.waiting[n])
		n++
	}
	batch := s.waiting[:n:n]
	s.waiting = s.waiting[n:]
	if len(s.waiting) > 0 {
		s.signal()
	}
	return batch
}

// size is what a result adds to a body, with room for the log tail of a failed run.
func (s *Sender) size(cb *protocol.Callback) int {
	n := 256
	if cb.HandleMsg != nil {
		n += len(*cb.HandleMsg)
	}
	if cb.HandleCode != protocol.CodeOK {
		n += protocol.MaxLogTail
	}
	return n
}

// deliver sends a batch; what was not taken waits again.
func (s *Sender) deliver(ctx context.Context, batch []protocol.Callback) error {
	err := s.send(ctx, batch)
	if err == nil {
		s.acked(batch)
		return nil
	}
	if unreadable(err) && len(batch) > 1 {
		half := len(batch) / 2
		return errors.Join(s.deliver(ctx, batch[:half]), s.deliver(ctx, batch[half:]))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if unreadable(err) {
		s.waiting = append(s.waiting, batch...) // behind those that may be readable
	} else {
		s.waiting = append(batch, s.waiting...)
	}
	return err
}

func (s *Sender) acked(batch []protocol.Callback) {
	ids := make([]int64, len(batch))
	for i := range batch {
		ids[i] = int64(batch[i].LogID)
	}
	s.cfg.Acked(ids)
	s.lagged(batch)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pending -= len(batch)
	if s.pending == 0 {
		close(s.empty)
	}
}

// lagged tells how old results were when they were taken.
func (s *Sender) lagged(batch []protocol.Callback) {
	now := time.Now()
	for i := range batch {
		if x := batch[i].Gluewheel; x != nil {
			s.cfg.Lag(max(now.Sub(time.UnixMilli(x.EndedMS)), 0))
		}
	}
}

// Pending is how many results no admin has taken yet.
func (s *Sender) Pending() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.pending
}

// note logs when results begin to pile up and when they flow again.
func (s *Sender) note(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case err != nil && !s.failing:
		s.log.Warn("no admin takes results, they are kept and sent again", "pending", s.pending, "error", err)
	case err == nil && s.failing:
		s.log.Info("admin takes results again", "pending", s.pending)
	}
	s.failing = err != nil
}
