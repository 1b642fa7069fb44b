package store

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// resumeWaiting finds started FIX_DELAY jobs of the locked buckets without a next fire
// by job_waiting_idx. The rows of a job's newest instant are its shards (run_fire_key)
// and retries (run_other_fire_idx); while one of them is open (run_open_job_idx) the job
// waits on. It locks the rows of the jobs it moves; a job that is being edited is left to
// the next round. A delay that cannot be read counts as none: planning then stops the job,
// and says why.
const resumeWaiting = `
	WITH waiting AS (
		SELECT j.id, coalesce(
			(SELECT max(e.ended_at) FROM (
				SELECT r.ended_at FROM run r WHERE r.job_id = j.id AND r.fire_at = j.last_fire AND r.cause IN (1, 6)
				UNION ALL
				SELECT r.ended_at FROM run r WHERE r.job_id = j.id AND r.fire_at = j.last_fire AND r.cause NOT IN (1, 6)
			) e), clock_timestamp()) + make_interval(secs => coalesce(substring(j.schedule_conf FROM '[0-9]{1,10}')::bigint, 0)) AS next_fire
		FROM job j
		WHERE j.bucket = ANY(@buckets) AND j.enabled AND j.next_fire IS NULL AND j.schedule_type = 'FIX_DELAY'
			AND NOT EXISTS (
				SELECT FROM run r WHERE r.job_id = j.id AND r.ended_at IS NULL AND r.fire_at = j.last_fire)
		ORDER BY j.bucket, j.id
		LIMIT @limit
		FOR UPDATE OF j SKIP LOCKED
	)
	UPDATE job j SET
		next_fire = CASE WHEN w.next_fire <= coalesce(j.valid_until, 'infinity') THEN date_trunc('milliseconds', w.next_fire) END,
		enabled = w.next_fire <= coalesce(j.valid_until, 'infinity')
	FROM waiting w WHERE j.id = w.id
	RETURNING j.id, NOT j.enabled`

// resume gives the FIX_DELAY jobs whose last run has ended their next fire, counted from
// that end; its retries belong to the run. It is part of planning, so that the fire can
// be planned at once, and not of the completion, which touches no job. Jobs whose time
// of validity ends before that fire are stopped.
func (p *planning) resume(ctx context.Context) error {
	rows, err := p.tx.Query(ctx, resumeWaiting, pgx.StrictNamedArgs{"buckets": p.res.Buckets, "limit": p.req.Limit})
	if err != nil {
		return fmt.Errorf("resume waiting jobs: %w", err)
	}
	var id int32
	var over bool
	_, err = pgx.ForEachRow(rows, []any{&id, &over}, func() error {
		if over {
			p.res.Over = append(p.res.Over, id)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("resume waiting jobs: %w", err)
	}
	return nil
}
