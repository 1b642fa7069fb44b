package queue

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/gluewheel/gluewheel/executor/protocol"
)

// Refusals of Admit. Their texts go to the admin as they are.
var (
	// ErrDiscarded: DISCARD_LATER, and the job is busy.
	ErrDiscarded = errors.New(protocol.MsgDiscardLater)
	// ErrStopping: the executor takes no new work.
	ErrStopping = errors.New(protocol.MsgStopping)
)

// DefaultDepth is how many triggers of one job wait at most. XXL-JOB has no bound; at
// one trigger a second this is almost three hours of backlog.
const DefaultDepth = 10_000

// DefaultMaxRunning is how many jobs run at once where nothing else is said.
const DefaultMaxRunning = 256

// Config says what the queues call and where their bounds are.
type Config struct {
	// Depth bounds the waiting triggers of one job. Default DefaultDepth.
	Depth int
	// MaxRunning bounds the runs of all jobs together; more wait in their queues.
	// Default DefaultMaxRunning.
	MaxRunning int
	// IdleAfter is how long a queue without work stays. Default protocol.IdleAfter.
	IdleAfter time.Duration
	// Run runs a trigger and returns when it has ended and its result is safe. A cancelled
	// ctx carries a *Stop as its cause. Required.
	Run func(ctx context.Context, t protocol.Trigger)
	// Drop takes triggers that will never run. Required.
	Drop func(triggers []protocol.Trigger, stop *Stop)
	// Idle tells that a job's queue is gone. Optional.
	Idle func(jobID int32)
}

// Queues holds one queue a job. Its methods may be called concurrently.
type Queues struct {
	cfg     Config
	slots   chan struct{} // one a run; its capacity is MaxRunning
	workers sync.WaitGroup

	mu     sync.Mutex // guards what follows
	jobs   map[int32]*queue
	busy   int // held places and working queues
	closed bool
	quiet  chan struct{} // closed when closed is set and busy is 0
}

// New makes queues that hold nothing.
func New(cfg Config) (*Queues, error) {
	if cfg.Run == nil || cfg.Drop == nil {
		return nil, errors.New("queue: Run and Drop are required")
	}
	cfg.Depth = cmp.Or(cfg.Depth, DefaultDepth)
	cfg.MaxRunning = cmp.Or(cfg.MaxRunning, DefaultMaxRunning)
	cfg.IdleAfter = cmp.Or(cfg.IdleAfter, protocol.IdleAfter)
	if cfg.Idle == nil {
		cfg.Idle = func(int32) {}
	}
	return &Queues{
		cfg:   cfg,
		slots: make(chan struct{}, cfg.MaxRunning),
		jobs:  make(map[int32]*queue),
		quiet: make(chan struct{}),
	}, nil
}

// Ticket is an admitted trigger's place. Exactly one of Commit and Abort must follow.
type Ticket struct {
	queues *Queues
	queue  *queue
	cover  bool
}

// Admit applies the block strategy and the bounds, and holds a place.
func (s *Queues) Admit(t protocol.Trigger) (Ticket, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return Ticket{}, ErrStopping
	}
	return s.admit(t)
}

func (s *Queues) admit(t protocol.Trigger) (Ticket, error) {
	q := s.queue(int32(t.JobID))
	cover := t.BlockStrategy == protocol.BlockCover
	switch {
	case t.BlockStrategy == protocol.BlockDiscard && q.busy():
		return Ticket{}, ErrDiscarded
	case !cover && len(q.waiting)+q.held >= s.cfg.Depth:
		return Ticket{}, fmt.Errorf(protocol.MsgQueueFull, len(q.waiting)+q.held)
	}
	q.held++
	s.busy++
	return Ticket{queues: s, queue: q, cover: cover}, nil
}

// queue finds or makes the job's queue. A new one without work goes away by itself.
func (s *Queues) queue(jobID int32) *queue {
	q := s.jobs[jobID]
	if q == nil {
		q = &queue{jobID: jobID}
		s.jobs[jobID] = q
		s.rest(q)
	}
	return q
}

// Commit queues the trigger, which is durable now. COVER_EARLY takes effect here.
func (k Ticket) Commit(t protocol.Trigger) {
	s, q := k.queues, k.queue
	s.mu.Lock()
	var covered []protocol.Trigger
	if k.cover {
		q.stopRunning(0, StopCover())
		covered = q.takeWaiting()
	}
	q.held--
	q.waiting = append(q.waiting, t)
	s.wake(q)
	s.settle()
	s.mu.Unlock()
	s.drop(covered, StopCover())
}

// Abort gives the place back.
func (k Ticket) Abort() {
	k.queues.mu.Lock()
	defer k.queues.mu.Unlock()
	k.queue.held--
	k.queues.settle()
}

// settle takes one from busy, and tells Drain when that was the last. The caller holds mu.
func (s *Queues) settle() {
	s.busy--
	if s.closed && s.busy == 0 {
		close(s.quiet)
	}
}

// Restore queues a trigger that was accepted before a restart, whatever the strategy
// and the bounds say: they were applied then.
func (s *Queues) Restore(t protocol.Trigger) {
	s.mu.Lock()
	defer s.mu.Unlock()
	q := s.queue(int32(t.JobID))
	q.waiting = append(q.waiting, t)
	s.wake(q)
}

// Busy reports whether the job has a running, waiting or held trigger.
func (s *Queues) Busy(jobID int32) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	q := s.jobs[jobID]
	return q != nil && q.busy()
}

// Load tells how many triggers run, and how many wait.
func (s *Queues) Load() (running, waiting int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, q := range s.jobs {
		if waiting += len(q.waiting); q.running != nil {
			running++
		}
	}
	return running, waiting
}

// KillJob stops the job's run and drops what waits; false if the job has no queue.
func (s *Queues) KillJob(jobID int32, stop *Stop) bool {
	s.mu.Lock()
	q := s.jobs[jobID]
	var waiting []protocol.Trigger
	if q != nil {
		q.stopRunning(0, stop)
		waiting = q.takeWaiting()
	}
	s.mu.Unlock()
	s.drop(waiting, stop)
	return q != nil
}

// KillRun stops or drops one trigger; false if it is neither running nor waiting.
func (s *Queues) KillRun(jobID int32, logID int64, stop *Stop) bool {
	s.mu.Lock()
	q := s.jobs[jobID]
	var stopped bool
	var waiting []protocol.Trigger
	if q != nil {
		stopped = q.stopRunning(logID, stop)
		waiting = q.takeOne(logID)
	}
	s.mu.Unlock()
	s.drop(waiting, stop)
	return stopped || len(waiting) > 0
}

func (s *Queues) drop(triggers []protocol.Trigger, stop *Stop) {
	if len(triggers) > 0 {
		s.cfg.Drop(triggers, stop)
	}
}

// Close refuses new triggers and lets idle queues go. What is queued still runs. It is
// called once.
func (s *Queues) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	for id, q := range s.jobs {
		if q.idle != nil && q.held == 0 {
			q.idle.Stop()
			delete(s.jobs, id)
		}
	}
	if s.busy == 0 {
		close(s.quiet)
	}
}

// Drain waits, after Close, until nothing waits or runs, or ctx ends.
func (s *Queues) Drain(ctx context.Context) error {
	select {
	case <-s.quiet:
		s.workers.Wait() // they have nothing left to do but return
		return nil
	case <-ctx.Done():
		return fmt.Errorf("wait for running jobs: %w", context.Cause(ctx))
	}
}

// Stop cancels every run and drops everything that waits.
func (s *Queues) Stop(stop *Stop) {
	s.mu.Lock()
	var waiting []protocol.Trigger
	for _, q := range s.jobs {
		q.stopRunning(0, stop)
		waiting = append(waiting, q.takeWaiting()...)
	}
	s.mu.Unlock()
	s.drop(waiting, stop)
}
