package store

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gluewheel/gluewheel/admin/job"
)

// Trigger plans one run that is due now, for started and stopped jobs alike.
func (s *Store) Trigger(ctx context.Context, req job.TriggerRequest) (job.Fire, error) {
	var fire job.Fire
	err := s.withPartitions(ctx, func() ([]time.Time, error) {
		err := s.retryTx(ctx, func(tx pgx.Tx) error {
			var err error
			fire, err = s.trigger(ctx, tx, req)
			return err
		})
		return []time.Time{fire.FireAt}, err
	})
	if err != nil {
		return job.Fire{}, fmt.Errorf("trigger job %d: %w", req.JobID, err)
	}
	return fire, nil
}

func (s *Store) trigger(ctx context.Context, tx pgx.Tx, req job.TriggerRequest) (job.Fire, error) {
	const (
		// The key lock keeps the job from being deleted in between, and waits for no edit
		// or planning.
		read = `
			SELECT group_id, route_strategy, retry_count, date_trunc('milliseconds', clock_timestamp()) AS now
			FROM job WHERE id = $1 FOR KEY SHARE`
		insert = `
			INSERT INTO run (id, fire_at, due_at, job_id, group_id, cause, shard, retries_left, param, addresses, state, version_pin)
			VALUES ($1, $2, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`
	)
	j, err := one[struct {
		GroupID       int32
		RouteStrategy job.RouteStrategy
		RetryCount    int32
		Now           time.Time
	}](ctx, tx, read, req.JobID)
	if err != nil {
		return job.Fire{}, err
	}
	var pin *int32
	if req.Version != 0 {
		if _, err := wasLive(ctx, tx, req.JobID, req.Version, "version"); err != nil {
			return job.Fire{}, err
		}
		pin = &req.Version
	}
	f := job.Fire{JobID: req.JobID, Shard: job.FirstShard(j.RouteStrategy), FireAt: j.Now, DueAt: j.Now, Addressed: req.Addresses != nil}
	ids, err := s.nextIDs(ctx, tx, []time.Time{f.FireAt})
	if err != nil {
		return job.Fire{}, err
	}
	f.RunID = ids[0]
	retries := int16(min(j.RetryCount, math.MaxInt16))
	_, err = tx.Exec(ctx, insert, f.RunID, f.FireAt, f.JobID, j.GroupID, req.Cause, f.Shard, retries,
		req.Param, req.Addresses, job.Planned, pin)
	return f, err
}
