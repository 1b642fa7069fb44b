package store_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/admin/job"
)

func TestJob_StartPlansFromThePresentOn(t *testing.T) {
	t.Parallel()
	f := setup(t)
	j := f.job(t)
	require.False(t, j.Enabled)

	var asked time.Time
	w, err := f.store.StartJob(t.Context(), j.ID, func(after time.Time) (time.Time, error) {
		asked = after
		return nextSecond(after)
	})

	require.NoError(t, err)
	require.Equal(t, j.Version+1, w.Version)
	started := f.read(t, j.ID)
	require.True(t, started.Enabled)
	require.WithinRange(t, asked, j.CreatedAt, time.Now().Add(time.Second))
	require.LessOrEqual(t, started.NextFire.Sub(asked), time.Second, "no five seconds' wait")

	again, err := f.store.StartJob(t.Context(), j.ID, nextSecond)
	require.NoError(t, err)
	require.Equal(t, job.Write{Version: w.Version}, again, "a started job is left alone")
}

func TestJob_StartIsRefused(t *testing.T) {
	t.Parallel()
	f := setup(t)
	never := f.job(t, func(j *job.Job) { j.ScheduleType, j.ScheduleConf = job.ScheduleNone, "" })
	over := f.job(t)

	_, err := f.store.StartJob(t.Context(), never.ID, nextSecond)
	var field *job.FieldError
	require.ErrorAs(t, err, &field)
	require.Equal(t, "schedule_type", field.Field)

	refusal := errors.New("no further fire")
	_, err = f.store.StartJob(t.Context(), over.ID, func(time.Time) (time.Time, error) { return time.Time{}, refusal })
	require.ErrorIs(t, err, refusal)
	require.Equal(t, over, f.read(t, over.ID), "nothing is stored")

	_, err = f.store.StartJob(t.Context(), 4711, nextSecond)
	require.ErrorIs(t, err, job.ErrNotFound)
}

func TestJob_StopCancelsWhatTheScheduleHasPlanned(t *testing.T) {
	t.Parallel()
	f := setup(t)
	j := f.started(t)
	manual, err := f.store.Trigger(t.Context(), job.TriggerRequest{JobID: j.ID, Cause: job.CauseManual})
	require.NoError(t, err)
	planned := f.plan(t, 5*time.Second).Fires
	f.exec(t, `UPDATE run SET state = 2, epoch = 1 WHERE id = $1`, planned[0].RunID)

	w, err := f.store.StopJob(t.Context(), j.ID)

	require.NoError(t, err)
	require.Equal(t, job.Write{Version: j.Version + 1, Cancelled: len(planned) - 1, AlreadyClaimed: 1}, w)
	require.Equal(t, w.Cancelled, f.count(t, `state = 17 AND outcome = 17 AND ended_at IS NOT NULL AND reason = 'job_stopped'`))
	require.Equal(t, 1, f.count(t, `id = $1 AND state = 1`, manual.RunID), "a manual run goes on")
	stopped := f.read(t, j.ID)
	require.False(t, stopped.Enabled)
	require.Nil(t, stopped.NextFire)

	// The cancelled instants have their rows: a new start comes after them.
	_, err = f.store.StartJob(t.Context(), j.ID, nextSecond)
	require.NoError(t, err)
	require.True(t, f.read(t, j.ID).NextFire.After(planned[len(planned)-1].FireAt))
	require.NotEmpty(t, f.plan(t, 20*time.Second).Fires)
}

func TestJob_UpdateWithTheSameScheduleKeepsPlannedRuns(t *testing.T) {
	t.Parallel()
	f := setup(t)
	j := f.started(t)
	fires := f.plan(t, 5*time.Second).Fires
	before := f.read(t, j.ID)

	edit := before
	edit.Name, edit.Param, edit.ChildJobIDs = "other", "p", []int32{7, 8}
	w, err := f.store.UpdateJob(t.Context(), edit, refuse(t))

	require.NoError(t, err)
	require.Equal(t, job.Write{Version: before.Version + 1}, w)
	after := f.read(t, j.ID)
	require.Equal(t, []any{"other", "p", []int32{7, 8}}, []any{after.Name, after.Param, after.ChildJobIDs})
	require.Equal(t, before.NextFire, after.NextFire)
	require.Equal(t, len(fires), f.count(t, `state = 1`))

	_, err = f.store.UpdateJob(t.Context(), edit, refuse(t))
	require.ErrorIs(t, err, job.ErrConflict, "the version has moved on")
}

// refuse is a NextFunc that must not be asked.
func refuse(t *testing.T) job.NextFunc {
	return func(time.Time) (time.Time, error) {
		t.Error("asked for a next fire")
		return time.Time{}, nil
	}
}

// everyTwo fires on even seconds.
func everyTwo(after time.Time) (time.Time, error) {
	return after.Truncate(2 * time.Second).Add(2 * time.Second), nil
}

func TestJob_NewScheduleCancelsThePlansOfTheOld(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name           string
		edit           func(*job.Job)
		enabled, keeps bool
	}{
		{"interval", func(j *job.Job) { j.ScheduleConf = "2" }, true, true},
		{"zone", func(j *job.Job) { j.TimeZone = "Asia/Shanghai" }, true, true},
		{"broadcast", func(j *job.Job) { j.ScheduleConf, j.RouteStrategy = "2", job.RouteBroadcast }, true, false},
		{"none", func(j *job.Job) { j.ScheduleType, j.ScheduleConf = job.ScheduleNone, "" }, false, false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := setup(t)
			f.started(t)
			fires := f.plan(t, 5*time.Second).Fires
			edit := f.read(t, fires[0].JobID)
			c.edit(&edit)

			var present time.Time // at which the new schedule begins
			w, err := f.store.UpdateJob(t.Context(), edit, func(after time.Time) (time.Time, error) {
				if present.IsZero() {
					present = after
				}
				return everyTwo(after)
			})

			require.NoError(t, err)
			after := f.read(t, edit.ID)
			kept, from := 0, present.Add(time.Second)
			for _, fire := range fires {
				if c.keeps && fire.FireAt.Unix()%2 == 0 && fire.FireAt.After(present) {
					kept++
				}
			}
			require.Equal(t, len(fires)-kept, w.Cancelled)
			require.Equal(t, len(fires)-kept, f.count(t, `state = 17 AND reason = 'job_rescheduled'`))
			require.Equal(t, kept, f.count(t, `state = 1`), "an instant of both schedules stays planned")
			require.Equal(t, c.enabled, after.Enabled)
			if !c.enabled {
				require.Nil(t, after.NextFire)
				return
			}
			f.planTwo(t, 7*time.Second)
			last := fires[len(fires)-1].FireAt
			require.Zero(t, f.count(t, `state = 1 AND extract(epoch FROM fire_at)::bigint % 2 = 1`))
			require.Equal(t, f.seconds(t, from, last, 2),
				f.count(t, `state = 1 AND fire_at <= $1`, last), "the new schedule leaves out none of the old one's window")
			require.Equal(t, f.count(t, `state = 1`), f.count(t, `state = 1 AND shard = $1`, job.FirstShard(edit.RouteStrategy)))
		})
	}
}

// planTwo plans even seconds.
func (f *fixture) planTwo(t *testing.T, horizon time.Duration) {
	t.Helper()
	_, err := f.store.PlanDue(t.Context(), f.request(horizon), func(now time.Time, due []job.Due) job.Plan {
		var p job.Plan
		for _, d := range due {
			at := d.NextFire
			for ; !at.After(now.Add(horizon)); at = at.Add(2 * time.Second) {
				p.Entries = append(p.Entries, entry(d, at))
				p.Entries[len(p.Entries)-1].Shard = job.FirstShard(d.RouteStrategy)
			}
			p.Moves = append(p.Moves, move(d, at))
		}
		return p
	})
	require.NoError(t, err)
}

// seconds counts the multiples of every among the seconds from from to to.
func (f *fixture) seconds(t *testing.T, from, to time.Time, every int64) (n int) {
	t.Helper()
	for s := from.Unix(); s <= to.Unix(); s++ {
		if s%every == 0 {
			n++
		}
	}
	return n
}

// An instant that an admin has claimed for the old schedule is the new one's as well.
func TestJob_NewScheduleDoesNotRepeatWhatIsClaimed(t *testing.T) {
	t.Parallel()
	f := setup(t)
	j := f.started(t)
	fires := f.plan(t, 5*time.Second).Fires
	_, err := f.store.Claim(t.Context(), f.node, lease, claims(j, fires))
	require.NoError(t, err)
	edit := f.read(t, j.ID)
	edit.ScheduleConf = "2"

	w, err := f.store.UpdateJob(t.Context(), edit, everyTwo)
	require.NoError(t, err)
	require.Zero(t, w.Cancelled)
	require.Equal(t, len(fires), w.AlreadyClaimed)
	f.planTwo(t, 7*time.Second)
	var instants int
	require.NoError(t, f.sql.QueryRow(t.Context(), `SELECT count(DISTINCT fire_at) FROM run`).Scan(&instants))
	require.Equal(t, instants, f.count(t, `true`))
	require.Equal(t, len(fires), f.count(t, `fire_at <= $1`, fires[len(fires)-1].FireAt))
}

// FIX_RATE counts from its own last instant, also where the old schedule had planned it.
func TestJob_NewRateGoesOnFromItsOwnInstants(t *testing.T) {
	t.Parallel()
	f := setup(t)
	j := f.started(t)
	fires := f.plan(t, 6*time.Second).Fires
	edit := f.read(t, j.ID)
	edit.ScheduleConf = "4"
	_, err := f.store.UpdateJob(t.Context(), edit, func(after time.Time) (time.Time, error) {
		return after.Truncate(time.Second).Add(4 * time.Second), nil
	})
	require.NoError(t, err)
	kept := f.count(t, `state = 1`)
	require.Equal(t, 1, kept, "of %d", len(fires))
	var at time.Time
	require.NoError(t, f.sql.QueryRow(t.Context(), `SELECT fire_at FROM run WHERE state = 1`).Scan(&at))
	require.WithinDuration(t, at.Add(4*time.Second), *f.read(t, j.ID).NextFire, 0)
}

// A schedule that ends with an instant which is planned already is over once that is sent.
func TestJob_NewScheduleThatHasOnlyWhatIsPlanned(t *testing.T) {
	t.Parallel()
	f := setup(t)
	j := f.started(t)
	fires := f.plan(t, 5*time.Second).Fires
	edit := f.read(t, j.ID)
	at := fires[2].FireAt
	edit.ScheduleType, edit.ScheduleConf = job.ScheduleOnce, at.Format(time.RFC3339)

	w, err := f.store.UpdateJob(t.Context(), edit, func(after time.Time) (time.Time, error) {
		if after.Before(at) {
			return at, nil
		}
		return time.Time{}, errors.New("no further fire")
	})
	require.NoError(t, err)
	require.Equal(t, len(fires)-1, w.Cancelled)
	after := f.read(t, j.ID)
	require.True(t, after.Enabled, "its claim wants a started job")
	require.WithinDuration(t, at, *after.NextFire, 0)
}

func TestJob_RefusedScheduleLeavesEverything(t *testing.T) {
	t.Parallel()
	f := setup(t)
	f.started(t)
	fires := f.plan(t, 5*time.Second).Fires
	before := f.read(t, fires[0].JobID)
	edit := before
	edit.Name, edit.ScheduleConf = "other", "never"
	refusal := errors.New("no further fire")

	_, err := f.store.UpdateJob(t.Context(), edit, func(time.Time) (time.Time, error) { return time.Time{}, refusal })

	require.ErrorIs(t, err, refusal)
	require.Equal(t, before, f.read(t, before.ID))
	require.Equal(t, len(fires), f.count(t, `state = 1`))
}

func TestJob_EditsRaceWithPlanning(t *testing.T) {
	t.Parallel()
	f := setup(t)
	j := f.started(t)
	stop := make(chan struct{})
	planning := make(chan error, 1)
	go func() {
		for {
			select {
			case <-stop:
				planning <- nil
				return
			default:
			}
			if _, err := f.store.PlanDue(t.Context(), f.request(5*time.Second), planEach(5*time.Second)); err != nil {
				planning <- err
				return
			}
		}
	}()
	for i := range 60 {
		edit := f.read(t, j.ID)
		edit.ScheduleConf = fmt.Sprint(2 + i)
		_, err := f.store.UpdateJob(t.Context(), edit, nextSecond)
		require.NoError(t, err)
	}
	_, err := f.store.StopJob(t.Context(), j.ID)
	require.NoError(t, err)
	close(stop)
	require.NoError(t, <-planning)
	require.Zero(t, f.count(t, `state = 1`), "no fire planned by an old schedule")
}

func TestJob_DeleteKeepsHistoryAndCancelsAllPlanned(t *testing.T) {
	t.Parallel()
	f := setup(t)
	j := f.started(t)
	_, err := f.store.Trigger(t.Context(), job.TriggerRequest{JobID: j.ID, Cause: job.CauseManual})
	require.NoError(t, err)
	f.exec(t, `INSERT INTO glue_version (job_id, number, glue_type, source, digest, remark, author) VALUES ($1, 1, 'GLUE_LUA', '', '', '', '')`, j.ID)
	fires := f.plan(t, 5*time.Second).Fires
	f.exec(t, `UPDATE run SET state = 3 WHERE id = $1`, fires[0].RunID)

	w, err := f.store.DeleteJob(t.Context(), j.ID)

	require.NoError(t, err)
	require.Equal(t, len(fires), w.Cancelled, "the manual run as well, but not the running one")
	require.Equal(t, 1, w.AlreadyClaimed)
	require.Equal(t, len(fires), f.count(t, `reason = 'job_deleted'`))
	require.Equal(t, len(fires)+1, f.count(t, `job_id = $1`, j.ID))
	_, err = f.store.Job(t.Context(), j.ID)
	require.ErrorIs(t, err, job.ErrNotFound)
	_, err = f.store.DeleteJob(t.Context(), j.ID)
	require.ErrorIs(t, err, job.ErrNotFound)
	_, err = f.store.Trigger(t.Context(), job.TriggerRequest{JobID: j.ID, Cause: job.CauseManual})
	require.ErrorIs(t, err, job.ErrNotFound)
}

func TestCreateJob_NeedsAGroup(t *testing.T) {
	t.Parallel()
	f := setup(t)
	_, err := f.store.CreateJob(t.Context(), job.Job{GroupID: 4711, Name: "job", GlueType: "BEAN"})
	var field *job.FieldError
	require.ErrorAs(t, err, &field)
	require.Equal(t, "group_id", field.Field)
}

func TestCreateJob_SpreadsJobsOverBuckets(t *testing.T) {
	t.Parallel()
	f := setup(t)
	f.exec(t, `INSERT INTO bucket_lock (bucket) VALUES (1), (2), (3)`)
	used := map[int32]int{}
	for i := range 60 {
		used[f.job(t, named(i)).Bucket]++
	}
	require.Len(t, used, 4)
}

func TestTrigger_PlansARunThatIsDueNow(t *testing.T) {
	t.Parallel()
	f := setup(t)
	param := ""
	cases := []struct {
		name  string
		job   func(*job.Job)
		req   job.TriggerRequest
		shard int32
	}{
		{"plain", func(j *job.Job) { j.RetryCount = 2 }, job.TriggerRequest{Cause: job.CauseManual}, 0},
		{
			"with its own param and addresses", func(j *job.Job) { j.RetryCount = 2 },
			job.TriggerRequest{Cause: job.CauseAPI, Param: &param, Addresses: []string{"http://a/", "http://b/"}},
			0,
		},
		{
			"broadcast", func(j *job.Job) { j.RetryCount, j.RouteStrategy = 2, job.RouteBroadcast },
			job.TriggerRequest{Cause: job.CauseManual},
			job.BroadcastParent,
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			c.req.JobID = f.job(t, c.job).ID
			fire, err := f.store.Trigger(t.Context(), c.req)
			require.NoError(t, err)
			require.Equal(t, c.shard, fire.Shard)
			require.WithinDuration(t, time.Now(), fire.DueAt, 10*time.Second)
			require.Equal(t, 1, f.count(t, `id = $1 AND fire_at = $2 AND due_at = $2 AND state = 1 AND cause = $3
				AND shard = $4 AND retries_left = 2 AND param IS NOT DISTINCT FROM $5 AND addresses IS NOT DISTINCT FROM $6`,
				fire.RunID, fire.FireAt, c.req.Cause, c.shard, c.req.Param, c.req.Addresses))
		})
	}
}

func TestJobs_FilterAndPage(t *testing.T) {
	t.Parallel()
	f := setup(t)
	other, err := f.store.CreateGroup(t.Context(), job.Group{AppName: "other", Title: "Other"})
	require.NoError(t, err)
	mail := f.job(t, func(j *job.Job) { j.Name, j.Author = "Send 100% of mail", "ann" })
	sync := f.job(t, func(j *job.Job) { j.Name, j.Handler, j.GroupID = "sync", "syncHandler", other.ID })
	lua := f.started(t, func(j *job.Job) { j.Name, j.GlueType = "lua", "GLUE_LUA" })
	yes := true
	cases := []struct {
		name   string
		filter job.Filter
		want   []int32
	}{
		{"all, newest first", job.Filter{}, []int32{lua.ID, sync.ID, mail.ID}},
		{"group", job.Filter{GroupIDs: []int32{other.ID}}, []int32{sync.ID}},
		{"no group at all", job.Filter{GroupIDs: []int32{}}, nil},
		{"name in any case", job.Filter{Query: "sEND"}, []int32{mail.ID}},
		{"wildcards are letters", job.Filter{Query: "100%"}, []int32{mail.ID}},
		{"a wildcard that matches nothing", job.Filter{Query: "s_nc"}, nil},
		{"started", job.Filter{Enabled: &yes}, []int32{lua.ID}},
		{"type", job.Filter{GlueType: "GLUE_LUA"}, []int32{lua.ID}},
		{"handler", job.Filter{Handler: "sync"}, []int32{sync.ID}},
		{"author", job.Filter{Author: "an"}, []int32{mail.ID}},
	}
	for _, c := range cases {
		page, err := f.store.Jobs(t.Context(), c.filter, job.Paging{})
		require.NoError(t, err, c.name)
		require.Equal(t, c.want, jobIDs(page.Items), c.name)
		require.Equal(t, len(c.want), page.Total, c.name)
		require.Empty(t, page.NextCursor, c.name)
	}

	first, err := f.store.Jobs(t.Context(), job.Filter{}, job.Paging{Limit: 2})
	require.NoError(t, err)
	require.Equal(t, []int32{lua.ID, sync.ID}, jobIDs(first.Items))
	require.Equal(t, 3, first.Total)
	second, err := f.store.Jobs(t.Context(), job.Filter{}, job.Paging{Limit: 2, Cursor: first.NextCursor})
	require.NoError(t, err)
	require.Equal(t, []int32{mail.ID}, jobIDs(second.Items))
	require.Empty(t, second.NextCursor)
	_, err = f.store.Jobs(t.Context(), job.Filter{}, job.Paging{Cursor: "x"})
	var field *job.FieldError
	require.ErrorAs(t, err, &field)
}

func jobIDs(items []job.Summary) (ids []int32) {
	for _, j := range items {
		ids = append(ids, j.ID)
	}
	return ids
}

func TestJobs_TotalIsCapped(t *testing.T) {
	t.Parallel()
	f := setup(t)
	f.exec(t, `INSERT INTO job (group_id, name, glue_type) SELECT $1, 'job', 'BEAN' FROM generate_series(1, $2)`, f.group.ID, job.TotalCap+1)
	page, err := f.store.Jobs(t.Context(), job.Filter{}, job.Paging{Limit: 1})
	require.NoError(t, err)
	require.Equal(t, job.TotalCap, page.Total)
	require.True(t, page.TotalCapped)
}

func TestJobSummary_ShowsGroupAndLastRun(t *testing.T) {
	t.Parallel()
	f := setup(t)
	j := f.started(t)
	fires := f.plan(t, 5*time.Second).Fires
	summary, err := f.store.JobSummary(t.Context(), j.ID)
	require.NoError(t, err)
	require.Equal(t, []string{"app", "App"}, []string{summary.AppName, summary.GroupTitle})
	require.Nil(t, summary.LastRun, "what is planned has not run")

	f.exec(t, `UPDATE run SET state = 10, ended_at = clock_timestamp(), outcome = 10 WHERE id = $1`, fires[1].RunID)
	summary, err = f.store.JobSummary(t.Context(), j.ID)
	require.NoError(t, err)
	require.Equal(t, fires[1].RunID, summary.LastRun.ID)
	require.Equal(t, job.Succeeded, summary.LastRun.State)
	require.NotNil(t, summary.LastRun.EndedAt)

	f.exec(t, `UPDATE run SET state = 2 WHERE id = $1`, fires[2].RunID)
	summary, err = f.store.JobSummary(t.Context(), j.ID)
	require.NoError(t, err)
	require.Equal(t, fires[1].RunID, summary.LastRun.ID, "what is about to be sent hides no result")
	f.exec(t, `UPDATE run SET state = 3 WHERE id = $1`, fires[2].RunID)
	summary, err = f.store.JobSummary(t.Context(), j.ID)
	require.NoError(t, err)
	require.Equal(t, job.Running, summary.LastRun.State)

	_, err = f.store.JobSummary(t.Context(), 4711)
	require.ErrorIs(t, err, job.ErrNotFound)
}
