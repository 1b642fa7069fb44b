package queue

import (
	"context"
	"time"

	"github.com/gluewheel/gluewheel/executor/protocol"
)

// queue is one job's. Its fields are guarded by Queues.mu.
type queue struct {
	jobID   int32
	waiting []protocol.Trigger // oldest first
	held    int                // admitted, neither committed nor aborted
	running *run               // nil when nothing runs
	working bool               // a goroutine of Queues.work serves it
	idle    *time.Timer        // removes it; set while it has nothing to do
	rests   int                // how often it came to rest: tells a late timer from a current one
}

// run is the trigger in progress.
type run struct {
	logID  int64
	cancel context.CancelCauseFunc
}

func (q *queue) busy() bool { return q.working || q.held > 0 }

// takeWaiting empties the queue.
func (q *queue) takeWaiting() []protocol.Trigger {
	all := q.waiting
	q.waiting = nil
	return all
}

// takeOne removes one waiting trigger.
func (q *queue) takeOne(logID int64) []protocol.Trigger {
	for i, t := range q.waiting {
		if int64(t.LogID) == logID {
			q.waiting = append(q.waiting[:i:i], q.waiting[i+1:]...)
			return []protocol.Trigger{t}
		}
	}
	return nil
}

// stopRunning cancels the run in progress; with a log id only if it is that one.
func (q *queue) stopRunning(logID int64, stop *Stop) bool {
	if q.running == nil || logID != 0 && q.running.logID != logID {
		return false
	}
	q.running.cancel(stop)
	return true
}
