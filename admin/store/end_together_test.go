package store_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/admin/job"
	"github.com/gluewheel/gluewheel/admin/store"
	"github.com/gluewheel/gluewheel/admin/store/storetest"
)

// followAsTold is a policy that reads the job's options and retries at once.
func followAsTold(e *job.Ended, r *job.FollowRules) job.Follow {
	if e.State == job.Succeeded {
		return job.Follow{Children: r.ChildJobIDs, Together: r.ChildrenOnce && e.ShardTotal > 1, PassResult: r.PassResult}
	}
	return job.Follow{Retry: e.RetriesLeft > 0}
}

func (f *fixture) endAsTold(t *testing.T, endings ...job.Ending) []job.Fire {
	t.Helper()
	out, err := f.store.End(t.Context(), endings, followAsTold)
	require.NoError(t, err)
	return out.Fires
}

func saying(e job.Ending, message string) job.Ending {
	e.Message = message
	return e
}

// broadcast plans and expands one fire of a job, over n executors.
func (f *fixture) broadcast(t *testing.T, j job.Job, n int) []job.Claimed {
	t.Helper()
	parent := f.trigger(t, j, 1)[0]
	e := job.Expansion{RunID: parent.RunID, JobID: j.ID, JobVersion: j.Version}
	for i := range n {
		e.Addresses = append(e.Addresses, fmt.Sprintf("http://e%d", i))
	}
	shards, err := f.store.ExpandBroadcast(t.Context(), f.node, lease, []job.Expansion{e})
	require.NoError(t, err)
	require.Len(t, shards, n)
	return shards
}

func TestEnd_PassesTheResultOn(t *testing.T) {
	t.Parallel()
	f := setup(t)
	child := f.job(t, func(j *job.Job) { j.Param = "its own" })
	parent := f.job(t, func(j *job.Job) { j.ChildJobIDs, j.PassResult = []int32{child.ID}, true })
	runs := f.claimed(t, parent, 2)

	fires := f.endAsTold(t, saying(result(runs[0].RunID, job.Succeeded), "42"), saying(result(runs[1].RunID, job.Succeeded), ""))
	require.Len(t, fires, 2)
	for _, fire := range fires {
		r := f.run(t, fire.RunID)
		want := map[int64]string{runs[0].RunID: "42", runs[1].RunID: ""}[*r.ParentID]
		require.Equal(t, &want, r.Param, "an empty result is one, too")
	}
}

func TestEnd_FiresTheChildrenOfABroadcastOnce(t *testing.T) {
	t.Parallel()
	f := setup(t)
	child := f.job(t)
	parent := f.job(t, func(j *job.Job) {
		j.ChildJobIDs, j.ChildrenOnce, j.PassResult = []int32{child.ID}, true, true
		j.RouteStrategy, j.RetryCount = job.RouteBroadcast, 1
	})
	shards, others := f.broadcast(t, parent, 3), f.broadcast(t, parent, 3)

	require.Empty(t, f.endAsTold(t, saying(result(shards[2].RunID, job.Succeeded), "c")))
	require.Empty(t, f.endAsTold(t, result(others[0].RunID, job.Succeeded), result(others[1].RunID, job.Succeeded)))
	retries := f.endAsTold(t, saying(result(shards[0].RunID, job.Succeeded), `a"`), result(shards[1].RunID, job.Failed))
	require.Len(t, retries, 1)
	require.Equal(t, int32(1), retries[0].Shard, "all have ended, but one is tried again")
	f.exec(t, `UPDATE run SET state = 3 WHERE id = $1`, retries[0].RunID)

	fires := f.endAsTold(t, saying(result(retries[0].RunID, job.Succeeded), "b"))
	require.Len(t, fires, 1)
	r := f.run(t, fires[0].RunID)
	require.Equal(t, child.ID, r.JobID)
	require.Equal(t, retries[0].RunID, *r.ParentID, "the one that came last")
	require.JSONEq(t, `["a\"", "b", "c"]`, *r.Param, "in the order of shards")
	require.Empty(t, f.endAsTold(t, result(retries[0].RunID, job.Succeeded)), "a repetition does nothing")
	f.exec(t, `UPDATE run SET retries_left = 0 WHERE id = $1`, others[2].RunID)
	require.Empty(t, f.endAsTold(t, result(others[2].RunID, job.Killed)), "a broadcast that is not whole fires none")
}

func TestEnd_ShardsThatEndAtTwoAdminsFireTheChildrenOnce(t *testing.T) {
	t.Parallel()
	f := setup(t)
	const broadcasts, width = 30, 4
	child := f.job(t)
	parent := f.job(t, func(j *job.Job) {
		j.ChildJobIDs, j.ChildrenOnce, j.RouteStrategy = []int32{child.ID}, true, job.RouteBroadcast
	})
	var endings [width][]job.Ending
	for range broadcasts {
		for i, s := range f.broadcast(t, parent, width) {
			endings[i] = append(endings[i], result(s.RunID, job.Succeeded))
		}
	}
	other := storetest.Open(t, f.url)
	var wg sync.WaitGroup
	for i, batch := range endings {
		s := []*store.Store{f.store, other}[i%2]
		for half := range 2 { // so that batches of different broadcasts meet as well
			part := batch[half*broadcasts/2 : (half+1)*broadcasts/2]
			wg.Go(func() {
				if _, err := s.End(t.Context(), part, followAsTold); err != nil {
					t.Errorf("end: %v", err)
				}
			})
		}
	}
	wg.Wait()
	require.Equal(t, broadcasts, f.count(t, `cause = $1`, job.CauseParent))
	require.Equal(t, broadcasts, f.count(t, `shard = -1 AND EXISTS (
		SELECT FROM run s JOIN run c ON c.parent_id = s.id AND c.cause = $1 WHERE s.fire_at = run.fire_at AND s.shard >= 0)`, job.CauseParent),
		"one each")
}
