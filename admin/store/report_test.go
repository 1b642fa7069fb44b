package store_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/admin/job"
)

func TestTally_CountsEachRunOnceAndReportsReadTheRest(t *testing.T) {
	t.Parallel()
	f := setup(t)
	f.history(t, 1000) // 20 of them failed
	from := time.Now().AddDate(0, 0, -20)
	count := func() (sum int64) {
		t.Helper()
		counts, err := f.store.RunCounts(t.Context(), nil, from, time.Now().Add(time.Hour), 24*time.Hour)
		require.NoError(t, err)
		for _, c := range counts {
			sum += c.Runs
		}
		return sum
	}
	require.Equal(t, int64(1000), count(), "from the ledger, before anything was counted")
	for range 3 {
		done, err := f.store.Tally(t.Context())
		require.NoError(t, err)
		require.False(t, done.Busy)
		require.Equal(t, int64(1000), count())
	}
	own, err := f.store.RunCounts(t.Context(), []int32{2}, from, time.Now().Add(time.Hour), time.Hour)
	require.NoError(t, err)
	var sum int64
	for _, c := range own {
		sum += c.Runs
	}
	require.Equal(t, int64(250), sum)

	j := f.job(t)
	fire := f.trigger(t, j, 1)[0]
	f.exec(t, `UPDATE run SET state = 12, outcome = 12, ended_at = clock_timestamp(), glue_version = 3 WHERE id = $1`, fire.RunID)
	require.Equal(t, int64(1001), count(), "what ended since")
	versions, err := f.store.VersionCounts(t.Context(), j.ID)
	require.NoError(t, err)
	require.Equal(t, []job.VersionCount{{Number: 3, Runs: 1, Failures: 1}}, versions)
	f.exec(t, `UPDATE run SET is_test = true WHERE id = $1`, fire.RunID)
	require.Equal(t, int64(1000), count(), "a test-run counts nowhere")

	figures, err := f.store.JobFigures(t.Context(), job.FiguresFilter{From: from, To: time.Now(), Order: job.OrderFailing, Limit: 5})
	require.NoError(t, err)
	require.Len(t, figures, 2, "the jobs whose runs failed")
	o, err := f.store.Overview(t.Context(), nil)
	require.NoError(t, err)
	require.Equal(t, int64(1), o.Jobs)
	require.Zero(t, o.Running)
}
