package store_test

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/admin/job"
	"github.com/gluewheel/gluewheel/admin/store"
	"github.com/gluewheel/gluewheel/admin/store/storetest"
)

func limit(n int32) func(*job.Job) { return func(j *job.Job) { j.MaxConcurrent = n } }

func won(answers []job.Claimed) (ids []int64) {
	for _, a := range answers {
		if a.Won() {
			ids = append(ids, a.RunID)
		}
	}
	return ids
}

func TestClaimLimited_TakesTheOldestThatThereIsRoomFor(t *testing.T) {
	t.Parallel()
	f := setup(t)
	j := f.job(t, limit(2))
	fires := f.trigger(t, j, 4)
	// The first is asked for last, and one not at all: nobody overtakes it.
	answers, full, err := f.store.ClaimLimited(t.Context(), f.node, lease, claims(j, fires[1:]))
	require.NoError(t, err)
	require.Equal(t, []int64{fires[1].RunID}, won(answers))
	require.ElementsMatch(t, []int64{fires[2].RunID, fires[3].RunID}, full)

	answers, full, err = f.store.ClaimLimited(t.Context(), f.node, lease, claims(j, fires))
	require.NoError(t, err)
	require.Equal(t, []int64{fires[0].RunID}, won(answers))
	require.Len(t, full, 2)

	_, err = f.store.End(t.Context(), []job.Ending{{Result: job.Result{RunID: fires[0].RunID, State: job.Succeeded}}},
		func(*job.Ended, *job.FollowRules) job.Follow { return job.Follow{} })
	require.NoError(t, err)
	answers, _, err = f.store.ClaimLimited(t.Context(), f.node, lease, claims(j, fires[2:]))
	require.NoError(t, err)
	require.Equal(t, []int64{fires[2].RunID}, won(answers))
}

func TestClaimLimited_TellsOfAChangedJob(t *testing.T) {
	t.Parallel()
	f := setup(t)
	j := f.job(t, limit(1))
	fires := f.trigger(t, j, 2)
	stale := claims(j, fires)
	edit := j
	edit.MaxConcurrent = 0
	_, err := f.store.UpdateJob(t.Context(), edit, nil)
	require.NoError(t, err)
	answers, full, err := f.store.ClaimLimited(t.Context(), f.node, lease, stale)
	require.NoError(t, err)
	require.Empty(t, full)
	require.Len(t, answers, 2, "to be routed again")
	require.Empty(t, won(answers))
}

// Several admins claim at the same time; at no moment are more open than the limit.
func TestClaimLimited_HoldsWithSeveralAdmins(t *testing.T) {
	t.Parallel()
	f := setup(t)
	j := f.job(t, limit(3))
	fires := f.planned(t, j, 60)
	stores := []*store.Store{f.store, storetest.Open(t, f.url), storetest.Open(t, f.url)}
	var wg sync.WaitGroup
	for i, s := range stores {
		wg.Go(func() {
			for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); {
				answers, full, err := s.ClaimLimited(t.Context(), int32(i+1), lease, claims(j, fires))
				if err != nil {
					t.Errorf("claim: %v", err)
					return
				}
				var ends []job.Ending
				for _, id := range won(answers) {
					ends = append(ends, job.Ending{Result: job.Result{RunID: id, State: job.Succeeded}})
				}
				if _, err := s.End(t.Context(), ends, func(*job.Ended, *job.FollowRules) job.Follow { return job.Follow{} }); err != nil {
					t.Errorf("end: %v", err)
				}
				if len(full) == 0 && len(ends) == 0 {
					return
				}
			}
			t.Error("not done in time")
		})
	}
	stop, most := make(chan struct{}), make(chan int, 1)
	other := connect(t, f.url)
	go func() {
		n := 0
		for {
			select {
			case <-stop:
				most <- n
				return
			default:
			}
			var open int
			if err := other.QueryRow(t.Context(), `SELECT count(*) FROM run WHERE state = 2`).Scan(&open); err != nil {
				t.Errorf("count: %v", err)
			}
			n = max(n, open)
		}
	}()
	wg.Wait()
	close(stop)
	n := <-most
	require.Positive(t, n)
	require.LessOrEqual(t, n, 3)
	require.Equal(t, len(fires), f.count(t, `state = 10 AND epoch = 1`), "each is claimed once")
}

func TestSweep_OffersOfLimitedJobsWhatThereIsRoomFor(t *testing.T) {
	t.Parallel()
	f := setup(t)
	j, free := f.job(t, limit(2)), f.job(t, named(2))
	fires := f.trigger(t, j, 5)
	plain := f.trigger(t, free, 1)
	_, _, err := f.store.ClaimLimited(t.Context(), f.node, lease, claims(j, fires[:1]))
	require.NoError(t, err)
	f.exec(t, `UPDATE run SET due_at = due_at - interval '10 s'`)
	res, err := f.store.Sweep(t.Context(), job.SweepRequest{After: 2 * time.Second, MisfireAfter: time.Minute, Limit: 100},
		func([]job.Late) []int64 { return nil })
	require.NoError(t, err)
	require.Len(t, res.Fires, 1)
	require.Equal(t, plain[0].RunID, res.Fires[0].RunID)
	require.Len(t, res.Limited, 1)
	require.Equal(t, fires[1].RunID, res.Limited[0].RunID)
}
