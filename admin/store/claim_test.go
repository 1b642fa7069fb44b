package store_test

import (
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/admin/job"
	"github.com/gluewheel/gluewheel/admin/store"
	"github.com/gluewheel/gluewheel/admin/store/storetest"
)

const lease = 5 * time.Second

// trigger plans n manual runs of a job.
func (f *fixture) trigger(t *testing.T, j job.Job, n int, edit ...func(*job.TriggerRequest)) []job.Fire {
	t.Helper()
	require.NoError(t, f.store.KeepPartitions(t.Context()))
	fires := make([]job.Fire, n)
	for i := range fires {
		req := job.TriggerRequest{JobID: j.ID, Cause: job.CauseManual}
		for _, e := range edit {
			e(&req)
		}
		var err error
		fires[i], err = f.store.Trigger(t.Context(), req)
		require.NoError(t, err)
	}
	return fires
}

// planned inserts n planned runs at once, faster than trigger.
func (f *fixture) planned(t *testing.T, j job.Job, n int) []job.Fire {
	t.Helper()
	require.NoError(t, f.store.KeepPartitions(t.Context()))
	at := time.Now().UTC().Truncate(time.Millisecond)
	instants := make([]time.Time, n)
	for i := range instants {
		instants[i] = at
	}
	ids, err := f.store.NextIDs(t.Context(), instants)
	require.NoError(t, err)
	f.exec(t, `INSERT INTO run (id, fire_at, due_at, job_id, group_id, cause, state)
		SELECT id, $2, $2, $3, $4, 2, 1 FROM unnest($1::bigint[]) AS n (id)`, ids, at, j.ID, j.GroupID)
	fires := make([]job.Fire, n)
	for i := range fires {
		fires[i] = job.Fire{RunID: ids[i], JobID: j.ID, FireAt: at, DueAt: at}
	}
	return fires
}

func claims(j job.Job, fires []job.Fire) []job.Claim {
	out := make([]job.Claim, len(fires))
	for i, f := range fires {
		out[i] = job.Claim{
			RunID: f.RunID, JobID: f.JobID, Epoch: f.Epoch, JobVersion: j.Version, Address: "http://e:9999",
			Route: &job.Route{Strategy: job.RouteLFU, Candidates: 30, Place: 12, Uses: 4711},
		}
	}
	return out
}

// claimed plans n runs and claims them.
func (f *fixture) claimed(t *testing.T, j job.Job, n int) []job.Claimed {
	t.Helper()
	got, err := f.store.Claim(t.Context(), f.node, lease, claims(j, f.planned(t, j, n)))
	require.NoError(t, err)
	require.Len(t, got, n)
	return got
}

func (f *fixture) run(t *testing.T, id int64) job.Run {
	t.Helper()
	return f.runBy(t, f.sql, id)
}

func (f *fixture) runBy(t *testing.T, conn *pgx.Conn, id int64) job.Run {
	t.Helper()
	rows, err := conn.Query(t.Context(), `SELECT id, fire_at, due_at, job_id, group_id, cause, shard, shard_total, attempt,
		retries_left, parent_id, param, addresses, job_version, glue_version, state, owner, epoch, lease_until, address,
		claimed_at, started_at, ended_at, outcome, reason, message, code, range_to, range_count, log_tail, late_result,
		is_test, usage, version_pin, route FROM run WHERE id = $1`, id)
	require.NoError(t, err)
	r, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByName[job.Run])
	require.NoError(t, err)
	return r
}

func holds(runs []job.Claimed) []job.Hold {
	out := make([]job.Hold, len(runs))
	for i, r := range runs {
		out[i] = job.Hold{RunID: r.RunID, Epoch: r.Epoch}
	}
	return out
}

func TestClaim_WritesWhatDispatchNeeds(t *testing.T) {
	t.Parallel()
	f := setup(t)
	j := f.job(t)
	param := "p"
	fires := f.trigger(t, j, 1, func(r *job.TriggerRequest) { r.Param = &param })

	got, err := f.store.Claim(t.Context(), f.node, lease, claims(j, fires))
	require.NoError(t, err)
	require.Len(t, got, 1)
	require.True(t, got[0].Won())
	require.Equal(t, fires[0].Epoch+1, got[0].Epoch)
	require.Equal(t, &param, got[0].Param)

	r := f.run(t, fires[0].RunID)
	require.Equal(t, job.Dispatching, r.State)
	require.Equal(t, f.node, r.Owner)
	require.Equal(t, "http://e:9999", r.Address)
	require.Equal(t, j.Version, r.JobVersion)
	require.NotNil(t, r.ClaimedAt)
	require.WithinDuration(t, r.ClaimedAt.Add(lease), *r.LeaseUntil, time.Second)
}

func TestClaim_OneOfTwoAdminsWins(t *testing.T) {
	t.Parallel()
	f := setup(t)
	j := f.job(t)
	asked := claims(j, f.planned(t, j, 500))
	other := storetest.Open(t, f.url)

	var won [2]int
	var wg sync.WaitGroup
	for i, s := range []*store.Store{f.store, other} {
		wg.Go(func() {
			got, err := s.Claim(t.Context(), int32(i+1), lease, asked)
			if err != nil {
				t.Errorf("claim: %v", err)
			}
			for _, c := range got {
				if c.Won() {
					won[i]++
				}
			}
		})
	}
	wg.Wait()
	require.Equal(t, 500, won[0]+won[1])
	require.Equal(t, won[0], f.count(t, `owner = 1 AND state = 2 AND epoch = 1`))
}

func TestClaim_TellsTheNewVersionOfAJob(t *testing.T) {
	t.Parallel()
	f := setup(t)
	j := f.job(t)
	fires := f.planned(t, j, 2)
	edited := j
	edited.Param = "new"
	w, err := f.store.UpdateJob(t.Context(), edited, nextSecond)
	require.NoError(t, err)

	got, err := f.store.Claim(t.Context(), f.node, lease, claims(j, fires))
	require.NoError(t, err)
	require.Len(t, got, 2)
	for _, c := range got {
		require.False(t, c.Won())
		require.Equal(t, w.Version, c.JobVersion)
	}
	edited.Version = w.Version
	got, err = f.store.Claim(t.Context(), f.node, lease, claims(edited, fires))
	require.NoError(t, err)
	require.True(t, got[0].Won() && got[1].Won())
}

func TestClaim_HeedsTheRunsOwnAddresses(t *testing.T) {
	t.Parallel()
	f := setup(t)
	j := f.job(t)
	own := []string{"http://own:1"}
	fires := f.trigger(t, j, 1, func(r *job.TriggerRequest) { r.Addresses = own })

	got, err := f.store.Claim(t.Context(), f.node, lease, claims(j, fires))
	require.NoError(t, err)
	require.Len(t, got, 1)
	require.False(t, got[0].Won())
	require.Equal(t, own, got[0].Addresses)

	again := claims(j, fires)
	again[0].Address, again[0].Own = own[0], true
	got, err = f.store.Claim(t.Context(), f.node, lease, again)
	require.NoError(t, err)
	require.True(t, got[0].Won())
}

func TestClaim_CancelsWhatMustNotStart(t *testing.T) {
	t.Parallel()
	f := setup(t)
	stopped, deleted := f.job(t), f.job(t, named(2))
	ofStopped, ofDeleted := f.planned(t, stopped, 1), f.planned(t, deleted, 1)
	f.exec(t, `UPDATE run SET cause = 1 WHERE id = $1`, ofStopped[0].RunID)
	f.exec(t, `DELETE FROM job WHERE id = $1`, deleted.ID)

	got, err := f.store.Claim(t.Context(), f.node, lease, append(claims(stopped, ofStopped), claims(deleted, ofDeleted)...))
	require.NoError(t, err)
	require.Empty(t, got)
	require.Equal(t, job.ReasonStopped, f.run(t, ofStopped[0].RunID).Reason)
	r := f.run(t, ofDeleted[0].RunID)
	require.Equal(t, job.Cancelled, r.State)
	require.Equal(t, job.ReasonDeleted, r.Reason)
}

func TestClaim_WaitsForAnEditUnderWay(t *testing.T) {
	t.Parallel()
	f := setup(t)
	j := f.job(t)
	fires := f.planned(t, j, 1)
	tx, err := f.sql.Begin(t.Context())
	require.NoError(t, err)
	_, err = tx.Exec(t.Context(), `SELECT pg_advisory_xact_lock($1)`, store.ClaimLock)
	require.NoError(t, err)

	var got []job.Claimed
	var wg sync.WaitGroup
	wg.Go(func() {
		var err error
		if got, err = f.store.Claim(t.Context(), f.node, lease, claims(j, fires)); err != nil {
			t.Errorf("claim: %v", err)
		}
	})
	watch := connect(t, f.url)
	require.Eventually(t, func() bool {
		var waits bool
		err := watch.QueryRow(t.Context(), `SELECT EXISTS (SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted)`).Scan(&waits)
		return err == nil && waits
	}, 30*time.Second, 10*time.Millisecond)
	require.Equal(t, job.Planned, f.runBy(t, watch, fires[0].RunID).State)

	require.NoError(t, tx.Rollback(t.Context()))
	wg.Wait()
	require.Len(t, got, 1)
	require.True(t, got[0].Won())
}

func TestExpandBroadcast(t *testing.T) {
	t.Parallel()
	f := setup(t)
	j := f.job(t, func(j *job.Job) { j.RouteStrategy, j.RetryCount = job.RouteBroadcast, 2 })
	fires := f.trigger(t, j, 2)
	addresses := []string{"http://a", "http://b", "http://c"}
	parents := []job.Expansion{
		{RunID: fires[0].RunID, JobID: j.ID, JobVersion: j.Version, Addresses: addresses},
		{RunID: fires[1].RunID, JobID: j.ID, JobVersion: j.Version + 7, Addresses: addresses},
	}

	got, err := f.store.ExpandBroadcast(t.Context(), f.node, lease, parents)
	require.NoError(t, err)
	require.Len(t, got, 4)
	for i, c := range got[:3] {
		require.True(t, c.Won())
		require.Equal(t, int32(i), c.Shard)
		require.Equal(t, int32(3), c.ShardTotal)
		require.Equal(t, addresses[i], c.Address)
		require.Equal(t, fires[0].RunID, *c.ParentID)
		r := f.run(t, c.RunID)
		require.True(t, fires[0].FireAt.Equal(r.FireAt))
		require.Equal(t, int16(2), r.RetriesLeft)
	}
	require.False(t, got[3].Won())
	require.Equal(t, fires[1].RunID, got[3].RunID)

	parent := f.run(t, fires[0].RunID)
	require.Equal(t, job.Succeeded, parent.State)
	require.Equal(t, job.ReasonExpanded, parent.Reason)
	require.NotNil(t, parent.EndedAt)

	got, err = f.store.ExpandBroadcast(t.Context(), f.node, lease, parents[:1])
	require.NoError(t, err)
	require.Empty(t, got, "a parent is expanded once")
}

func TestLeases(t *testing.T) {
	t.Parallel()
	f := setup(t)
	j := f.job(t)
	runs := f.claimed(t, j, 3)
	h := holds(runs)

	still, err := f.store.RenewLeases(t.Context(), time.Minute, []job.Hold{h[0], {RunID: h[1].RunID, Epoch: 99}})
	require.NoError(t, err)
	require.Equal(t, []int64{h[0].RunID}, still)

	released, err := f.store.Release(t.Context(), h[1:2])
	require.NoError(t, err)
	require.Len(t, released, 1)
	r := f.run(t, h[1].RunID)
	require.Equal(t, job.Planned, r.State)
	require.Equal(t, h[1].Epoch, r.Epoch, "the fence stays moved")

	f.exec(t, `UPDATE run SET lease_until = clock_timestamp() - interval '1 s' WHERE id = $1`, h[2].RunID)
	taken, err := f.store.TakeOver(t.Context(), 77, lease, time.Hour, 10)
	require.NoError(t, err)
	require.Len(t, taken, 1)
	require.Equal(t, h[2].RunID, taken[0].RunID)
	require.Equal(t, h[2].Epoch+1, taken[0].Epoch)
	r = f.run(t, h[2].RunID)
	require.Equal(t, job.Unknown, r.State)
	require.Equal(t, job.ReasonTakenOver, r.Reason)
	require.Equal(t, int32(77), r.Owner)
	require.Equal(t, "http://e:9999", r.Address)

	still, err = f.store.RenewLeases(t.Context(), lease, h[2:])
	require.NoError(t, err)
	require.Empty(t, still, "the former holder is fenced off")
}

func TestUnknown(t *testing.T) {
	t.Parallel()
	f := setup(t)
	runs := f.claimed(t, f.job(t), 2)
	h := holds(runs)

	marked, err := f.store.MarkUnknown(t.Context(), lease, []job.Doubt{{Hold: h[0], Reason: job.ReasonNoAnswer}, {Hold: job.Hold{RunID: h[1].RunID, Epoch: 9}}})
	require.NoError(t, err)
	require.Equal(t, []int64{h[0].RunID}, marked)

	won, err := f.store.MarkResent(t.Context(), h[0])
	require.NoError(t, err)
	require.True(t, won)
	won, err = f.store.MarkResent(t.Context(), h[0])
	require.NoError(t, err)
	require.False(t, won, "there is one re-send")

	_, err = f.store.Park(t.Context(), h[:1])
	require.NoError(t, err)
	_, err = f.store.RenewLeases(t.Context(), time.Hour, h[1:])
	require.NoError(t, err)
	taken, err := f.store.TakeOver(t.Context(), 77, lease, time.Hour, 10)
	require.NoError(t, err)
	require.Empty(t, taken, "a parked run has no holder to take it from")

	began := time.Now().Add(-time.Hour)
	require.NoError(t, f.store.MarkRunning(t.Context(), []job.Acceptance{{RunID: h[0].RunID, At: began}}))
	r := f.run(t, h[0].RunID)
	require.Equal(t, job.Running, r.State)
	require.WithinDuration(t, began, *r.StartedAt, time.Minute)
}

// The path of a fire writes no indexed column before the end.
func TestClaimAndRunning_AreHOTUpdates(t *testing.T) {
	t.Parallel()
	f := setup(t)
	runs := f.claimed(t, f.job(t), 1000)
	taken := make([]job.Acceptance, len(runs))
	for i, r := range runs {
		taken[i] = job.Acceptance{RunID: r.RunID, At: time.Now()}
	}
	// Room for the next version is made by pruning the last, once no transaction of the
	// server, those of other tests included, is older than the claim.
	const prunable = `SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint > max(xmin::text::bigint) FROM run`
	require.Eventually(t, func() bool {
		var yes bool
		return f.sql.QueryRow(t.Context(), prunable).Scan(&yes) == nil && yes
	}, time.Minute, 20*time.Millisecond)
	require.NoError(t, f.store.MarkRunning(t.Context(), taken))

	const stats = `SELECT coalesce(sum(n_tup_upd), 0)::int, coalesce(sum(n_tup_hot_upd), 0)::int
		FROM pg_stat_user_tables WHERE relname LIKE 'run\_2%'`
	var updated, hot int
	require.Eventually(t, func() bool { // statistics reach the server when its sessions are idle
		f.store.Close()
		return f.sql.QueryRow(t.Context(), stats).Scan(&updated, &hot) == nil && updated >= 2000
	}, 30*time.Second, 50*time.Millisecond)
	require.GreaterOrEqual(t, hot, updated*95/100, "%d of %d updates are HOT", hot, updated)
}
