package store_test

import (
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/admin/job"
	"github.com/gluewheel/gluewheel/admin/store"
)

// delayed makes a started job that fires three seconds after the end of its last run.
func (f *fixture) delayed(t *testing.T, edit ...func(*job.Job)) job.Job {
	t.Helper()
	return f.started(t, append([]func(*job.Job){func(j *job.Job) {
		j.ScheduleType, j.ScheduleConf = job.ScheduleFixDelay, "3"
	}}, edit...)...)
}

// planOne is a policy that fires once and lets the job wait, as a fixed delay does.
func planOne(_ time.Time, due []job.Due) job.Plan {
	var p job.Plan
	for _, d := range due {
		p.Entries = append(p.Entries, entry(d, d.NextFire))
		p.Moves = append(p.Moves, job.Move{JobID: d.ID, Version: d.Version, ReadFire: d.NextFire, Waits: true, LastFire: d.NextFire})
	}
	return p
}

func noPlan(time.Time, []job.Due) job.Plan { return job.Plan{} }

// fired plans the one fire of a waiting job and claims it.
func (f *fixture) fired(t *testing.T, j job.Job) job.Claimed {
	t.Helper()
	res, err := f.store.PlanDue(t.Context(), f.request(5*time.Second), planOne)
	require.NoError(t, err)
	require.Empty(t, res.Over, "it waits and is not over")
	require.Len(t, res.Fires, 1)
	got, err := f.store.Claim(t.Context(), f.node, lease, claims(j, res.Fires))
	require.NoError(t, err)
	require.Len(t, got, 1)
	return got[0]
}

// look runs a planning round that plans nothing and reads the job after it.
func (f *fixture) look(t *testing.T, j job.Job) (job.Job, job.PlanResult) {
	t.Helper()
	res, err := f.store.PlanDue(t.Context(), f.request(5*time.Second), noPlan)
	require.NoError(t, err)
	return f.read(t, j.ID), res
}

func TestPlanDue_AFixedDelayCountsFromTheEndOfTheRun(t *testing.T) {
	t.Parallel()
	f := setup(t)
	j := f.delayed(t)
	first := f.fired(t, j)

	waiting, _ := f.look(t, j)
	require.True(t, waiting.Enabled, "it is not taken for one that is over")
	require.Nil(t, waiting.NextFire, "while its run is open")

	f.end(t, result(first.RunID, job.Succeeded))
	ended := f.run(t, first.RunID).EndedAt.Truncate(time.Millisecond)
	next, res := f.look(t, j)
	require.True(t, next.NextFire.Equal(ended.Add(3*time.Second)), "%v after %v", next.NextFire, ended)
	require.Equal(t, j.Version, next.Version, "which is no edit")
	require.Empty(t, res.Over)

	second := f.fired(t, j)
	require.True(t, second.FireAt.Equal(*next.NextFire))
}

func TestPlanDue_AFixedDelayWaitsForRetriesAndShards(t *testing.T) {
	t.Parallel()
	f := setup(t)
	j := f.delayed(t, func(j *job.Job) { j.RetryCount, j.RouteStrategy = 1, job.RouteBroadcast })
	res, err := f.store.PlanDue(t.Context(), f.request(5*time.Second), func(now time.Time, due []job.Due) job.Plan {
		p := planOne(now, due)
		for i := range p.Entries {
			p.Entries[i].Shard, p.Entries[i].RetriesLeft = job.BroadcastParent, 1
		}
		return p
	})
	require.NoError(t, err)
	shards, err := f.store.ExpandBroadcast(t.Context(), f.node, lease, []job.Expansion{{
		RunID: res.Fires[0].RunID, JobID: j.ID, JobVersion: j.Version, Addresses: []string{"http://a", "http://b"},
	}})
	require.NoError(t, err)
	require.Len(t, shards, 2)
	waits := func() bool {
		now, _ := f.look(t, j)
		return now.Enabled && now.NextFire == nil
	}
	require.True(t, waits(), "two shards are open")
	f.end(t, result(shards[0].RunID, job.Succeeded))
	require.True(t, waits(), "one shard is open")
	retry := f.end(t, result(shards[1].RunID, job.Failed)).Fires
	require.Len(t, retry, 1)
	require.True(t, waits(), "a retry is open")
	f.exec(t, `UPDATE run SET state = 3 WHERE id = $1`, retry[0].RunID)
	f.end(t, result(retry[0].RunID, job.Failed))

	next, _ := f.look(t, j)
	ended := f.run(t, retry[0].RunID).EndedAt.Truncate(time.Millisecond)
	require.True(t, next.NextFire.Equal(ended.Add(3*time.Second)), "from the end of the retry")
}

func TestPlanDue_AFixedDelayIsNotHeldUpByOtherRuns(t *testing.T) {
	t.Parallel()
	f := setup(t)
	j := f.delayed(t)
	first := f.fired(t, j)
	f.trigger(t, j, 1)
	f.end(t, result(first.RunID, job.Killed))
	next, _ := f.look(t, j)
	require.NotNil(t, next.NextFire, "a manual run is none of its schedule")
}

func TestPlanDue_AFixedDelayEndsWithItsValidity(t *testing.T) {
	t.Parallel()
	f := setup(t)
	until := time.Now().Add(time.Hour)
	j := f.delayed(t, func(j *job.Job) { j.ValidUntil = &until })
	first := f.fired(t, j)
	f.exec(t, `UPDATE job SET valid_until = clock_timestamp() WHERE id = $1`, j.ID)
	waiting, _ := f.look(t, j)
	require.True(t, waiting.Enabled, "its last run is open")
	f.end(t, result(first.RunID, job.Succeeded))
	over, res := f.look(t, j)
	require.False(t, over.Enabled)
	require.Nil(t, over.NextFire)
	require.Equal(t, []int32{j.ID}, res.Over)
}

func TestPlanDue_AFixedDelayThatCannotBeReadHoldsUpNobody(t *testing.T) {
	t.Parallel()
	f := setup(t)
	j := f.delayed(t)
	first := f.fired(t, j)
	f.exec(t, `UPDATE job SET schedule_conf = 'soon' WHERE id = $1`, j.ID)
	f.end(t, result(first.RunID, job.Succeeded))
	next, _ := f.look(t, j)
	require.NotNil(t, next.NextFire, "planning gets to see it")

	res, err := f.store.PlanDue(t.Context(), f.request(5*time.Second), func(_ time.Time, due []job.Due) job.Plan {
		return job.Plan{Moves: []job.Move{{JobID: j.ID, Version: due[0].Version, ReadFire: due[0].NextFire}}}
	})
	require.NoError(t, err)
	require.Equal(t, []int32{j.ID}, res.Over)
	require.False(t, f.read(t, j.ID).Enabled, "and stops it")
}

func TestStopJob_StopsAFixedDelayThatWaits(t *testing.T) {
	t.Parallel()
	f := setup(t)
	j := f.delayed(t)
	first := f.fired(t, j)
	_, err := f.store.StopJob(t.Context(), j.ID)
	require.NoError(t, err)
	f.end(t, result(first.RunID, job.Succeeded))
	stopped, _ := f.look(t, j)
	require.False(t, stopped.Enabled)
	require.Nil(t, stopped.NextFire)
}

// On a ledger that was never analysed: waiting jobs and the rows of their instants are
// found by index, whatever else the ledger holds.
func TestResumeWaiting_KeepsItsPlan(t *testing.T) {
	t.Parallel()
	f := setup(t)
	j := f.delayed(t)
	f.fired(t, j)
	f.planned(t, f.job(t, named(2)), 5000)
	tx, err := f.sql.Begin(t.Context())
	require.NoError(t, err)
	defer func() { require.NoError(t, tx.Rollback(t.Context())) }()
	_, err = tx.Exec(t.Context(), store.PinPlan)
	require.NoError(t, err)
	rows, err := tx.Query(t.Context(), `EXPLAIN `+store.ResumeWaiting, pgx.StrictNamedArgs{"buckets": []int32{0}, "limit": 6000})
	require.NoError(t, err)
	lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	plan := strings.Join(lines, "\n")
	for _, index := range []string{"job_waiting_idx", "_job_id_fire_at_shard_attempt_idx", "_job_id_fire_at_idx"} {
		require.Contains(t, plan, index)
	}
	for _, bad := range []string{"Seq Scan", "Hash Join", "Merge Join", "Bitmap"} {
		require.NotContains(t, plan, bad)
	}
}
