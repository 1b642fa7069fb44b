package store

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/gluewheel/gluewheel/admin/job"
)

// CancelRun ends a run that nobody has claimed yet. job.ErrConflict when somebody has
// in the meantime, or it has ended. The primary key serves it; a claim decides on the
// same row, and who locks it first wins.
func (s *Store) CancelRun(ctx context.Context, id int64, message string) error {
	const sql = `
		UPDATE run SET state = @cancelled, outcome = @cancelled, ended_at = clock_timestamp(),
			reason = @reason, message = @message
		WHERE id = @id AND fire_at >= @day AND fire_at < @day + interval '1 day' AND state = @planned`
	tag, err := s.pool.Exec(ctx, sql, pgx.StrictNamedArgs{
		"id": id, "day": job.Day(id), "planned": job.Planned, "cancelled": job.Cancelled,
		"reason": job.ReasonKilled, "message": message,
	})
	if err != nil {
		return fmt.Errorf("cancel run %d: %w", id, err)
	}
	if tag.RowsAffected() == 0 {
		return fmt.Errorf("cancel run %d: %w", id, job.ErrConflict)
	}
	return nil
}
