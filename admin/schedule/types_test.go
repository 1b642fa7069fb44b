package schedule_test

import (
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/admin/cron"
	"github.com/gluewheel/gluewheel/admin/job"
	"github.com/gluewheel/gluewheel/admin/store"
	"github.com/gluewheel/gluewheel/admin/store/storetest"
	"github.com/gluewheel/gluewheel/glue"
)

// startJob makes a job with a timing and starts it.
func startJob(t *testing.T, s *store.Store, timing job.Timing) job.Job {
	t.Helper()
	g, err := s.CreateGroup(t.Context(), job.Group{AppName: "app", Title: "App"})
	require.NoError(t, err)
	j, err := s.CreateJob(t.Context(), job.Job{
		GroupID: g.ID, Name: "job", GlueType: glue.Bean, Handler: "h", RouteStrategy: job.RouteFirst,
		ScheduleType: timing.Type, ScheduleConf: timing.Conf, ValidFrom: timing.ValidFrom, ValidUntil: timing.ValidUntil,
	})
	require.NoError(t, err)
	sched, err := cron.For(timing, time.UTC)
	require.NoError(t, err)
	_, err = s.StartJob(t.Context(), j.ID, func(after time.Time) (time.Time, error) {
		next := sched.Next(after)
		require.False(t, next.IsZero(), "the test began too late")
		return next, nil
	})
	require.NoError(t, err)
	return j
}

func begin(t *testing.T) (*store.Store, *pgxpool.Pool) {
	t.Helper()
	url := storetest.URL(t)
	pool, err := pgxpool.New(t.Context(), url)
	require.NoError(t, err)
	t.Cleanup(pool.Close)
	startAdmin(t, url, pool)
	return storetest.Open(t, url), pool
}

func TestScheduler_AFixedDelayFollowsTheEndOfEachRun(t *testing.T) {
	t.Parallel()
	s, pool := begin(t)
	j := startJob(t, s, job.Timing{Type: job.ScheduleFixDelay, Conf: "1"})

	const runs = 3
	ends := func(*job.Ended, *job.FollowRules) job.Follow { return job.Follow{} }
	for range runs {
		var id int64
		require.Eventually(t, func() bool {
			err := pool.QueryRow(t.Context(), `SELECT id FROM run WHERE job_id = $1 AND state = 2`, j.ID).Scan(&id)
			return err == nil
		}, 20*time.Second, 10*time.Millisecond)
		require.Eventually(t, func() bool { // it takes a while, and the schedule waits
			now, err := s.Job(t.Context(), j.ID)
			return err == nil && now.Enabled && now.NextFire == nil && now.LastFire.Before(time.Now())
		}, 20*time.Second, 10*time.Millisecond)
		_, err := s.End(t.Context(), []job.Ending{{Result: job.Result{RunID: id, State: job.Succeeded}}}, ends)
		require.NoError(t, err)
	}
	var rows, wrong int
	err := pool.QueryRow(t.Context(), `
		SELECT count(*), count(*) FILTER (WHERE fire_at <> date_trunc('milliseconds', before) + interval '1 s')
		FROM (SELECT fire_at, lag(ended_at) OVER (ORDER BY fire_at) AS before FROM run WHERE job_id = $1) r`, j.ID).Scan(&rows, &wrong)
	require.NoError(t, err)
	require.GreaterOrEqual(t, rows, runs)
	require.Zero(t, wrong, "each one second after the end of the one before")
}

func TestScheduler_StopsAfterTheLastValidFire(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		timing func(soon time.Time) job.Timing
		fires  int
	}{
		"once": {func(soon time.Time) job.Timing {
			return job.Timing{Type: job.ScheduleOnce, Conf: soon.Format(time.RFC3339)}
		}, 1},
		"until": {func(soon time.Time) job.Timing {
			return job.Timing{Type: job.ScheduleCron, Conf: "* * * * * ?", ValidFrom: &soon, ValidUntil: new(soon.Add(2 * time.Second))}
		}, 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, pool := begin(t)
			soon := time.Now().Add(6 * time.Second).Truncate(time.Second)
			j := startJob(t, s, c.timing(soon))
			require.Eventually(t, func() bool {
				now, err := s.Job(t.Context(), j.ID)
				return err == nil && !now.Enabled
			}, 40*time.Second, 20*time.Millisecond)
			var fires int
			var first time.Time
			err := pool.QueryRow(t.Context(), `SELECT count(*), min(fire_at) FROM run WHERE job_id = $1 AND state = 2`, j.ID).Scan(&fires, &first)
			require.NoError(t, err)
			require.Equal(t, c.fires, fires, "and each was claimed before the job stopped")
			require.True(t, soon.Equal(first))
		})
	}
}
