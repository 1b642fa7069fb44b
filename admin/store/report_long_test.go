//go:build long

package store_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/admin/job"
)

// month fills the ledger with a million runs of 30 days, of 500 jobs in 40 groups, 1 in
// 50 failed, and counts them.
func (f *fixture) month(t *testing.T) (today time.Time) {
	t.Helper()
	const days, perDay = 30, 33_334
	today = time.Now().UTC().Truncate(24 * time.Hour)
	f.exec(t, `INSERT INTO job_group (id, app_name, title) SELECT n, 'app-' || n, 'Group ' || n FROM generate_series(2, 40) n`)
	f.exec(t, `INSERT INTO job (id, group_id, name, glue_type, glue_version, schedule_type, schedule_conf, enabled, next_fire)
		SELECT n, 1 + n % 40, 'job ' || n, 'GLUE_LUA', 1, 'FIX_RATE', '60', true, clock_timestamp() + interval '1 minute' FROM generate_series(1, 500) n`)
	for d := range days {
		day := today.AddDate(0, 0, -d-1)
		f.exec(t, fmt.Sprintf(`CREATE TABLE IF NOT EXISTS %s PARTITION OF run FOR VALUES FROM ('%s') TO ('%s')`,
			partitionName(day), day.Format(time.RFC3339), day.AddDate(0, 0, 1).Format(time.RFC3339)))
		f.exec(t, `INSERT INTO run (id, fire_at, due_at, job_id, group_id, cause, glue_version, state, outcome, claimed_at, started_at, ended_at, address)
			SELECT $1::bigint + n, at, at, 1 + n % 500, 1 + (1 + n % 500) % 40, CASE WHEN n % 100 = 0 THEN 2 ELSE 1 END, 1, o, o,
				at, at + interval '3 ms', at + (n % 700) * interval '1 ms', 'http://10.0.0.1:9999'
			FROM generate_series(1, $2::int) n,
				LATERAL (SELECT $3::timestamptz + n * interval '2500 ms' AS at, CASE WHEN n % 50 = 0 THEN 11 ELSE 10 END AS o) v`,
			job.RunID(day, 0), perDay, day)
	}
	f.exec(t, `ANALYZE run`)
	f.exec(t, `ANALYZE job`)
	begin := time.Now()
	f.tally(t)
	t.Logf("counting a million runs for the first time took %v", time.Since(begin))
	f.exec(t, `ANALYZE run_count`)
	f.exec(t, `ANALYZE run_day`)
	return today
}

// tally counts all that can be counted.
func (f *fixture) tally(t *testing.T) {
	t.Helper()
	for {
		done, err := f.store.Tally(t.Context())
		require.NoError(t, err)
		require.False(t, done.Busy)
		if done.Behind == 0 {
			return
		}
	}
}

// noise is by how much a busy test machine may be slower than what is promised.
const noise = 4

func TestReports_AnswerAtOnceOverAMillionRuns(t *testing.T) {
	f := setup(t)
	today := f.month(t)
	from := today.AddDate(0, 0, -30)
	deep := fmt.Sprint(job.RunID(today.AddDate(0, 0, -20), 1000))
	page := func(filter job.RunFilter, cursor string) func() error {
		return func() error {
			_, err := f.store.Runs(t.Context(), filter, job.Paging{Limit: 50, Cursor: cursor})
			return err
		}
	}
	var everyJob []int32
	for id := range int32(50) {
		everyJob = append(everyJob, id+1)
	}
	type part struct {
		name string
		call func() error
	}
	counts := func(from time.Time) func() error {
		return func() error {
			_, err := f.store.RunCounts(t.Context(), nil, from, today.AddDate(0, 0, 1), time.Hour)
			return err
		}
	}
	figures := func(order job.FiguresOrder) func() error {
		return func() error {
			_, err := f.store.JobFigures(t.Context(), job.FiguresFilter{From: from, To: today, Order: order, Limit: 10})
			return err
		}
	}
	dashboard := []part{
		{"overview", func() error {
			_, err := f.store.Overview(t.Context(), nil)
			return err
		}},
		{"counts of today", counts(today)},
		{"counts of 30 days", counts(from)},
		{"slowest jobs", figures(job.OrderSlowest)},
		{"failing jobs", figures(job.OrderFailing)},
	}
	for _, p := range dashboard {
		require.NoError(t, p.call())
		begin := time.Now()
		require.NoError(t, p.call())
		t.Logf("part of the dashboard: %-17s %8.1f ms", p.name, float64(time.Since(begin).Microseconds())/1000)
	}
	const first, later = 100 * time.Millisecond, 300 * time.Millisecond
	for _, c := range []struct {
		name string
		most time.Duration
		call func() error
	}{
		{"runs", first, page(job.RunFilter{}, "")},
		{"runs of a job", first, page(job.RunFilter{JobID: 7}, "")},
		{"runs of a group", first, page(job.RunFilter{GroupIDs: []int32{7}}, "")},
		{"runs of three groups", first, page(job.RunFilter{GroupIDs: []int32{7, 8, 9}}, "")},
		{"runs of a group without any", first, page(job.RunFilter{GroupIDs: []int32{4711}}, "")},
		{"failed runs", first, page(job.RunFilter{States: []job.State{job.Failed}}, "")},
		{"failed runs of a group", first, page(job.RunFilter{States: []job.State{job.Failed}, GroupIDs: []int32{7}}, "")},
		{"runs that succeeded", first, page(job.RunFilter{States: []job.State{job.Succeeded}}, "")},
		{"lost runs, of which there are none", first, page(job.RunFilter{States: []job.State{job.Lost}}, "")},
		{"open runs", first, page(job.RunFilter{States: []job.State{job.Running}}, "")},
		{"runs of a day", first, page(job.RunFilter{From: today.AddDate(0, 0, -9), To: today.AddDate(0, 0, -8)}, "")},
		{"manual runs", first, page(job.RunFilter{Causes: []job.Cause{job.CauseManual}}, "")},
		{"retries, of which there are none", first, page(job.RunFilter{Causes: []job.Cause{job.CauseRetry}}, "")},
		{"runs by a part of the job's name", first, page(job.RunFilter{Query: "job 77"}, "")},
		{"runs, deep", later, page(job.RunFilter{}, deep)},
		{"failed runs, deep", later, page(job.RunFilter{States: []job.State{job.Failed}}, deep)},
		{"runs of a group, deep", later, page(job.RunFilter{GroupIDs: []int32{7}}, deep)},
		{"dashboard", first, func() error {
			for _, part := range dashboard {
				if err := part.call(); err != nil {
					return err
				}
			}
			return nil
		}},
		{"dashboard of a group", first, func() error {
			_, err := f.store.RunCounts(t.Context(), []int32{7}, from, today.AddDate(0, 0, 1), 24*time.Hour)
			return err
		}},
		{"histories of 50 jobs", first, func() error {
			_, err := f.store.History(t.Context(), everyJob, 30)
			return err
		}},
		{"versions of a job", first, func() error {
			_, err := f.store.VersionCounts(t.Context(), 7)
			return err
		}},
		{"counting on", first, func() error {
			_, err := f.store.Tally(t.Context())
			return err
		}},
	} {
		require.NoError(t, c.call(), c.name) // the first one plans and fills caches
		best := time.Hour
		for range 5 {
			begin := time.Now()
			require.NoError(t, c.call(), c.name)
			best = min(best, time.Since(begin))
		}
		t.Logf("%-40s %8.1f ms", c.name, float64(best.Microseconds())/1000)
		if !testing.Short() {
			require.Less(t, best, noise*c.most, c.name)
		}
	}
}

func TestReports_CountEachRunOnce(t *testing.T) {
	f := setup(t)
	today := f.month(t)
	f.tally(t) // again: nothing is counted twice
	counts, err := f.store.RunCounts(t.Context(), nil, today.AddDate(0, 0, -31), today.AddDate(0, 0, 2), 24*time.Hour)
	require.NoError(t, err)
	sums := map[job.State]int64{}
	for _, c := range counts {
		sums[c.Outcome] += c.Runs
	}
	all := f.count(t, "outcome = 10")
	require.Equal(t, map[job.State]int64{job.Succeeded: int64(all), job.Failed: int64(f.count(t, "outcome = 11"))}, sums)
	figures, err := f.store.JobFigures(t.Context(), job.FiguresFilter{From: today.AddDate(0, 0, -31), To: today.AddDate(0, 0, 1), Order: job.OrderFailing, Limit: 500})
	require.NoError(t, err)
	for _, one := range figures[:3] {
		require.Equal(t, int64(f.count(t, "job_id = $1", one.JobID)), one.Runs)
		require.Equal(t, int64(f.count(t, "job_id = $1 AND outcome = 11", one.JobID)), one.Failures)
	}
}
