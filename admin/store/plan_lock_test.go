package store_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/admin/job"
)

func TestPlanDue_TellsHowLongItWaitedForItsLocksAndHeldThem(t *testing.T) {
	t.Parallel()
	f := setup(t)
	f.started(t)
	var began, ended time.Time
	before := time.Now()
	res, err := f.store.PlanDue(t.Context(), job.PlanRequest{Owner: f.node, Buckets: 1, Horizon: 5 * time.Second, Limit: 10},
		func(time.Time, []job.Due) job.Plan {
			began = time.Now()
			f.count(t, `true`) // a round trip under the locks
			ended = time.Now()
			return job.Plan{}
		})
	took := time.Since(before)
	require.NoError(t, err)
	require.NotEmpty(t, res.Buckets)
	require.Positive(t, res.LockWait)
	require.Greater(t, res.LockHold, ended.Sub(began), "from before the jobs are read to after the commit")
	require.LessOrEqual(t, res.LockWait+res.LockHold, took)
	require.LessOrEqual(t, res.LockWait, began.Sub(before))
}
