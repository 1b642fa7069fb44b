package store

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gluewheel/gluewheel/admin/job"
)

const groupSeen = `(@groups::int[] IS NULL OR r.group_id = ANY(@groups))`

// RunCounts counts the runs that ended from an instant to before another one, by spans
// of a minute, an hour or a UTC day. Spans without runs are left out. Minutes are kept
// for two days.
//
// Reads run_count_pkey, and by run_ended_idx what is not counted yet.
func (s *Store) RunCounts(ctx context.Context, groups []int32, from, to time.Time, step time.Duration) ([]job.RunCount, error) {
	const sql = `
		SELECT date_bin(@step::interval, r.at, timestamptz '2000-01-01 00:00Z') AS at, r.outcome, sum(r.runs)::bigint AS runs
		FROM (
			SELECT at, outcome, runs FROM run_count
			WHERE step_s = @kept AND at >= @from AND at < @to AND group_id = ANY(coalesce(@groups::int[], '{0}'))
			UNION ALL
			SELECT r.ended_at, r.outcome, greatest(r.range_count, 1) FROM run r
			WHERE r.ended_at >= greatest(@counted::timestamptz, @from::timestamptz) AND r.ended_at < @to AND ` + countRun + ` AND ` + groupSeen + `
		) AS r
		GROUP BY 1, 2 ORDER BY 1, 2`
	counted, err := s.counted(ctx)
	if err != nil {
		return nil, err
	}
	list, err := many[job.RunCount](ctx, s.pool, sql, runMode, pgx.StrictNamedArgs{
		"groups": groups, "from": from, "to": to, "step": step, "kept": int32(min(step, time.Hour).Seconds()), "counted": counted,
	})
	if err != nil {
		return nil, fmt.Errorf("count runs from %s to %s: %w", from, to, err)
	}
	return list, nil
}

// JobFigures sums up the runs of jobs that ended on the UTC days from one to another one,
// both included, up to where they are counted. Reads run_day_pkey.
func (s *Store) JobFigures(ctx context.Context, f job.FiguresFilter) ([]job.JobFigures, error) {
	const sql = `
		SELECT r.job_id, coalesce(j.name, '') AS name, r.runs, r.failures, r.avg_ms, r.max_ms
		FROM (
			SELECT job_id, sum(runs)::bigint AS runs, sum(failures)::bigint AS failures,
				coalesce(sum(total_ms) / nullif(sum(timed), 0), 0)::bigint AS avg_ms, max(max_ms)::bigint AS max_ms
			FROM run_day r
			WHERE day >= @from::date AND day <= @to::date AND ` + groupSeen + `
			GROUP BY job_id
		) AS r LEFT JOIN job j ON j.id = r.job_id
		WHERE CASE @order::text WHEN 'failing' THEN r.failures ELSE r.avg_ms END > 0
		ORDER BY CASE @order WHEN 'failing' THEN r.failures ELSE r.avg_ms END DESC, r.job_id
		LIMIT @limit`
	list, err := many[job.JobFigures](ctx, s.pool, sql, pgx.StrictNamedArgs{
		"groups": f.GroupIDs, "from": f.From.UTC(), "to": f.To.UTC(), "order": f.Order, "limit": f.Limit,
	})
	if err != nil {
		return nil, fmt.Errorf("sum up runs of jobs: %w", err)
	}
	return list, nil
}

const (
	// lateWindow is of which runs the lateness is told.
	lateWindow = "1 hour"
	// lateSample is of how many of them, the latest first.
	lateSample = 5000
)

// Overview counts jobs and open runs, and tells how late runs of the last hour began.
// Reads job, run_open_idx and run_ended_idx.
func (s *Store) Overview(ctx context.Context, groups []int32) (job.Overview, error) {
	const sql = `
		SELECT j.jobs, j.enabled_jobs, o.running, coalesce(l.p50, interval '0') AS p50, coalesce(l.p99, interval '0') AS p99
		FROM (SELECT count(*) AS jobs, count(*) FILTER (WHERE enabled) AS enabled_jobs FROM job r WHERE ` + groupSeen + `) AS j,
			(SELECT count(*) AS running FROM (
				SELECT FROM run r WHERE r.ended_at IS NULL AND r.state IN (2, 3, 4) AND ` + groupSeen + ` LIMIT @cap) AS r) AS o,
			(SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY late) AS p50, percentile_disc(0.99) WITHIN GROUP (ORDER BY late) AS p99
			FROM (
				SELECT greatest(r.started_at - r.due_at, interval '0') AS late FROM run r
				WHERE r.ended_at >= statement_timestamp() - interval '` + lateWindow + `' AND r.started_at IS NOT NULL AND ` + countRun + ` AND ` + groupSeen + `
				ORDER BY r.ended_at DESC LIMIT @sample) AS r) AS l`
	o, err := one[job.Overview](ctx, s.pool, sql, runMode, pgx.StrictNamedArgs{"groups": groups, "cap": job.TotalCap, "sample": lateSample})
	if err != nil {
		return job.Overview{}, fmt.Errorf("look over jobs and runs: %w", err)
	}
	return o, nil
}

// History reads the latest runs of jobs, the newest of each first, without those that
// are still to come and without test-runs. Reads run_job_idx.
func (s *Store) History(ctx context.Context, jobIDs []int32, limit int) ([]job.HistoryRun, error) {
	const sql = `
		SELECT r.* FROM unnest(@jobs::integer[]) AS k (job_id)
		CROSS JOIN LATERAL (
			SELECT r.job_id, r.id, r.state, r.fire_at, r.started_at, r.ended_at FROM run r
			WHERE r.job_id = k.job_id AND r.state <> @planned AND ` + countRun + `
			ORDER BY r.id DESC LIMIT @limit
		) AS r`
	list, err := many[job.HistoryRun](ctx, s.pool, sql, pgx.StrictNamedArgs{"jobs": jobIDs, "planned": job.Planned, "limit": limit})
	if err != nil {
		return nil, fmt.Errorf("read history of %d jobs: %w", len(jobIDs), err)
	}
	return list, nil
}

// VersionCounts tells what became of the runs of a job's versions.
func (s *Store) VersionCounts(ctx context.Context, jobID int32) ([]job.VersionCount, error) {
	const sql = `
		SELECT number, sum(runs)::bigint AS runs, sum(failures)::bigint AS failures
		FROM (
			SELECT number, runs, failures FROM version_count WHERE job_id = @job
			UNION ALL
			SELECT r.glue_version, 1, (r.outcome IN (11, 12, 14))::int FROM run r
			WHERE r.job_id = @job AND r.ended_at >= @counted AND r.glue_version > 0 AND r.outcome IN (10, 11, 12, 13, 14) AND ` + countRun + `
		) AS r GROUP BY number ORDER BY number`
	counted, err := s.counted(ctx)
	if err != nil {
		return nil, err
	}
	list, err := many[job.VersionCount](ctx, s.pool, sql, runMode, pgx.StrictNamedArgs{"job": jobID, "counted": counted})
	if err != nil {
		return nil, fmt.Errorf("count runs of the versions of job %d: %w", jobID, err)
	}
	return list, nil
}

// Upcoming reads up to limit started jobs that fire before an instant, the next first.
// Reads job_due_idx.
func (s *Store) Upcoming(ctx context.Context, before time.Time, limit int) ([]job.Upcoming, error) {
	const sql = `
		SELECT id, group_id, schedule_type, schedule_conf, time_zone, dst_policy, valid_from, valid_until, next_fire
		FROM job WHERE enabled AND next_fire IS NOT NULL AND next_fire < $1
		ORDER BY next_fire, id LIMIT $2`
	list, err := many[job.Upcoming](ctx, s.pool, sql, before, limit)
	if err != nil {
		return nil, fmt.Errorf("read jobs that fire before %s: %w", before, err)
	}
	return list, nil
}
