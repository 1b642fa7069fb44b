package schedule_test

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/admin/cron"
	"github.com/gluewheel/gluewheel/admin/job"
	"github.com/gluewheel/gluewheel/admin/schedule"
	"github.com/gluewheel/gluewheel/admin/store/storetest"
	"github.com/gluewheel/gluewheel/glue"
)

// claimer is a dispatcher that claims at once, as far as the ledger lets it.
type claimer struct {
	pool *pgxpool.Pool

	mu  sync.Mutex
	won []int64
	err error
}

func (c *claimer) Free() int { return 1000 }

func (c *claimer) Dispatch(fires []job.Fire) {
	ids := make([]int64, len(fires))
	for i := range fires {
		ids[i] = fires[i].RunID
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	rows, err := c.pool.Query(context.Background(), `
		UPDATE run SET state = 2, claimed_at = clock_timestamp() WHERE id = ANY($1) AND state = 1 RETURNING id`, ids)
	if err != nil {
		c.err = err
		return
	}
	won, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	c.won, c.err = append(c.won, won...), err
}

// admin is a scheduler on a database shared with others.
type admin struct {
	claimer *claimer
	stop    func()
}

func startAdmin(t *testing.T, url string, pool *pgxpool.Pool) *admin {
	t.Helper()
	s := storetest.Open(t, url)
	node, err := s.RegisterNode(t.Context(), "admin")
	require.NoError(t, err)
	a := &admin{claimer: &claimer{pool: pool}}
	scheduler, err := schedule.New(schedule.Config{
		Ledger: s, Cluster: s, Dispatcher: a.claimer, Parse: cron.For, Node: node, Buckets: 3,
		Log: slog.New(slog.DiscardHandler),
	})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- scheduler.Run(ctx) }()
	a.stop = sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(a.stop)
	require.Eventually(t, scheduler.Ready, 20*time.Second, 10*time.Millisecond)
	return a
}

func TestScheduler_AnotherAdminTakesOver(t *testing.T) {
	t.Parallel()
	const jobs = 40
	url := storetest.URL(t)
	pool, err := pgxpool.New(t.Context(), url)
	require.NoError(t, err)
	t.Cleanup(pool.Close)
	first, second := startAdmin(t, url, pool), startAdmin(t, url, pool)

	s := storetest.Open(t, url)
	g, err := s.CreateGroup(t.Context(), job.Group{AppName: "app", Title: "App"})
	require.NoError(t, err)
	everySecond := func(after time.Time) (time.Time, error) {
		return after.Truncate(time.Second).Add(time.Second), nil
	}
	for i := range jobs {
		j, err := s.CreateJob(t.Context(), job.Job{
			GroupID: g.ID, Name: fmt.Sprint(i), GlueType: glue.Bean, Handler: "h",
			ScheduleType: job.ScheduleCron, ScheduleConf: "* * * * * ?", RouteStrategy: job.RouteFirst,
		})
		require.NoError(t, err)
		_, err = s.StartJob(t.Context(), j.ID, everySecond)
		require.NoError(t, err)
	}
	claimed := func(since time.Time) (n int) {
		err := pool.QueryRow(t.Context(), `SELECT count(*) FROM run WHERE state = 2 AND fire_at > $1`, since).Scan(&n)
		require.NoError(t, err)
		return n
	}
	require.Eventually(t, func() bool { return claimed(time.Time{}) >= 2*jobs }, time.Minute, 50*time.Millisecond)
	first.stop() // with fires in its ring
	stopped := time.Now()
	after := stopped.Add(6 * time.Second) // of which the first had nothing in its ring
	require.Eventually(t, func() bool { return claimed(after) >= jobs }, time.Minute, 50*time.Millisecond)
	require.Eventually(t, func() bool {
		var left bool
		err := pool.QueryRow(t.Context(), `SELECT EXISTS (SELECT FROM run WHERE state = 1 AND fire_at <= $1)`, after).Scan(&left)
		return err == nil && !left
	}, time.Minute, 50*time.Millisecond, "what the first had planned is taken over")
	second.stop()

	var rows, instants int
	err = pool.QueryRow(t.Context(), `SELECT count(*), count(DISTINCT (job_id, fire_at)) FROM run`).Scan(&rows, &instants)
	require.NoError(t, err)
	require.Equal(t, instants, rows, "one row a job and second")
	var gaps int
	err = pool.QueryRow(t.Context(), `
		SELECT count(*) FROM (SELECT job_id FROM run GROUP BY job_id
			HAVING extract(epoch FROM max(fire_at) - min(fire_at)) + 1 <> count(*)) g`).Scan(&gaps)
	require.NoError(t, err)
	require.Zero(t, gaps, "no second is missing")
	won := append(first.claimer.won, second.claimer.won...)
	require.Equal(t, claimed(time.Time{}), len(won), "each is claimed once")
	require.NoError(t, first.claimer.err)
	require.NoError(t, second.claimer.err)
}
