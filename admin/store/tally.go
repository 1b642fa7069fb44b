package store

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gluewheel/gluewheel/admin/job"
)

const (
	// tallyLock is the advisory lock under which runs are counted; any number that
	// nothing else uses.
	tallyLock = 0x67777461
	// tallyRows is about the most runs that one call counts.
	tallyRows = 100_000
	// tallyLag keeps the count behind the clock, and behind transactions that may still
	// write an earlier ended_at: an end is stamped within its transaction and seen after it.
	tallyLag = "3 seconds"
	// minutesKept is how long counts by minute are kept.
	minutesKept = "50 hours"
)

// tallySpan answers from where to where runs can be counted. The first index entries of
// run_ended_idx tell both ends; run's id keeps nothing out, for a run may end days after
// its instant.
const tallySpan = `
WITH edge AS (
	SELECT least(clock_timestamp() - interval '` + tallyLag + `', (
		SELECT min(xact_start) - interval '` + tallyLag + `' FROM pg_stat_activity
		WHERE datname = current_database() AND backend_xid IS NOT NULL AND pid <> pg_backend_pid())) AS at
), begin AS (
	SELECT CASE WHEN t.counted > '-infinity' THEN t.counted
		ELSE coalesce((SELECT min(ended_at) FROM run WHERE ended_at IS NOT NULL), e.at) END AS at
	FROM tally t, edge e
)
SELECT b.at, e.at FROM begin b, edge e`

// tallyEnd is the instant up to which at most about $2 runs have ended since $1.
const tallyEnd = `SELECT ended_at FROM run WHERE ended_at >= $1 AND ended_at < $3 ORDER BY ended_at OFFSET $2 LIMIT 1`

// countRun says which runs count: not test-runs, and not the parents of broadcasts.
const countRun = `NOT r.is_test AND r.shard >= 0`

// tallyRuns counts what ended in [$1, $2), and moves the mark, in one statement: each run
// is counted once however often it is tried.
const tallyRuns = `
WITH fresh AS MATERIALIZED (
	SELECT r.job_id, r.group_id, r.glue_version, r.outcome, r.ended_at, greatest(r.range_count, 1) AS fires,
		CASE WHEN r.started_at IS NOT NULL THEN greatest(1000 * extract(epoch FROM r.ended_at - r.started_at), 0)::bigint END AS ms
	FROM run r WHERE r.ended_at >= $1 AND r.ended_at < $2 AND ` + countRun + `
), counts AS (
	INSERT INTO run_count AS c (step_s, at, group_id, outcome, runs)
	SELECT s.step, date_bin(make_interval(secs => s.step), f.ended_at, timestamptz '2000-01-01 00:00Z'), g.id, f.outcome, sum(f.fires)
	FROM fresh f JOIN (VALUES (60), (3600)) AS s (step) ON s.step > 60 OR f.ended_at > statement_timestamp() - interval '` + minutesKept + `'
		CROSS JOIN LATERAL (VALUES (0), (f.group_id)) AS g (id)
	GROUP BY 1, 2, 3, 4
	ON CONFLICT (step_s, at, group_id, outcome) DO UPDATE SET runs = c.runs + excluded.runs
), days AS (
	INSERT INTO run_day AS d (day, job_id, group_id, runs, failures, timed, total_ms, max_ms)
	SELECT (ended_at AT TIME ZONE 'UTC')::date, job_id, group_id, count(*), count(*) FILTER (WHERE outcome IN (11, 12, 14)),
		count(ms), coalesce(sum(ms), 0), coalesce(max(ms), 0)
	FROM fresh WHERE outcome IN (10, 11, 12, 13, 14, 16) GROUP BY 1, 2, 3
	ON CONFLICT (day, job_id, group_id) DO UPDATE SET runs = d.runs + excluded.runs, failures = d.failures + excluded.failures,
		timed = d.timed + excluded.timed, total_ms = d.total_ms + excluded.total_ms, max_ms = greatest(d.max_ms, excluded.max_ms)
), versions AS (
	INSERT INTO version_count AS v (job_id, number, runs, failures)
	SELECT job_id, glue_version, count(*), count(*) FILTER (WHERE outcome IN (11, 12, 14))
	FROM fresh WHERE glue_version > 0 AND outcome IN (10, 11, 12, 13, 14) GROUP BY 1, 2
	ON CONFLICT (job_id, number) DO UPDATE SET runs = v.runs + excluded.runs, failures = v.failures + excluded.failures
), old AS (
	DELETE FROM run_count WHERE step_s = 60 AND at < $2 - interval '` + minutesKept + `'
)
UPDATE tally SET counted = $2`

// Tally counts runs that have ended since it was called last, at most about a hundred
// thousand. One admin does it at a time; for another it is Busy.
//
// A run counts at the time of its end. One whose end is corrected later (lost, and then
// its result came) counts twice, once each way.
func (s *Store) Tally(ctx context.Context) (job.Tally, error) {
	var t job.Tally
	err := pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		var mine bool
		if err := tx.QueryRow(ctx, `SELECT pg_try_advisory_xact_lock($1)`, tallyLock).Scan(&mine); err != nil || !mine {
			t.Busy = !mine
			return err
		}
		var from, edge time.Time
		if err := tx.QueryRow(ctx, tallySpan).Scan(&from, &edge); err != nil {
			return err
		}
		t.Counted = from
		if !edge.After(from) {
			return nil
		}
		to := edge
		err := tx.QueryRow(ctx, tallyEnd, runMode, from, tallyRows, edge).Scan(&to)
		if err = notFound(err); err == nil {
			to = to.Add(time.Microsecond) // which the run at the end is counted with, too
		} else if err != job.ErrNotFound {
			return err
		}
		if _, err := tx.Exec(ctx, tallyRuns, runMode, from, to); err != nil {
			return err
		}
		t.Counted, t.Behind = to, edge.Sub(to)
		return nil
	})
	if err != nil {
		return job.Tally{}, fmt.Errorf("count runs for reports: %w", err)
	}
	return t, nil
}

// counted is up to when runs are counted; what ended later is read from the ledger.
func (s *Store) counted(ctx context.Context) (time.Time, error) {
	var at *time.Time
	err := s.pool.QueryRow(ctx, `SELECT nullif(counted, '-infinity') FROM tally`).Scan(&at)
	if err != nil {
		return time.Time{}, fmt.Errorf("read how far runs are counted: %w", err)
	}
	if at == nil {
		return time.Unix(0, 0), nil
	}
	return *at, nil
}
