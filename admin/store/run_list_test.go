package store_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/admin/job"
	"github.com/gluewheel/gluewheel/admin/store"
)

// history fills the ledger with rows of ten days, 1 in 50 of them failed, of 40 jobs.
func (f *fixture) history(t *testing.T, rows int) {
	t.Helper()
	today := time.Now().UTC().Truncate(24 * time.Hour)
	const days = 10
	for d := range days {
		day := today.AddDate(0, 0, -d-2)
		next := day.AddDate(0, 0, 1)
		f.exec(t, fmt.Sprintf(`CREATE TABLE IF NOT EXISTS %s PARTITION OF run FOR VALUES FROM ('%s') TO ('%s')`,
			partitionName(day), day.Format(time.RFC3339), next.Format(time.RFC3339)))
		f.exec(t, `INSERT INTO run (id, fire_at, due_at, job_id, group_id, cause, state, outcome, ended_at)
			SELECT $1::bigint + n, at, at, n % 40, 1 + n % 40 % 4, 2, o, o, at
			FROM generate_series(1, $2::int) n,
				LATERAL (SELECT $3::timestamptz + n * interval '1 millisecond' AS at, CASE WHEN n % 50 = 0 THEN 11 ELSE 10 END AS o) v`,
			job.RunID(day, 0), rows/days, day)
	}
	f.exec(t, `ANALYZE run`)
}

func ids(page job.Page[job.RunSummary]) (out []int64) {
	for _, r := range page.Items {
		out = append(out, r.ID)
	}
	return out
}

// walk pages through a list to its end.
func (f *fixture) walk(t *testing.T, filter job.RunFilter) (all []int64) {
	t.Helper()
	p := job.Paging{Limit: 70}
	for {
		page, err := f.store.Runs(t.Context(), filter, p)
		require.NoError(t, err)
		all = append(all, ids(page)...)
		if p.Cursor = page.NextCursor; p.Cursor == "" {
			require.Len(t, all, page.Total)
			return all
		}
	}
}

func TestRuns_PagesThroughAllDaysInOrder(t *testing.T) {
	t.Parallel()
	f := setup(t)
	f.history(t, 1000)
	day := time.Now().UTC().Truncate(24*time.Hour).AddDate(0, 0, -3)
	for _, c := range []struct {
		name   string
		filter job.RunFilter
		runs   int
	}{
		{"all", job.RunFilter{}, 1000},
		{"group", job.RunFilter{GroupIDs: []int32{2}}, 250},
		{"two days", job.RunFilter{From: day, To: day.AddDate(0, 0, 2)}, 200},
		{"succeeded", job.RunFilter{States: []job.State{job.Succeeded}}, 980},
	} {
		newest := f.walk(t, c.filter)
		require.Len(t, slices.Compact(slices.Clone(newest)), c.runs, c.name)
		require.True(t, slices.IsSortedFunc(newest, func(a, b int64) int { return int(b - a) }), c.name)
		c.filter.OldestFirst = true
		slices.Reverse(newest)
		require.Equal(t, newest, f.walk(t, c.filter), c.name)
	}
}

func TestRuns_Filters(t *testing.T) {
	t.Parallel()
	f := setup(t)
	f.history(t, 2000)
	day := time.Now().UTC().Truncate(24*time.Hour).AddDate(0, 0, -3)
	for _, c := range []struct {
		name   string
		filter job.RunFilter
		total  int
	}{
		{"failed", job.RunFilter{States: []job.State{job.Failed}}, 40},
		{"ended badly", job.RunFilter{States: []job.State{job.Failed, job.Lost}}, 40},
		{"succeeded", job.RunFilter{States: []job.State{job.Succeeded}}, 1960},
		{"ended", job.RunFilter{States: []job.State{job.Succeeded, job.Failed}}, 2000},
		{"open", job.RunFilter{States: []job.State{job.Planned, job.Running}}, 0},
		{"open or failed", job.RunFilter{States: []job.State{job.Running, job.Failed}}, 40},
		{"job", job.RunFilter{JobID: 7}, 50},
		{"group", job.RunFilter{GroupIDs: []int32{2}}, 500},
		{"no group", job.RunFilter{GroupIDs: []int32{}}, 0},
		{"cause", job.RunFilter{Causes: []job.Cause{job.CauseManual}}, 2000},
		{"other cause", job.RunFilter{Causes: []job.Cause{job.CauseRetry}}, 0},
		{"day", job.RunFilter{From: day, To: day.AddDate(0, 0, 1)}, 200},
		{"all at once", job.RunFilter{From: day, JobID: 10, GroupIDs: []int32{3}, States: []job.State{job.Failed}, Causes: []job.Cause{job.CauseManual}}, 2},
	} {
		page, err := f.store.Runs(t.Context(), c.filter, job.Paging{Limit: 1})
		require.NoError(t, err, c.name)
		require.Equal(t, c.total, page.Total, c.name)
		require.False(t, page.TotalCapped)
	}
}

func TestRuns_CapsTheTotal(t *testing.T) {
	t.Parallel()
	f := setup(t)
	f.history(t, 20_000)
	page, err := f.store.Runs(t.Context(), job.RunFilter{}, job.Paging{})
	require.NoError(t, err)
	require.Equal(t, job.TotalCap, page.Total)
	require.True(t, page.TotalCapped)
}

func TestRuns_WalksTheIndexesThatFit(t *testing.T) {
	t.Parallel()
	f := setup(t)
	f.history(t, 100_000)
	day := time.Now().UTC().Truncate(24*time.Hour).AddDate(0, 0, -3)
	for _, c := range []struct {
		name   string
		filter job.RunFilter
		index  string // by which each partition is read
		pages  int    // at most
	}{
		{"all", job.RunFilter{}, "pkey", 200},
		{"one job", job.RunFilter{JobID: 7}, "job_id_id", 300},
		{"failed", job.RunFilter{States: []job.State{job.Failed}}, "id_idx", 300},
		{"open", job.RunFilter{States: []job.State{job.Running}}, "due_at", 300},
		{"one day", job.RunFilter{From: day, To: day.AddDate(0, 0, 1)}, "pkey", 60},
		{"a group", job.RunFilter{GroupIDs: []int32{2}}, "", 300}, // run_group_idx, or the key where a day is short
	} {
		for _, c.filter.OldestFirst = range []bool{false, true} {
			sql, args := store.ListRuns(c.filter)
			args["limit"] = 51
			plan := f.explainRuns(t, sql, args)
			indexes := slices.DeleteFunc(plan.indexes(), func(n string) bool { return !strings.HasPrefix(n, "run_") })
			require.NotEmpty(t, indexes, c.name)
			for _, index := range indexes {
				require.Contains(t, index, c.index, c.name)
			}
			require.Less(t, plan.Buffers, c.pages, "pages touched: %s, oldest first: %t", c.name, c.filter.OldestFirst)
		}
	}
}

// explainRuns runs a statement as Runs does: planned with its values.
func (f *fixture) explainRuns(t *testing.T, sql string, args pgx.StrictNamedArgs) planNode {
	t.Helper()
	var text []byte
	require.NoError(t, f.sql.QueryRow(t.Context(), `EXPLAIN (FORMAT JSON, ANALYZE, BUFFERS) `+sql, pgx.QueryExecModeCacheDescribe, args).Scan(&text))
	var plans []struct{ Plan planNode }
	require.NoError(t, json.Unmarshal(text, &plans))
	return plans[0].Plan
}

func TestRun_ReadsOneWithItsNamesAndTail(t *testing.T) {
	t.Parallel()
	f := setup(t)
	j := f.job(t)
	fire := f.trigger(t, j, 1)[0]
	f.exec(t, `UPDATE run SET log_tail = 'the end' WHERE id = $1`, fire.RunID)
	r, err := f.store.Run(t.Context(), fire.RunID)
	require.NoError(t, err)
	require.Equal(t, j.ID, r.JobID)
	require.Equal(t, "job", r.JobName)
	require.Equal(t, "app", r.AppName)
	require.Equal(t, "the end", *r.LogTail)
	page, err := f.store.Runs(t.Context(), job.RunFilter{}, job.Paging{})
	require.NoError(t, err)
	require.Nil(t, page.Items[0].LogTail, "lists do not carry it")
	for _, absent := range []int64{0, -1, fire.RunID + 1, 1<<53 - 1, 1<<63 - 1} {
		_, err = f.store.Run(t.Context(), absent)
		require.ErrorIs(t, err, job.ErrNotFound)
	}
}
