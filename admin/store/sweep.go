package store

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/gluewheel/gluewheel/admin/job"
)

// Sweep finds planned runs that are late, whoever planned them: their admin is gone, or
// too busy, or never learned that they were committed. The claim decides who gets them.
//
// Rows that were very late already when an outage ended are first shown to misfire, and
// those that it returns are closed. Rows that are as late because the admins that are
// there cannot keep up are not: back-pressure delays, it never drops.
func (s *Store) Sweep(ctx context.Context, req job.SweepRequest, misfire func(late []job.Late) (skip []int64)) (job.SweepResult, error) {
	var res job.SweepResult
	err := s.retryTx(ctx, func(tx pgx.Tx) error {
		// run_open_idx, not the ledger, whatever the statistics say.
		if _, err := tx.Exec(ctx, pinPlan); err != nil {
			return err
		}
		late, err := readLate(ctx, tx, req)
		if err != nil {
			return err
		}
		if len(late) > 0 {
			if res.Misfired, err = closeMisfired(ctx, tx, misfire(late)); err != nil {
				return err
			}
		}
		if res.Fires, err = readOverdue(ctx, tx, req); err != nil {
			return err
		}
		res.Limited, err = readRoom(ctx, tx, req)
		return err
	})
	if err != nil {
		return job.SweepResult{}, fmt.Errorf("sweep late runs: %w", err)
	}
	return res, nil
}

// lateBatch is the most rows whose misfire is decided at once: one planning
// transaction's.
const lateBatch = 6000

// readLate reads whole jobs: a strategy that runs once for all must see all. Manual
// runs, retries and children have no schedule to miss. Reads run_open_idx.
func readLate(ctx context.Context, tx pgx.Tx, req job.SweepRequest) ([]job.Late, error) {
	const sql = `
		SELECT r.id, r.job_id, r.fire_at, j.misfire_strategy, j.catch_up_limit, j.last_fire, j.next_fire
		FROM run r JOIN job j ON j.id = r.job_id
		WHERE r.ended_at IS NULL AND r.state = @planned AND r.cause = @schedule
			AND r.due_at < (SELECT ` + outageEnd + ` FROM cluster) - @misfire_after::interval
		ORDER BY r.job_id, r.fire_at
		LIMIT @limit`
	late, err := many[job.Late](ctx, tx, sql, pgx.StrictNamedArgs{
		"planned": job.Planned, "schedule": job.CauseSchedule, "misfire_after": req.MisfireAfter,
		"outage_after": outageAfter, "limit": lateBatch,
	})
	if err != nil || len(late) < lateBatch {
		return late, err
	}
	last := late[len(late)-1].JobID
	whole := len(late)
	for whole > 0 && late[whole-1].JobID == last {
		whole--
	}
	if whole == 0 {
		return late, nil
	}
	return late[:whole], nil
}

func closeMisfired(ctx context.Context, tx pgx.Tx, ids []int64) (int, error) {
	const sql = `
		WITH skipped AS (
			SELECT id, fire_at FROM run WHERE id = ANY(@ids) AND state = @planned AND ended_at IS NULL
			ORDER BY id
			FOR UPDATE
		)
		UPDATE run r SET state = @misfired, outcome = @misfired, ended_at = clock_timestamp(), reason = @reason,
			message = 'Skipped by the misfire strategy: no admin could send it in time.'
		FROM skipped s WHERE r.id = s.id AND r.fire_at = s.fire_at`
	tag, err := tx.Exec(ctx, sql, pgx.StrictNamedArgs{
		"ids": ids, "planned": job.Planned, "misfired": job.Misfired, "reason": job.ReasonMisfire,
	})
	return int(tag.RowsAffected()), err
}

// readOverdue reads run_open_idx from its oldest end. What waits for room under a job's
// limit is left to readRoom: it may be more than one look takes.
func readOverdue(ctx context.Context, tx pgx.Tx, req job.SweepRequest) ([]job.Fire, error) {
	const sql = `
		SELECT id, job_id, shard, epoch, fire_at, due_at, addresses IS NOT NULL FROM run
		WHERE ended_at IS NULL AND state = @planned AND due_at < clock_timestamp() - @after::interval
			AND job_id NOT IN (SELECT id FROM job WHERE max_concurrent > 0)
		ORDER BY due_at
		LIMIT @limit`
	return readFires(ctx, tx, sql, req)
}

// readRoom reads, of each job with a limit, as many of the oldest late rows as there is
// room for. Served by job_limited_idx and run_open_job_idx.
func readRoom(ctx context.Context, tx pgx.Tx, req job.SweepRequest) ([]job.Fire, error) {
	const sql = `
		WITH room AS MATERIALIZED (
			SELECT j.id, greatest(j.max_concurrent - ` + openDispatched + `, 0) AS free
			FROM job AS j
			WHERE j.max_concurrent > 0 AND EXISTS (SELECT FROM run AS p WHERE p.job_id = j.id AND p.ended_at IS NULL
				AND p.state = @planned AND p.due_at < clock_timestamp() - @after::interval)
		)
		SELECT p.* FROM room CROSS JOIN LATERAL (
			SELECT r.id, r.job_id, r.shard, r.epoch, r.fire_at, r.due_at, r.addresses IS NOT NULL FROM run AS r
			WHERE r.job_id = room.id AND r.ended_at IS NULL AND r.state = @planned
				AND r.due_at < clock_timestamp() - @after::interval
			ORDER BY r.due_at, r.id
			LIMIT room.free
		) AS p
		LIMIT @limit`
	return readFires(ctx, tx, sql, req)
}

func readFires(ctx context.Context, tx pgx.Tx, sql string, req job.SweepRequest) ([]job.Fire, error) {
	rows, err := tx.Query(ctx, sql, pgx.StrictNamedArgs{"planned": job.Planned, "after": req.After, "limit": req.Limit})
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[job.Fire])
}
