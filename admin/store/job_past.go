package store

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/gluewheel/gluewheel/admin/job"
)

// keepPast keeps what executors were sent of old, when an edit replaces it. Rows of more
// than a week ago go: no run stays open and unresolved for as long.
func keepPast(ctx context.Context, tx pgx.Tx, old, j *job.Job) error {
	const (
		keep = `
			INSERT INTO job_past (job_id, version, handler, param, timeout_s, block_strategy, idempotent)
			VALUES ($1, $2, $3, $4, $5, $6, $7)`
		forget = `DELETE FROM job_past WHERE job_id = $1 AND replaced_at < clock_timestamp() - interval '7 days'`
	)
	was := old.Sent()
	if was == j.Sent() {
		return nil
	}
	var b pgx.Batch
	b.Queue(forget, old.ID)
	b.Queue(keep, old.ID, old.Version, was.Handler, was.Param, was.TimeoutS, was.BlockStrategy, was.Idempotent)
	if err := tx.SendBatch(ctx, &b).Close(); err != nil {
		return fmt.Errorf("keep what job %d was: %w", old.ID, err)
	}
	return nil
}

// PastSent tells what jobs said at versions that edits have replaced. Keys of which the
// job still says the same, or that are too old, are not answered. Served by job_past_pkey.
func (s *Store) PastSent(ctx context.Context, keys []job.PastKey) ([]job.PastSent, error) {
	const sql = `
		SELECT k.job_id, k.version, p.handler, p.param, p.timeout_s, p.block_strategy, p.idempotent
		FROM unnest($1::integer[], $2::bigint[]) AS k (job_id, version)
			CROSS JOIN LATERAL (
				SELECT * FROM job_past WHERE job_id = k.job_id AND version >= k.version ORDER BY version LIMIT 1
			) AS p`
	jobs, versions := make([]int32, len(keys)), make([]int64, len(keys))
	for i, k := range keys {
		jobs[i], versions[i] = k.JobID, k.Version
	}
	out, err := many[job.PastSent](ctx, s.pool, sql, jobs, versions)
	if err != nil {
		return nil, fmt.Errorf("read %d past jobs: %w", len(keys), err)
	}
	return out, nil
}
