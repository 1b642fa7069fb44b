package store

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gluewheel/gluewheel/admin/job"
)

// maxWindow bounds the instants of a new schedule that are compared with those that are
// planned already: far more than the planning horizon holds.
const maxWindow = 1000

// begin is how a schedule begins while instants up to last were planned before, by an
// older schedule or before a stop.
type begin struct {
	window []time.Time // the new schedule's instants up to the newest that was planned
	behind time.Time   // its first one after those
	over   error       // why there is none
}

// keep are planned rows that an edit does not cancel. The zero value is none.
type keep struct {
	at    []time.Time
	shard int32
}

// beginning walks the new schedule from the present on. How a FIX_DELAY goes on after
// its first instant only its run tells.
func beginning(old, j *job.Job, now time.Time, next job.NextFunc) (begin, error) {
	last := now
	if old.LastFire != nil && old.LastFire.After(now) {
		last = *old.LastFire
	}
	at, err := next(now)
	if err != nil {
		return begin{}, err
	}
	var b begin
	for err == nil && !at.After(last) && len(b.window) < maxWindow {
		b.window = append(b.window, at)
		if j.ScheduleType == job.ScheduleFixDelay {
			at = last
		}
		at, err = next(at) // from instant to instant: FIX_RATE has no other memory
	}
	b.behind, b.over = at, err
	return b, nil
}

// kept are the planned rows that are at instants of the new schedule as well. A broadcast
// begins with another shard than other jobs, so that its rows are told apart.
func (b *begin) kept(j *job.Job) keep { return keep{b.window, job.FirstShard(j.RouteStrategy)} }

// first is the first instant that has no row yet: an instant is planned once, whichever
// schedule it was planned by, and one that was cancelled stays so. Those behind it that
// have one are left out by planning. Without any, the last planned one stands for the
// schedule's end. Reads run_fire_key.
func (b *begin) first(ctx context.Context, tx pgx.Tx, j *job.Job) (time.Time, error) {
	const sql = `
		SELECT fire_at, state <> $4 FROM run
		WHERE job_id = $1 AND fire_at = ANY ($2) AND shard = $3 AND attempt = 0 AND cause IN (1, 6)`
	taken := map[int64]bool{} // instant in microseconds → not cancelled
	rows, err := tx.Query(ctx, sql, j.ID, b.window, job.FirstShard(j.RouteStrategy), job.Cancelled)
	if err != nil {
		return time.Time{}, fmt.Errorf("read planned instants: %w", err)
	}
	var at time.Time
	var live bool
	if _, err = pgx.ForEachRow(rows, []any{&at, &live}, func() error {
		taken[at.UnixMicro()] = live
		return nil
	}); err != nil {
		return time.Time{}, fmt.Errorf("read planned instants: %w", err)
	}
	for _, at := range b.window {
		if _, ok := taken[at.UnixMicro()]; !ok {
			return at, nil
		}
	}
	for i := len(b.window) - 1; i >= 0 && b.over != nil; i-- {
		if taken[b.window[i].UnixMicro()] {
			return b.window[i], nil
		}
	}
	return b.behind, b.over
}
