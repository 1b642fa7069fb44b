package store_test

import (
	"encoding/json"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/admin/job"
	"github.com/gluewheel/gluewheel/admin/store"
	"github.com/gluewheel/gluewheel/admin/store/storetest"
)

func TestPlanDue_WritesARowAFireAndMovesTheJob(t *testing.T) {
	t.Parallel()
	f := setup(t)
	j := f.started(t)

	res := f.plan(t, 5*time.Second)

	require.Equal(t, []int32{0}, res.Buckets)
	require.GreaterOrEqual(t, len(res.Fires), 4, "the seconds within the horizon")
	require.False(t, res.More)
	for _, fire := range res.Fires {
		require.Equal(t, job.Day(fire.RunID), fire.FireAt.UTC().Truncate(24*time.Hour))
		require.Equal(t, 1, f.count(t, `id = $1 AND fire_at = $2 AND due_at = $2 AND state = 1 AND owner = $3 AND epoch = 0
			AND ended_at IS NULL AND outcome IS NULL`, fire.RunID, fire.FireAt, f.node))
	}
	moved := f.read(t, j.ID)
	require.True(t, moved.LastFire.Equal(res.Fires[len(res.Fires)-1].FireAt))
	require.Equal(t, moved.LastFire.Add(time.Second), *moved.NextFire)
	require.Equal(t, j.Version, moved.Version, "planning is no edit")
	require.Equal(t, len(res.Fires), f.count(t, `true`))
}

func TestPlanDue_TwoAdminsPlanEachInstantOnce(t *testing.T) {
	t.Parallel()
	f := setup(t)
	const jobs, step = 10, 5 * time.Second
	f.exec(t, `INSERT INTO bucket_lock (bucket) VALUES (1), (2)`)
	for i := range jobs {
		f.started(t, named(i))
	}
	end := time.Now().Add(5 * time.Minute)
	// Few instants a pass, so that it takes many.
	plan := func(_ time.Time, due []job.Due) job.Plan {
		p := job.Plan{Cut: true}
		for _, d := range due {
			at := d.NextFire
			for ; at.Before(d.NextFire.Add(step)) && at.Before(end); at = at.Add(time.Second) {
				p.Entries = append(p.Entries, entry(d, at))
			}
			if !at.Before(end) {
				at = end.Add(24 * time.Hour)
			}
			p.Moves = append(p.Moves, move(d, at))
		}
		return p
	}
	var (
		admins sync.WaitGroup
		fires  [2][]job.Fire
		errs   [2]error
	)
	for i := range fires {
		other, conn := storetest.Open(t, f.url), connect(t, f.url)
		node, err := other.RegisterNode(t.Context(), "admin")
		require.NoError(t, err)
		req := job.PlanRequest{Owner: node, Buckets: 3, Horizon: time.Hour, Limit: 7}
		admins.Go(func() {
			for left := true; left && errs[i] == nil; {
				var res job.PlanResult
				res, errs[i] = other.PlanDue(t.Context(), req, plan)
				fires[i] = append(fires[i], res.Fires...)
				if errs[i] == nil && len(res.Fires) == 0 {
					errs[i] = conn.QueryRow(t.Context(), `SELECT EXISTS (SELECT FROM job WHERE next_fire < $1)`, end).Scan(&left)
				}
			}
		})
	}
	admins.Wait()
	require.NoError(t, errs[0])
	require.NoError(t, errs[1])

	all := slices.Concat(fires[0], fires[1])
	require.Equal(t, len(all), f.count(t, `true`), "what was committed is what was returned")
	var perJob, gaps int
	require.NoError(t, f.sql.QueryRow(t.Context(), `
		SELECT count(*), count(*) FILTER (WHERE last - first <> make_interval(secs => n - 1) OR instants <> n)
		FROM (SELECT job_id, min(fire_at) AS first, max(fire_at) AS last, count(*) AS n, count(DISTINCT fire_at) AS instants
			FROM run GROUP BY job_id) j`).Scan(&perJob, &gaps))
	require.Equal(t, jobs, perJob)
	require.Zero(t, gaps, "each second has exactly one row a job")
	require.NotEmpty(t, fires[0])
	require.NotEmpty(t, fires[1])
}

func TestPlanDue_AnEditInBetweenWins(t *testing.T) {
	t.Parallel()
	f := setup(t)
	edited, kept := f.started(t, named(1)), f.started(t, named(2))
	other := storetest.Open(t, f.url)
	later := time.Now().Add(time.Hour).UTC().Truncate(time.Second)

	policy := planEach(5 * time.Second)
	res, err := f.store.PlanDue(t.Context(), f.request(5*time.Second), func(now time.Time, due []job.Due) job.Plan {
		edit := edited
		edit.ScheduleConf = "2"
		_, err := other.UpdateJob(t.Context(), edit, func(time.Time) (time.Time, error) { return later, nil })
		require.NoError(t, err)
		return policy(now, due)
	})

	require.NoError(t, err)
	require.Zero(t, f.count(t, `job_id = $1`, edited.ID), "no fire of the old schedule")
	require.Equal(t, later, f.read(t, edited.ID).NextFire.UTC())
	require.NotZero(t, f.count(t, `job_id = $1`, kept.ID))
	for _, fire := range res.Fires {
		require.Equal(t, kept.ID, fire.JobID)
	}
}

func TestPlanDue_AKilledBackendLosesAndDoublesNothing(t *testing.T) {
	t.Parallel()
	f := setup(t)
	j := f.started(t)

	policy := planEach(5 * time.Second)
	res, err := f.store.PlanDue(t.Context(), f.request(5*time.Second), func(now time.Time, due []job.Due) job.Plan {
		f.exec(t, `SELECT pg_terminate_backend(l.pid) FROM pg_locks l
			WHERE l.relation = 'bucket_lock'::regclass AND l.mode = 'RowExclusiveLock'
				AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())`)
		return policy(now, due)
	})

	require.Error(t, err)
	require.Empty(t, res.Fires, "nothing that is not committed enters a ring")
	require.Zero(t, f.count(t, `true`))
	require.Equal(t, j.NextFire, f.read(t, j.ID).NextFire)
	again := f.plan(t, 5*time.Second)
	require.NotEmpty(t, again.Fires)
	require.True(t, again.Fires[0].FireAt.Equal(*j.NextFire))
	require.Equal(t, len(again.Fires), f.count(t, `true`))
}

func TestPlanDue_BringsDeletedLockRowsBack(t *testing.T) {
	t.Parallel()
	f := setup(t)
	j := f.started(t)
	f.exec(t, `UPDATE job SET bucket = 9 WHERE id = $1`, j.ID)
	f.exec(t, `DELETE FROM bucket_lock`)

	res := f.plan(t, 5*time.Second)

	require.ElementsMatch(t, []int32{0, 9}, res.Buckets)
	require.NotEmpty(t, res.Fires)
}

func TestPlanDue_AdminsShareBuckets(t *testing.T) {
	t.Parallel()
	f := setup(t)
	second, err := f.store.RegisterNode(t.Context(), "second")
	require.NoError(t, err)
	take := func(node int32) []int32 {
		req := job.PlanRequest{Owner: node, Buckets: 5, Horizon: time.Second, Limit: 10}
		res, err := f.store.PlanDue(t.Context(), req, planEach(time.Second))
		require.NoError(t, err)
		return res.Buckets
	}

	first := take(f.node)
	require.Len(t, first, 3, "half of five, rounded up")
	rest := take(second)
	require.Len(t, rest, 3)
	require.ElementsMatch(t, []int32{0, 1, 2, 3, 4}, unique(first, rest), "none waits while others are taken twice")

	f.exec(t, `UPDATE admin_node SET heartbeat_at = heartbeat_at - interval '1 minute' WHERE id = $1`, second)
	require.Len(t, take(f.node), 5, "a dead admin's share is free")
}

func unique(sets ...[]int32) []int32 {
	all := slices.Concat(sets...)
	slices.Sort(all)
	return slices.Compact(all)
}

func TestPlanDue_PassesOverABucketThatIsHeld(t *testing.T) {
	t.Parallel()
	f := setup(t)
	f.started(t)
	tx, err := f.sql.Begin(t.Context())
	require.NoError(t, err)
	_, err = tx.Exec(t.Context(), `SELECT FROM bucket_lock FOR UPDATE`)
	require.NoError(t, err)

	held := f.plan(t, 5*time.Second)
	require.Empty(t, held.Buckets)
	require.Empty(t, held.Fires)

	require.NoError(t, tx.Rollback(t.Context()))
	require.NotEmpty(t, f.plan(t, 5*time.Second).Fires)
}

func TestPlanDue_MakesPartitionsForInstantsLongAgo(t *testing.T) {
	t.Parallel()
	f := setup(t)
	j := f.started(t)
	longAgo := time.Now().UTC().Truncate(time.Second).AddDate(0, 0, -40)
	f.exec(t, `UPDATE job SET next_fire = $2 WHERE id = $1`, j.ID, longAgo)

	res, err := f.store.PlanDue(t.Context(), f.request(5*time.Second), func(now time.Time, due []job.Due) job.Plan {
		d := due[0]
		e := entry(d, d.NextFire)
		e.State, e.Reason, e.RangeTo, e.RangeCount = job.Misfired, job.ReasonMisfireRange, &now, 7
		return job.Plan{Entries: []job.Entry{e}, Moves: []job.Move{move(d, now.Add(time.Hour))}}
	})

	require.NoError(t, err)
	require.Empty(t, res.Fires)
	require.Equal(t, 1, res.Skipped)
	require.Equal(t, 7, res.Missed, "the row stands for so many")
	require.Equal(t, 1, f.count(t, `fire_at = $1 AND outcome = 15 AND ended_at IS NOT NULL AND range_count = 7`, longAgo))
}

func TestPlanDue_OneInstantThatExistsDoesNotHoldBackOthers(t *testing.T) {
	t.Parallel()
	f := setup(t)
	twice, fine := f.started(t, named(1)), f.started(t, named(2))
	first := f.plan(t, 5*time.Second)
	// As after the database's clock was set back and last_fire lost.
	f.exec(t, `UPDATE job SET next_fire = $2 WHERE id = $1`, twice.ID, *twice.NextFire)

	res := f.plan(t, 20*time.Second)

	require.Equal(t, len(first.Fires)+len(res.Fires), f.count(t, `true`))
	for _, j := range []job.Job{twice, fine} {
		require.Equal(t, f.count(t, `job_id = $1`, j.ID), f.count(t, `job_id = $1 AND fire_at >= $2`, j.ID, *j.NextFire))
		require.GreaterOrEqual(t, f.count(t, `job_id = $1`, j.ID), 19)
	}
}

func TestPlanDue_StopsAJobAfterItsLastFire(t *testing.T) {
	t.Parallel()
	f := setup(t)
	j := f.started(t)
	last := func(_ time.Time, due []job.Due) job.Plan {
		d := due[0]
		return job.Plan{
			Entries: []job.Entry{entry(d, d.NextFire)},
			Moves:   []job.Move{{JobID: d.ID, Version: d.Version, ReadFire: d.NextFire, LastFire: d.NextFire}},
		}
	}

	res, err := f.store.PlanDue(t.Context(), f.request(5*time.Second), last)
	require.NoError(t, err)
	require.Equal(t, []int32{j.ID}, res.Over)
	require.Len(t, res.Fires, 1)
	over := f.read(t, j.ID)
	require.Nil(t, over.NextFire)
	require.True(t, over.Enabled, "its last fire is still to be claimed")

	f.exec(t, `UPDATE run SET state = 2`)
	require.Empty(t, f.plan(t, 5*time.Second).Fires)
	require.False(t, f.read(t, j.ID).Enabled)
}

func TestPlanDue_StopsAJobWithoutAnyFire(t *testing.T) {
	t.Parallel()
	f := setup(t)
	j := f.started(t)

	res, err := f.store.PlanDue(t.Context(), f.request(5*time.Second), func(_ time.Time, due []job.Due) job.Plan {
		d := due[0]
		return job.Plan{Moves: []job.Move{{JobID: d.ID, Version: d.Version, ReadFire: d.NextFire}}}
	})

	require.NoError(t, err)
	require.Equal(t, []int32{j.ID}, res.Over)
	stopped := f.read(t, j.ID)
	require.False(t, stopped.Enabled)
	require.Nil(t, stopped.NextFire)
}

func TestPlanDue_ReadsTheDueIndexOnly(t *testing.T) {
	t.Parallel()
	f := setup(t)
	// A job table as an import leaves it: large, and never analysed.
	f.exec(t, `ALTER TABLE job SET (autovacuum_enabled = off)`)
	f.exec(t, `INSERT INTO job (group_id, name, glue_type, enabled, next_fire, param)
		SELECT $1, 'job', 'BEAN', true, clock_timestamp() + make_interval(secs => n % 3600), repeat('x', 100)
		FROM generate_series(1, 100000) n`, f.group.ID)

	explain := func() planNode {
		tx, err := f.sql.Begin(t.Context())
		require.NoError(t, err)
		defer func() { require.NoError(t, tx.Rollback(t.Context())) }()
		_, err = tx.Exec(t.Context(), store.PinPlan)
		require.NoError(t, err)
		var text []byte
		err = tx.QueryRow(t.Context(), `EXPLAIN (FORMAT JSON, ANALYZE, BUFFERS) `+store.PreRead, pgx.StrictNamedArgs{
			"buckets": []int32{0}, "until": time.Now().Add(5 * time.Second), "limit": 6000,
		}).Scan(&text)
		require.NoError(t, err)
		var plans []struct{ Plan planNode }
		require.NoError(t, json.Unmarshal(text, &plans))
		return plans[0].Plan
	}
	for _, state := range []string{"never analysed", "analysed"} {
		root := explain()
		require.Equal(t, []string{"job_due_idx"}, root.indexes(), state)
		require.Zero(t, root.scans("job"), state)
		require.Less(t, root.Buffers, 600, "pages touched, %s", state)
		f.exec(t, `ANALYZE job`)
	}
}

// planNode is what matters of EXPLAIN's JSON.
type planNode struct {
	NodeType string `json:"Node Type"`
	Relation string `json:"Relation Name"`
	Index    string `json:"Index Name"`
	Buffers  int    `json:"Shared Hit Blocks"`
	Plans    []planNode
}

func (n planNode) indexes() (names []string) {
	if n.Index != "" {
		names = append(names, n.Index)
	}
	for _, sub := range n.Plans {
		names = append(names, sub.indexes()...)
	}
	return names
}

// scans counts sequential scans of a table.
func (n planNode) scans(table string) (count int) {
	if n.NodeType == "Seq Scan" && n.Relation == table {
		count++
	}
	for _, sub := range n.Plans {
		count += sub.scans(table)
	}
	return count
}
