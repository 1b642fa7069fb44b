package store_test

import (
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/admin/job"
	"github.com/gluewheel/gluewheel/admin/store"
	"github.com/gluewheel/gluewheel/admin/store/storetest"
)

// retryAndChildren is a policy: failures are retried after 3 s, successes fire children.
func retryAndChildren(e *job.Ended, r *job.FollowRules) job.Follow {
	if e.State == job.Succeeded {
		return job.Follow{Children: r.ChildJobIDs}
	}
	return job.Follow{Retry: e.RetriesLeft > 0, RetryDelay: 3 * time.Second}
}

func result(id int64, s job.State) job.Ending {
	return job.Ending{Result: job.Result{RunID: id, State: s, Reason: "r", Message: "m", Code: 200}}
}

func (f *fixture) end(t *testing.T, endings ...job.Ending) job.Ends {
	t.Helper()
	out, err := f.store.End(t.Context(), endings, retryAndChildren)
	require.NoError(t, err)
	return out
}

func TestEnd_EndsARunOnce(t *testing.T) {
	t.Parallel()
	f := setup(t)
	runs := f.claimed(t, f.job(t), 2)
	e := result(runs[0].RunID, job.Succeeded)
	e.StartedAt = time.Now().Add(-time.Hour)

	require.Len(t, f.end(t, e, e).Ended, 1)
	r := f.run(t, runs[0].RunID)
	require.Equal(t, job.Succeeded, r.State)
	require.Equal(t, job.Succeeded, *r.Outcome)
	require.Equal(t, "m", r.Message)
	require.Nil(t, r.LeaseUntil)
	require.WithinDuration(t, r.EndedAt.Add(-time.Hour), *r.StartedAt, time.Minute)

	require.Empty(t, f.end(t, e).Ended, "a repeated result changes nothing")
	require.Nil(t, f.run(t, runs[0].RunID).LateResult)
	require.Empty(t, f.end(t, result(runs[0].RunID, job.Failed)).Ended)
	r = f.run(t, runs[0].RunID)
	require.Equal(t, job.Succeeded, r.State)
	require.Equal(t, "failed: m", *r.LateResult, "another result is kept beside it")
}

func TestEnd_IgnoresRunsThatDoNotExist(t *testing.T) {
	t.Parallel()
	f := setup(t)
	runs := f.claimed(t, f.job(t), 1)
	out := f.end(t, result(1, job.Succeeded), result(runs[0].RunID, job.Succeeded), result(1<<52, job.Succeeded))
	require.Len(t, out.Ended, 1)
}

func TestEnd_AFindingCountsOnlyForItsHolder(t *testing.T) {
	t.Parallel()
	f := setup(t)
	runs := f.claimed(t, f.job(t), 2)
	require.NoError(t, f.store.MarkRunning(t.Context(), []job.Acceptance{{RunID: runs[1].RunID, At: time.Now()}}))
	stale, own, late := result(runs[0].RunID, job.Failed), result(runs[0].RunID, job.Failed), result(runs[1].RunID, job.Failed)
	stale.Epoch, own.Epoch, late.Epoch = runs[0].Epoch+1, runs[0].Epoch, runs[1].Epoch

	require.Empty(t, f.end(t, stale).Ended, "held by another epoch")
	require.Empty(t, f.end(t, late).Ended, "accepted since")
	require.Len(t, f.end(t, own).Ended, 1)
}

func TestEnd_InsertsTheRetry(t *testing.T) {
	t.Parallel()
	f := setup(t)
	j := f.job(t, func(j *job.Job) { j.RetryCount = 1 })
	param := "p"
	fires := f.trigger(t, j, 1, func(r *job.TriggerRequest) { r.Param, r.Addresses = &param, []string{"http://a", "http://b"} })
	f.exec(t, `UPDATE run SET state = 3 WHERE id = $1`, fires[0].RunID)

	out := f.end(t, result(fires[0].RunID, job.Failed))
	require.Len(t, out.Fires, 1)
	failed, retry := f.run(t, fires[0].RunID), f.run(t, out.Fires[0].RunID)
	require.Equal(t, job.CauseRetry, retry.Cause)
	require.Equal(t, job.Planned, retry.State)
	require.True(t, failed.FireAt.Equal(retry.FireAt))
	require.True(t, failed.EndedAt.Add(3*time.Second).Equal(retry.DueAt))
	require.Equal(t, int16(1), retry.Attempt)
	require.Equal(t, int16(0), retry.RetriesLeft)
	require.Equal(t, fires[0].RunID, *retry.ParentID)
	require.Equal(t, &param, retry.Param)
	require.Equal(t, []string{"http://a", "http://b"}, retry.Addresses)
	require.Equal(t, out.Fires[0].RunID, job.RunID(retry.FireAt, retry.ID), "the id names the partition")
}

func TestEnd_FiresChildren(t *testing.T) {
	t.Parallel()
	f := setup(t)
	one, wide := f.job(t), f.job(t, func(j *job.Job) { j.RouteStrategy = job.RouteBroadcast })
	parent := f.job(t, func(j *job.Job) { j.ChildJobIDs = []int32{one.ID, wide.ID, 4711} })
	runs := f.claimed(t, parent, 2)

	out := f.end(t, result(runs[0].RunID, job.Succeeded), result(runs[1].RunID, job.Failed))
	require.Len(t, out.Fires, 2, "of the success alone, and unknown ids are ignored")
	for _, fire := range out.Fires {
		r := f.run(t, fire.RunID)
		require.Equal(t, job.CauseParent, r.Cause)
		require.Equal(t, runs[0].RunID, *r.ParentID)
		want := int32(0)
		if r.JobID == wide.ID {
			want = job.BroadcastParent
		}
		require.Equal(t, want, r.Shard)
		require.Equal(t, want, fire.Shard)
	}
}

func TestEnd_DuplicatesAtTwoAdminsCauseOneOfEach(t *testing.T) {
	t.Parallel()
	f := setup(t)
	child := f.job(t)
	parent := f.job(t, func(j *job.Job) { j.ChildJobIDs, j.RetryCount = []int32{child.ID}, 1 })
	runs := f.claimed(t, parent, 200)
	f.exec(t, `UPDATE run SET retries_left = 1`)
	endings := make([]job.Ending, len(runs))
	for i, r := range runs {
		endings[i] = result(r.RunID, []job.State{job.Succeeded, job.Failed}[i%2])
	}
	other := storetest.Open(t, f.url)

	var wg sync.WaitGroup
	for i := range 6 {
		s := []*store.Store{f.store, other}[i%2]
		wg.Go(func() {
			if _, err := s.End(t.Context(), endings, retryAndChildren); err != nil {
				t.Errorf("end: %v", err)
			}
		})
	}
	wg.Wait()
	require.Equal(t, 100, f.count(t, `cause = $1`, job.CauseParent))
	require.Equal(t, 100, f.count(t, `cause = $1`, job.CauseRetry))
	require.Zero(t, f.count(t, `late_result IS NOT NULL`))
}

func TestEnd_ALateResultCorrectsALostRun(t *testing.T) {
	t.Parallel()
	f := setup(t)
	child := f.job(t)
	_, err := f.store.NextIDs(t.Context(), make([]time.Time, 10)) // left free below the runs'
	require.NoError(t, err)
	runs := f.claimed(t, f.job(t, func(j *job.Job) { j.ChildJobIDs = []int32{child.ID} }), 2)
	f.exec(t, `UPDATE run SET retries_left = 1 WHERE id = $1`, runs[1].RunID)
	_, err = f.store.End(t.Context(), []job.Ending{result(runs[0].RunID, job.Lost), result(runs[1].RunID, job.Lost)}, retryAndChildren)
	require.NoError(t, err)
	f.exec(t, `UPDATE run SET id = $1 WHERE cause = $2`, runs[0].RunID-5, job.CauseRetry) // as another admin may give it

	out := f.end(t, result(runs[0].RunID, job.Succeeded), result(runs[1].RunID, job.Succeeded))
	require.Len(t, out.Ended, 1)
	require.Len(t, out.Fires, 1, "the success was real: its child fires")
	require.Equal(t, job.Succeeded, f.run(t, runs[0].RunID).State)

	retried := f.run(t, runs[1].RunID)
	require.Equal(t, job.Lost, retried.State, "its retry stands for it")
	require.Equal(t, "succeeded: m", *retried.LateResult)
	require.Empty(t, f.end(t, result(runs[0].RunID, job.Failed)).Ended, "corrected once")
}

func TestEnd_CallsBadDataByName(t *testing.T) {
	t.Parallel()
	f := setup(t)
	runs := f.claimed(t, f.job(t), 1)
	e := result(runs[0].RunID, job.Failed)
	e.Message = "nul \x00"
	_, err := f.store.End(t.Context(), []job.Ending{e}, retryAndChildren)
	require.ErrorIs(t, err, job.ErrBadData)

	e.Message = strings.Repeat("x", 1<<20)
	require.Len(t, f.end(t, e).Ended, 1)
}
