package store

import (
	"context"
	"errors"
	"iter"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/gluewheel/gluewheel/admin/job"
)

// pinPlan makes the planner take, for the rest of the transaction, the one plan that
// batch statements are written for: a nested loop from the unnested arguments into
// the ledger's primary key. An unanalysed or just filled partition otherwise gets a
// hash join over the whole of it, which is ten times dearer.
const pinPlan = `
SELECT set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true),
	set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true),
	set_config('plan_cache_mode', 'force_generic_plan', true), set_config('jit', 'off', true)`

// pinned sends the statements that queue adds as one pipelined transaction: one round
// trip, however many there are. queue runs again when PostgreSQL undid everything, so
// it resets what its callbacks collect.
func (s *Store) pinned(ctx context.Context, queue func(*pgx.Batch)) error {
	return retryUndone(func() error {
		var b pgx.Batch
		b.Queue(pinPlan)
		queue(&b)
		return s.pool.SendBatch(ctx, &b).Close()
	})
}

// retryUndone runs fn again while PostgreSQL asks for it.
func retryUndone(fn func() error) error {
	const attempts = 5
	var err error
	for range attempts {
		err = fn()
		var pg *pgconn.PgError
		if !errors.As(err, &pg) || pg.Code != "40001" && pg.Code != "40P01" {
			return err
		}
	}
	return err
}

// byDay cuts items, sorted by run id, into runs of the same day, so that each
// statement touches one partition of the ledger.
func byDay[T any](items []T, id func(*T) int64) iter.Seq2[time.Time, []T] {
	return func(yield func(time.Time, []T) bool) {
		for len(items) > 0 {
			day, n := job.Day(id(&items[0])), 1
			for n < len(items) && job.Day(id(&items[n])).Equal(day) {
				n++
			}
			if !yield(day, items[:n]) {
				return
			}
			items = items[n:]
		}
	}
}
