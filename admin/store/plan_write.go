package store

import (
	"context"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gluewheel/gluewheel/admin/job"
)

const uniqueViolation = "23505"

// entryColumns are those of a ledger row that planning writes; the rest have defaults.
var entryColumns = []string{
	"id", "fire_at", "due_at", "job_id", "group_id", "cause", "shard", "retries_left", "state", "owner",
	"reason", "message", "range_to", "range_count", "ended_at", "outcome",
}

func entryValues(e *job.Entry, id int64, owner int32, now time.Time) []any {
	v := []any{
		id, e.FireAt, e.DueAt, e.JobID, e.GroupID, int16(e.Cause), e.Shard, e.RetriesLeft, int16(e.State), owner,
		e.Reason, e.Message, e.RangeTo, e.RangeCount,
	}
	if e.State.Terminal() {
		return append(v, now, int16(e.State))
	}
	return append(v, nil, nil)
}

// copyEntries is the entryWriter of every day: one binary COPY.
func copyEntries(ctx context.Context, tx pgx.Tx, owner int32, entries []job.Entry, ids []int64, now time.Time) (func(int64) bool, error) {
	if err := copyInto(ctx, tx, "run", owner, entries, ids, now); err != nil {
		return nil, err
	}
	return func(int64) bool { return true }, nil
}

func copyInto(ctx context.Context, tx pgx.Tx, table string, owner int32, entries []job.Entry, ids []int64, now time.Time) error {
	_, err := tx.CopyFrom(ctx, pgx.Identifier{table}, entryColumns, pgx.CopyFromSlice(len(entries), func(i int) ([]any, error) {
		return entryValues(&entries[i], ids[i], owner, now), nil
	}))
	return err
}

// mergeEntries leaves out the rows whose instant has one already. COPY cannot do that,
// so they go through a table of this transaction.
func mergeEntries(ctx context.Context, tx pgx.Tx, owner int32, entries []job.Entry, ids []int64, now time.Time) (func(int64) bool, error) {
	if _, err := tx.Exec(ctx, `CREATE TEMP TABLE planned_run (LIKE run INCLUDING DEFAULTS) ON COMMIT DROP`); err != nil {
		return nil, err
	}
	if err := copyInto(ctx, tx, "planned_run", owner, entries, ids, now); err != nil {
		return nil, err
	}
	columns := strings.Join(entryColumns, ", ")
	rows, err := tx.Query(ctx, `INSERT INTO run (`+columns+`) SELECT `+columns+` FROM planned_run
		ON CONFLICT DO NOTHING RETURNING id`)
	if err != nil {
		return nil, err
	}
	inserted, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	if err != nil {
		return nil, err
	}
	present := make(map[int64]bool, len(inserted))
	for _, id := range inserted {
		present[id] = true
	}
	return func(id int64) bool { return present[id] }, nil
}
