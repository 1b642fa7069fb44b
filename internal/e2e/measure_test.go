//go:build long

package e2e

import (
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
)

// lateness is the sorted milliseconds from each fire's planned instant to the first
// line of its code, for fires after from.
func lateness(t *testing.T, c *cluster, e *execProc, from time.Time) []int64 {
	t.Helper()
	rows, err := c.db.Query(t.Context(), `SELECT id, due_at FROM run WHERE fire_at > $1 AND state = 10`, from)
	require.NoError(t, err)
	due := map[int64]time.Time{}
	var id int64
	var at time.Time
	_, err = pgx.ForEachRow(rows, []any{&id, &at}, func() error { due[id] = at; return nil })
	require.NoError(t, err)
	var late []int64
	for _, l := range e.lines() {
		if at, ok := due[l.run]; ok && l.what == "start" {
			late = append(late, l.ms-at.UnixMilli())
		}
	}
	require.NotEmpty(t, late)
	slices.Sort(late)
	return late
}

// clock is the database's time.
func (c *cluster) clock() time.Time {
	c.t.Helper()
	var now time.Time
	require.NoError(c.t, c.db.QueryRow(c.t.Context(), `SELECT clock_timestamp()`).Scan(&now))
	return now
}

func (c *cluster) ids(sql string, args ...any) []int64 {
	c.t.Helper()
	rows, err := c.db.Query(c.t.Context(), sql, args...)
	require.NoError(c.t, err)
	ids, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	require.NoError(c.t, err)
	return ids
}
