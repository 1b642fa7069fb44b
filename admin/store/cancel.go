package store

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/gluewheel/gluewheel/admin/job"
)

// scheduledCauses are the causes of runs that stand or fall with the job's schedule.
var scheduledCauses = []job.Cause{job.CauseSchedule, job.CauseMisfire}

// cancelMessages say to people why a run was cancelled.
var cancelMessages = map[string]string{
	job.ReasonStopped:     "Cancelled: the job was stopped before the run was sent.",
	job.ReasonRescheduled: "Cancelled: the job got another schedule before the run was sent.",
	job.ReasonDeleted:     "Cancelled: the job was deleted before the run was sent.",
}

// holdClaims keeps claims away until tx ends, once those under way are committed: runs
// that are counted or cancelled then are exactly those that no old claim has. It comes
// after the job's row lock and before any run's, and late, because all claims wait.
func holdClaims(ctx context.Context, tx pgx.Tx) error {
	if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock($1)`, claimLock); err != nil {
		return fmt.Errorf("hold claims: %w", err)
	}
	return nil
}

// cancelPlanned ends the runs of a job that nobody has claimed yet, but for kept; causes
// nil means of whatever cause.
// Reads run_open_job_idx and locks rows in the order of their ids.
func cancelPlanned(ctx context.Context, tx pgx.Tx, jobID int32, causes []job.Cause, kept keep, reason string) (int, error) {
	const sql = `
		WITH planned AS (
			SELECT id, fire_at FROM run
			WHERE job_id = @job AND ended_at IS NULL AND state = @planned
				AND (@causes::smallint[] IS NULL OR cause = ANY(@causes))
				AND NOT (fire_at = ANY(coalesce(@kept, '{}'::timestamptz[])) AND shard = @shard)
			ORDER BY id
			FOR UPDATE
		)
		UPDATE run r SET state = @cancelled, outcome = @cancelled, ended_at = clock_timestamp(),
			reason = @reason, message = @message
		FROM planned p WHERE r.id = p.id AND r.fire_at = p.fire_at`
	if err := holdClaims(ctx, tx); err != nil {
		return 0, err
	}
	tag, err := tx.Exec(ctx, sql, pgx.StrictNamedArgs{
		"job": jobID, "planned": job.Planned, "cancelled": job.Cancelled, "causes": causes,
		"reason": reason, "message": cancelMessages[reason], "kept": kept.at, "shard": kept.shard,
	})
	if err != nil {
		return 0, fmt.Errorf("cancel planned runs: %w", err)
	}
	return int(tag.RowsAffected()), nil
}

// countClaimed counts the open runs of a job that are past their claim.
func countClaimed(ctx context.Context, tx pgx.Tx, jobID int32) (int, error) {
	const sql = `SELECT count(*) FROM run WHERE job_id = $1 AND ended_at IS NULL AND state <> $2`
	if err := holdClaims(ctx, tx); err != nil {
		return 0, err
	}
	var n int
	if err := tx.QueryRow(ctx, sql, jobID, job.Planned).Scan(&n); err != nil {
		return 0, fmt.Errorf("count claimed runs: %w", err)
	}
	return n, nil
}
