package store

import "context"

// restoreBuckets inserts missing lock rows: those of the configured buckets and of every
// bucket that a started job is in. A deleted lock row would otherwise end the planning
// of its jobs without a word. A restored bucket is the first to be taken.
func (s *Store) restoreBuckets(ctx context.Context, buckets int) error {
	// The recursion hops from bucket to bucket along job_due_idx.
	const sql = `
		WITH RECURSIVE used AS (
			SELECT min(bucket) AS bucket FROM job WHERE enabled AND next_fire IS NOT NULL
			UNION ALL
			SELECT (SELECT min(j.bucket) FROM job j WHERE j.enabled AND j.next_fire IS NOT NULL AND j.bucket > u.bucket)
			FROM used u WHERE u.bucket IS NOT NULL
		), wanted AS (
			SELECT bucket FROM used WHERE bucket IS NOT NULL
			UNION
			SELECT generate_series(0, $1::int - 1)
		)
		INSERT INTO bucket_lock (bucket, planned_at)
		SELECT w.bucket, to_timestamp(0) FROM wanted w
		WHERE NOT EXISTS (SELECT FROM bucket_lock l WHERE l.bucket = w.bucket)
		ON CONFLICT DO NOTHING`
	_, err := s.pool.Exec(ctx, sql, max(1, buckets))
	return err
}
