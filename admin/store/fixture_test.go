package store_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/admin/job"
	"github.com/gluewheel/gluewheel/admin/store"
	"github.com/gluewheel/gluewheel/admin/store/storetest"
	"github.com/gluewheel/gluewheel/glue"
)

// fixture is a database with a store, a bare connection and a group for jobs.
type fixture struct {
	url   string
	store *store.Store
	sql   *pgx.Conn
	group job.Group
	node  int32
}

func setup(t *testing.T) *fixture {
	t.Helper()
	url := storetest.URL(t)
	f := &fixture{url: url, store: storetest.Open(t, url), sql: connect(t, url)}
	var err error
	f.group, err = f.store.CreateGroup(t.Context(), job.Group{AppName: "app", Title: "App"})
	require.NoError(t, err)
	f.node, err = f.store.RegisterNode(t.Context(), "test")
	require.NoError(t, err)
	return f
}

func connect(t testing.TB, url string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

// job makes a stopped job that fires each second when started; edit changes it first.
func (f *fixture) job(t *testing.T, edit ...func(*job.Job)) job.Job {
	t.Helper()
	j := job.Job{
		GroupID: f.group.ID, Name: "job", GlueType: glue.Bean, Handler: "demo",
		ScheduleType: job.ScheduleFixRate, ScheduleConf: "1", CatchUpLimit: 100,
		MisfireStrategy: job.MisfireDoNothing, RouteStrategy: job.RouteFirst, BlockStrategy: "SERIAL_EXECUTION",
	}
	for _, e := range edit {
		e(&j)
	}
	made, err := f.store.CreateJob(t.Context(), j)
	require.NoError(t, err)
	return made
}

// started makes a job that fires each second, from the next one on.
func (f *fixture) started(t *testing.T, edit ...func(*job.Job)) job.Job {
	t.Helper()
	j := f.job(t, edit...)
	_, err := f.store.StartJob(t.Context(), j.ID, nextSecond)
	require.NoError(t, err)
	return f.read(t, j.ID)
}

func (f *fixture) read(t *testing.T, id int32) job.Job {
	t.Helper()
	j, err := f.store.Job(t.Context(), id)
	require.NoError(t, err)
	return j
}

// plan plans everything due within the given horizon, each second of it.
func (f *fixture) plan(t *testing.T, horizon time.Duration) job.PlanResult {
	t.Helper()
	res, err := f.store.PlanDue(t.Context(), f.request(horizon), planEach(horizon))
	require.NoError(t, err)
	return res
}

func (f *fixture) request(horizon time.Duration) job.PlanRequest {
	return job.PlanRequest{Owner: f.node, Buckets: 1, Horizon: horizon, Limit: 6000}
}

// count counts the ledger rows that a condition selects.
func (f *fixture) count(t *testing.T, where string, args ...any) (n int) {
	t.Helper()
	require.NoError(t, f.sql.QueryRow(t.Context(), `SELECT count(*) FROM run WHERE `+where, args...).Scan(&n))
	return n
}

func (f *fixture) exec(t *testing.T, sql string, args ...any) {
	t.Helper()
	_, err := f.sql.Exec(t.Context(), sql, args...)
	require.NoError(t, err)
}

// age moves what a job has planned into the past.
func (f *fixture) age(t *testing.T, jobID int32, by time.Duration) {
	t.Helper()
	f.exec(t, `UPDATE run SET due_at = due_at - $2::interval WHERE job_id = $1`, jobID, by)
}

func nextSecond(after time.Time) (time.Time, error) {
	return after.Truncate(time.Second).Add(time.Second), nil
}

// planEach is a policy that fires each second up to the horizon.
func planEach(horizon time.Duration) func(time.Time, []job.Due) job.Plan {
	return func(now time.Time, due []job.Due) job.Plan {
		var p job.Plan
		for _, d := range due {
			at := d.NextFire
			for ; !at.After(now.Add(horizon)); at = at.Add(time.Second) {
				p.Entries = append(p.Entries, entry(d, at))
			}
			p.Moves = append(p.Moves, move(d, at))
		}
		return p
	}
}

func entry(d job.Due, at time.Time) job.Entry {
	return job.Entry{
		JobID: d.ID, GroupID: d.GroupID, Cause: job.CauseSchedule, FireAt: at, DueAt: at, State: job.Planned,
	}
}

func move(d job.Due, next time.Time) job.Move {
	return job.Move{
		JobID: d.ID, Version: d.Version, ReadFire: d.NextFire, Next: &next, LastFire: next.Add(-time.Second),
	}
}

// named gives a job a name of its own.
func named(i int) func(*job.Job) {
	return func(j *job.Job) { j.Name = fmt.Sprintf("job %d", i) }
}
