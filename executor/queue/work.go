package queue

import (
	"context"
	"time"

	"github.com/gluewheel/gluewheel/executor/protocol"
)

// wake lets a goroutine serve the queue. The caller holds mu.
func (s *Queues) wake(q *queue) {
	if q.idle != nil {
		q.idle.Stop()
		q.idle = nil
	}
	if !q.working {
		q.working = true
		s.busy++
		s.workers.Go(func() { s.work(q) })
	}
}

// work runs the queue's triggers one by one and ends when there is none left.
func (s *Queues) work(q *queue) {
	for s.more(q) {
		s.slots <- struct{}{} // bounded by the runs before it, each of which can be stopped
		s.runNext(q)
		<-s.slots
	}
}

// more reports whether something waits; if not, the queue comes to rest.
func (s *Queues) more(q *queue) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(q.waiting) > 0 {
		return true
	}
	q.working = false
	s.settle()
	if s.closed {
		delete(s.jobs, q.jobID)
	} else {
		s.rest(q)
	}
	return false
}

// runNext runs the oldest waiting trigger, if a kill has left one.
func (s *Queues) runNext(q *queue) {
	// The run outlives the request that brought it; Stop and the kills end it.
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	t, ok := s.begin(q, cancel)
	if !ok {
		return
	}
	s.cfg.Run(ctx, t)
	s.mu.Lock()
	q.running = nil
	s.mu.Unlock()
}

func (s *Queues) begin(q *queue, cancel context.CancelCauseFunc) (t protocol.Trigger, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(q.waiting) == 0 {
		return t, false
	}
	t = q.waiting[0]
	q.waiting[0] = protocol.Trigger{} // its texts would live as long as the array
	q.waiting = q.waiting[1:]
	q.running = &run{logID: int64(t.LogID), cancel: cancel}
	return t, true
}

// rest sets the timer that removes an idle queue. The caller holds mu.
func (s *Queues) rest(q *queue) {
	q.rests++
	n := q.rests
	q.idle = time.AfterFunc(s.cfg.IdleAfter, func() { s.expire(q, n) })
}

// expire removes a queue that has not woken since its n-th rest began.
func (s *Queues) expire(q *queue, n int) {
	s.mu.Lock()
	gone := false
	switch {
	case q.working || q.rests != n || s.jobs[q.jobID] != q:
	case q.held > 0:
		s.rest(q)
	default:
		delete(s.jobs, q.jobID)
		gone = true
	}
	s.mu.Unlock()
	if gone {
		s.cfg.Idle(q.jobID)
	}
}
