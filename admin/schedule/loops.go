package schedule

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/gluewheel/gluewheel/admin/job"
	"github.com/gluewheel/gluewheel/admin/outage"
)

// task is something that is done again and again.
type task struct {
	name    string
	every   time.Duration
	retry   time.Duration // after a failure
	timeout time.Duration // of one time
}

var (
	heartbeatTask = task{name: "heartbeat", every: time.Second, retry: time.Second, timeout: 3 * time.Second}
	sweepTask     = task{name: "sweep", every: 500 * time.Millisecond, retry: time.Second, timeout: 10 * time.Second}
	partitionTask = task{name: "partitions", every: 10 * time.Minute, retry: 5 * time.Second, timeout: time.Minute}
)

const (
	// planAt is the moment within each second at which planning begins. Cron and
	// FIX_RATE fire on whole seconds; planning stays out of the way of that burst.
	planAt = 500 * time.Millisecond
	// planTimeout bounds one planning transaction.
	planTimeout = 10 * time.Second
	// nudgePause is the least time between two rounds that changes of jobs ask for.
	nudgePause = 100 * time.Millisecond
	// watchRetry is the pause before a broken watch begins again.
	watchRetry = 500 * time.Millisecond
	// leaveTimeout bounds the farewell to a database that may be away.
	leaveTimeout = 2 * time.Second
)

// repeat does fn at once and then as the task says, until ctx ends.
func (s *Scheduler) repeat(ctx context.Context, t task, fn func(context.Context) error) {
	for {
		err := bounded(ctx, t.timeout, fn)
		s.trouble.report(ctx, t.name, err)
		pause := t.every
		if err != nil {
			pause = t.retry
		}
		if !outage.Sleep(ctx, pause) {
			return
		}
	}
}

// bounded runs fn with a time limit that its error tells of.
func bounded(ctx context.Context, limit time.Duration, fn func(context.Context) error) error {
	cause := fmt.Errorf("took longer than %v", limit)
	ctx, cancel := context.WithTimeoutCause(ctx, limit, cause)
	defer cancel()
	err := fn(ctx)
	if err != nil && context.Cause(ctx) == cause {
		return errors.Join(err, cause)
	}
	return err
}

// planLoop plans each second, at once again while there is more, and shortly after a
// job has changed.
func (s *Scheduler) planLoop(ctx context.Context) {
	for ctx.Err() == nil {
		more := false
		err := bounded(ctx, planTimeout, func(ctx context.Context) (err error) {
			more, err = s.planRound(ctx)
			return err
		})
		s.trouble.report(ctx, "planning", err)
		if err == nil && more {
			continue
		}
		if !outage.Sleep(ctx, nudgePause) || !outage.SleepOr(ctx, untilPlanning(s.clock.now()), s.nudge) {
			return
		}
	}
}

// untilPlanning is the time to the next moment of planning.
func untilPlanning(now time.Time) time.Duration {
	next := now.Truncate(time.Second).Add(planAt)
	if !next.After(now) {
		next = next.Add(time.Second)
	}
	return next.Sub(now)
}

// planRound runs one planning transaction; more asks for another one at once.
func (s *Scheduler) planRound(ctx context.Context) (more bool, err error) {
	req := job.PlanRequest{Owner: s.cfg.Node, Buckets: s.cfg.Buckets, Horizon: horizon, Limit: planLimit}
	res, err := s.cfg.Ledger.PlanDue(ctx, req, s.planner.plan)
	if err != nil {
		return false, err
	}
	s.Add(res.Fires)
	now := time.Now()
	s.rounded.Store(&now)
	for _, id := range res.Over {
		s.log.WarnContext(ctx, "job has no next fire and stops", "job_id", id, "reason", cmp.Or(s.planner.why[id], errNoMoreFires))
	}
	if res.Skipped > 0 {
		s.log.WarnContext(ctx, "missed fires skipped by misfire strategies", "rows", res.Skipped)
	}
	return res.More, nil
}

// sweep brings planned rows that are late into the ring, as many as dispatch has room
// for: more would only push out what is on time.
func (s *Scheduler) sweep(ctx context.Context) error {
	room := min(s.cfg.Dispatcher.Free(), sweepLimit)
	if room <= 0 {
		return nil
	}
	req := job.SweepRequest{After: sweepAfter, MisfireAfter: misfireLateAfter, Limit: room}
	res, err := s.cfg.Ledger.Sweep(ctx, req, func(late []job.Late) []int64 { return skipLate(s.clock.now(), late) })
	if err != nil {
		return err
	}
	if res.Misfired > 0 {
		s.log.WarnContext(ctx, "late fires skipped by misfire strategies", "rows", res.Misfired)
	}
	s.Add(s.swept.filter(time.Now(), res.Fires))
	s.Add(res.Limited) // others wait behind them: offered until they are claimed
	return nil
}

func (s *Scheduler) heartbeat(ctx context.Context) error {
	sent := time.Now()
	pulse, err := s.cfg.Cluster.Heartbeat(ctx, s.cfg.Node, s.cfg.Name, s.measured)
	if err != nil {
		return err
	}
	measured := job.ReadClock(pulse.Now, sent, time.Now())
	s.measured = &measured
	s.clock.observe(sent, pulse.Now)
	return nil
}

func (s *Scheduler) keepPartitions(ctx context.Context) error {
	if err := s.cfg.Ledger.KeepPartitions(ctx); err != nil {
		return err
	}
	if s.cfg.Retention <= 0 {
		return nil
	}
	dropped, err := s.cfg.Ledger.DropPartitions(ctx, s.clock.now().Add(-s.cfg.Retention))
	if len(dropped) > 0 {
		s.log.InfoContext(ctx, "old ledger partitions dropped", "partitions", dropped)
	}
	return err
}

// watchLoop passes changes on, and everything as changed whenever it begins anew.
func (s *Scheduler) watchLoop(ctx context.Context) {
	for ctx.Err() == nil {
		err := s.cfg.Cluster.Watch(ctx, func(c job.Change) {
			s.trouble.report(ctx, "watch", nil)
			s.cfg.Changed(c)
			if c.Kind != job.ChangeGroup && c.Kind != job.ChangeExecutors {
				signal(s.nudge)
			}
		})
		s.trouble.report(ctx, "watch", err)
		if !outage.Sleep(ctx, watchRetry) {
			return
		}
	}
}

// handOverLoop gives the dispatcher what is due soon, as far as it has room.
func (s *Scheduler) handOverLoop(ctx context.Context) {
	for {
		if fires := s.ring.take(s.clock.now().Add(handOverAhead), s.cfg.Dispatcher.Free()); len(fires) > 0 {
			s.cfg.Dispatcher.Dispatch(fires)
		}
		if !outage.SleepOr(ctx, handOverEvery, s.wake) {
			return
		}
	}
}

// drain waits until the ring is empty, for the drain time at most.
func (s *Scheduler) drain() {
	end := time.Now().Add(s.cfg.Drain)
	for s.ring.len() > 0 && time.Now().Before(end) {
		time.Sleep(handOverEvery)
	}
}

// leave takes the node out of the cluster, so that its share of the buckets is free.
func (s *Scheduler) leave(ctx context.Context) error {
	return bounded(context.WithoutCancel(ctx), leaveTimeout, func(ctx context.Context) error {
		if err := s.cfg.Cluster.RemoveNode(ctx, s.cfg.Node); err != nil {
			s.log.WarnContext(ctx, "node not removed, it will be forgotten in time", "err", err)
		}
		return nil
	})
}
