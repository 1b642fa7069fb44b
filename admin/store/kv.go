package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/gluewheel/gluewheel/admin/job"
	"github.com/gluewheel/gluewheel/glue"
)

// OpenRun tells where an open run of that epoch belongs; job.ErrNotFound when there is
// none. Served by run_pkey.
func (s *Store) OpenRun(ctx context.Context, h job.Hold) (job.RunPlace, error) {
	const sql = `
		SELECT job_id, group_id, address FROM run
		WHERE id = $1 AND fire_at >= $2 AND fire_at < $3 AND epoch = $4 AND state IN (2, 3, 4)`
	day := job.Day(h.RunID)
	place, err := one[job.RunPlace](ctx, s.pool, sql, h.RunID, day, day.AddDate(0, 0, 1), h.Epoch)
	if err != nil {
		return job.RunPlace{}, fmt.Errorf("read open run %d: %w", h.RunID, err)
	}
	return place, nil
}

// KVGet gives the value of a key in a job's store, and whether there is one.
func (s *Store) KVGet(ctx context.Context, jobID int32, key string) (value []byte, found bool, err error) {
	const sql = `SELECT value FROM job_kv WHERE job_id = $1 AND key = $2`
	err = s.pool.QueryRow(ctx, sql, jobID, key).Scan(&value)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, fmt.Errorf("read key of job %d: %w", jobID, err)
	}
	return value, true, nil
}

// lockKV makes those who add keys to the same job's store come one after the other. The
// pairs of keys are shared with lockBroadcasts; a collision does no harm, since this is
// the only lock that its transaction waits for.
const lockKV = `SELECT pg_advisory_xact_lock(-5, $1)`

const setKV = `
INSERT INTO job_kv (job_id, key, value)
SELECT $1, $2, $3
WHERE EXISTS (SELECT FROM job_kv WHERE job_id = $1 AND key = $2)
	OR (SELECT count(*) FROM job_kv WHERE job_id = $1) < $4
ON CONFLICT (job_id, key) DO UPDATE SET value = excluded.value, updated_at = clock_timestamp()`

// KVSet sets the value of a key: job.ErrKVFull when it would be one too many,
// job.ErrNotFound when the job is gone.
func (s *Store) KVSet(ctx context.Context, jobID int32, key string, value []byte) error {
	if value == nil {
		value = []byte{} // not null
	}
	var kept int64
	var b pgx.Batch // which is a transaction; the second statement sees what was committed before the lock
	b.Queue(lockKV, jobID)
	b.Queue(setKV, jobID, key, value, glue.MaxKVKeys)
	results := s.pool.SendBatch(ctx, &b)
	_, err := results.Exec()
	if err == nil {
		tag, failure := results.Exec()
		kept, err = tag.RowsAffected(), failure
	}
	err = errors.Join(err, results.Close())
	switch {
	case violates(err, "job_kv_job_id_fkey"):
		err = job.ErrNotFound
	case err == nil && kept == 0:
		err = job.ErrKVFull
	}
	if err != nil {
		return fmt.Errorf("set key of job %d: %w", jobID, err)
	}
	return nil
}

// KVDelete removes a key and tells whether it was there.
func (s *Store) KVDelete(ctx context.Context, jobID int32, key string) (bool, error) {
	tag, err := s.pool.Exec(ctx, `DELETE FROM job_kv WHERE job_id = $1 AND key = $2`, jobID, key)
	if err != nil {
		return false, fmt.Errorf("delete key of job %d: %w", jobID, err)
	}
	return tag.RowsAffected() > 0, nil
}

// KVKeys lists a job's keys with that beginning, in the order of their bytes. There are
// at most glue.MaxKVKeys.
func (s *Store) KVKeys(ctx context.Context, jobID int32, prefix string) ([]string, error) {
	const sql = `SELECT key FROM job_kv WHERE job_id = $1 AND starts_with(key, $2) ORDER BY key LIMIT $3`
	rows, err := s.pool.Query(ctx, sql, jobID, prefix, glue.MaxKVKeys)
	if err != nil {
		return nil, fmt.Errorf("list keys of job %d: %w", jobID, err)
	}
	keys, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, fmt.Errorf("list keys of job %d: %w", jobID, err)
	}
	return keys, nil
}
