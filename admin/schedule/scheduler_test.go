package schedule

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/admin/cron"
	"github.com/gluewheel/gluewheel/admin/job"
)

var errAway = errors.New("database is away")

// world stands for the store and the dispatcher.
type world struct {
	mu      sync.Mutex
	away    bool
	plans   []time.Time  // of calls of PlanDue
	planned [][]job.Fire // what the next calls return
	more    int          // how many calls ask for another
	late    []job.Fire   // what sweeps find
	sweeps  int
	dropped time.Time // DropPartitions' argument
	removed []int32
	ahead   time.Duration      // of this machine's clock
	trip    time.Duration      // how long a heartbeat takes, either way
	told    []job.ClockReading // by heartbeats
	free    int
	handed  []handed
	changes chan job.Change
}

type handed struct {
	id int64
	at time.Time
}

func (w *world) PlanDue(_ context.Context, _ job.PlanRequest, plan func(time.Time, []job.Due) job.Plan) (job.PlanResult, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.plans = append(w.plans, time.Now())
	if w.away {
		return job.PlanResult{}, errAway
	}
	res := job.PlanResult{More: w.more > 0}
	w.more--
	if len(w.planned) > 0 {
		res.Fires, w.planned = w.planned[0], w.planned[1:]
	}
	return res, nil
}

func (w *world) Sweep(_ context.Context, req job.SweepRequest, _ func([]job.Late) []int64) (job.SweepResult, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.sweeps++
	if w.away {
		return job.SweepResult{}, errAway
	}
	return job.SweepResult{Fires: append([]job.Fire(nil), w.late[:min(len(w.late), req.Limit)]...)}, nil
}

func (w *world) KeepPartitions(context.Context) error { return w.reach() }

func (w *world) DropPartitions(_ context.Context, before time.Time) ([]string, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.dropped = before
	return []string{"run_20240101"}, nil
}

func (w *world) Heartbeat(_ context.Context, _ int32, _ string, clock *job.ClockReading) (job.Pulse, error) {
	w.mu.Lock()
	ahead, trip := w.ahead, w.trip
	if clock != nil {
		w.told = append(w.told, *clock)
	}
	w.mu.Unlock()
	time.Sleep(trip)
	defer time.Sleep(trip)
	return job.Pulse{Now: time.Now().Add(-ahead), Live: 1}, w.reach()
}

func (w *world) RemoveNode(_ context.Context, id int32) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.removed = append(w.removed, id)
	return nil
}

func (w *world) Watch(ctx context.Context, fn func(job.Change)) error {
	if err := w.reach(); err != nil {
		return err
	}
	fn(job.Change{Kind: job.ChangeAll})
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case c, ok := <-w.changes:
			if !ok {
				return errAway
			}
			fn(c)
		}
	}
}

func (w *world) reach() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.away {
		return errAway
	}
	return nil
}

func (w *world) Free() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.free
}

func (w *world) Dispatch(fires []job.Fire) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, f := range fires {
		w.handed = append(w.handed, handed{id: f.RunID, at: time.Now()})
	}
}

// seen is what a test looks at.
type seen struct {
	plans   []time.Time
	sweeps  int
	dropped time.Time
	removed []int32
	handed  []handed
}

func (w *world) view() seen {
	w.mu.Lock()
	defer w.mu.Unlock()
	return seen{slices.Clone(w.plans), w.sweeps, w.dropped, slices.Clone(w.removed), slices.Clone(w.handed)}
}

// set changes the world while loops look at it.
func (w *world) set(change func(*world)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	change(w)
}

// begin runs a scheduler in the bubble; stop ends it and returns Run's error.
func begin(t *testing.T, w *world, edit ...func(*Config)) (s *Scheduler, log *bytes.Buffer, stop func() error) {
	t.Helper()
	log = new(bytes.Buffer)
	cfg := Config{
		Ledger: w, Cluster: w, Dispatcher: w, Parse: cron.For, Node: 7, Name: "test",
		Log: slog.New(slog.NewTextHandler(log, nil)),
	}
	for _, e := range edit {
		e(&cfg)
	}
	s, err := New(cfg)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx) }()
	return s, log, func() error {
		cancel()
		return <-ended
	}
}

func newWorld() *world { return &world{free: 1000, changes: make(chan job.Change)} }

func TestNew_NamesWhatIsMissing(t *testing.T) {
	t.Parallel()
	w := newWorld()
	full := Config{Ledger: w, Cluster: w, Dispatcher: w, Parse: cron.For, Node: 1, Log: slog.New(slog.DiscardHandler)}
	cases := map[string]func(*Config){
		"Ledger":     func(c *Config) { c.Ledger = nil },
		"Cluster":    func(c *Config) { c.Cluster = nil },
		"Dispatcher": func(c *Config) { c.Dispatcher = nil },
		"Parse":      func(c *Config) { c.Parse = nil },
		"Node":       func(c *Config) { c.Node = 0 },
		"Log":        func(c *Config) { c.Log = nil },
	}
	for name, remove := range cases {
		cfg := full
		remove(&cfg)
		_, err := New(cfg)
		require.ErrorContains(t, err, name)
	}
}

func TestScheduler_TellsHowItsClockStands(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		w.ahead, w.trip = 3*time.Second, 10*time.Millisecond
		_, _, stop := begin(t, w)
		time.Sleep(5 * time.Second)
		require.NoError(t, stop())
		require.NotEmpty(t, w.told)
		require.Equal(t, job.ClockReading{Ahead: 3 * time.Second, Doubt: 10 * time.Millisecond}, w.told[0])
	})
}

func TestScheduler_HandsOverASecondAhead(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		start := time.Now()
		w.planned = [][]job.Fire{{
			{RunID: 1, DueAt: start.Add(-time.Minute)},
			{RunID: 2, DueAt: start.Add(900 * time.Millisecond)},
			{RunID: 3, DueAt: start.Add(4 * time.Second)},
		}}
		s, _, stop := begin(t, w)
		pass(time.Millisecond)
		require.Len(t, w.view().handed, 2, "what is due within a second goes at once")

		pass(10 * time.Second)
		require.Len(t, w.view().handed, 3)
		require.WithinRange(t, w.view().handed[2].at, start.Add(3*time.Second), start.Add(3*time.Second+handOverEvery))

		s.Add([]job.Fire{{RunID: 4, DueAt: time.Now()}})
		added := time.Now()
		pass(time.Millisecond)
		require.Equal(t, handed{id: 4, at: added}, w.view().handed[3])
		require.NoError(t, stop())
		require.Equal(t, []int32{7}, w.view().removed)
	})
}

func TestScheduler_BackPressureKeepsFiresInTheRing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		w.free = 0
		w.planned = [][]job.Fire{{{RunID: 1, DueAt: time.Now()}, {RunID: 2, DueAt: time.Now()}}}
		_, _, stop := begin(t, w)
		pass(time.Minute)
		require.Empty(t, w.view().handed)
		require.Zero(t, w.view().sweeps, "no more is brought while there is no room")
		w.set(func(w *world) { w.free = 1 })
		pass(handOverEvery)
		require.Len(t, w.view().handed, 1)
		pass(handOverEvery)
		require.Len(t, w.view().handed, 2)
		require.NoError(t, stop())
	})
}

func TestScheduler_PlansEachSecondAndAtOnceWhenThereIsMore(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		w.more = 3
		s, _, stop := begin(t, w)
		require.False(t, s.Ready())
		pass(time.Millisecond)
		require.Len(t, w.view().plans, 4)
		require.True(t, s.Ready())
		// The first change, that of everything, asked for one more.
		pass(10 * time.Second)
		require.Len(t, w.view().plans, 15)
		for _, at := range w.view().plans[5:] {
			require.Equal(t, planAt, at.Sub(at.Truncate(time.Second)), "between the whole seconds")
		}
		require.NoError(t, stop())
	})
}

func TestScheduler_PlansSoonAfterAChangeOfAJob(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		var told []job.Change
		_, _, stop := begin(t, w, func(c *Config) { c.Changed = func(c job.Change) { told = append(told, c) } })
		pass(10*time.Second + 600*time.Millisecond)
		before := len(w.view().plans)
		for id := range int32(5) {
			w.changes <- job.Change{Kind: job.ChangeJob, ID: id}
		}
		w.changes <- job.Change{Kind: job.ChangeGroup, ID: 9}
		pass(250 * time.Millisecond)
		require.Greater(t, len(w.view().plans), before)
		require.LessOrEqual(t, len(w.view().plans), before+2, "a storm of edits is no storm of plans")
		require.Len(t, told, 7, "everything at first, then each change")
		require.NoError(t, stop())
	})
}

func TestScheduler_SurvivesTheDatabasesAbsence(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		s, log, stop := begin(t, w, func(c *Config) { c.Retention = 24 * time.Hour })
		pass(5 * time.Second)
		require.True(t, s.Ready())
		require.Equal(t, 24*time.Hour, time.Since(w.view().dropped)-5*time.Second)

		w.set(func(w *world) { w.away = true; close(w.changes); w.changes = make(chan job.Change) })
		pass(2 * time.Minute)
		require.False(t, s.Ready())
		require.Equal(t, 1, strings.Count(log.String(), "level=ERROR"), log.String())

		w.set(func(w *world) { w.away = false })
		pass(2 * time.Second)
		require.True(t, s.Ready())
		pass(10 * time.Second)
		require.Equal(t, 1, strings.Count(log.String(), "works again"), log.String())
		require.Equal(t, 1, strings.Count(log.String(), "level=ERROR"), log.String())
		require.NoError(t, stop())
	})
}

func TestScheduler_SweepsOnceInAWhile(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		_, _, stop := begin(t, w)
		pass(time.Second)
		w.set(func(w *world) { w.late = []job.Fire{{RunID: 5, DueAt: time.Now().Add(-3 * time.Second)}} })
		pass(3 * time.Second)
		require.Len(t, w.view().handed, 1, "though each sweep finds it until it is claimed")
		pass(20 * time.Second)
		require.Greater(t, len(w.view().handed), 1, "should the first hand-over have come to nothing")
		require.Less(t, len(w.view().handed), 6)
		require.NoError(t, stop())
	})
}

func TestScheduler_DrainsWhatIsCommitted(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		w.planned = [][]job.Fire{{{RunID: 1, DueAt: time.Now().Add(4 * time.Second)}, {RunID: 2, DueAt: time.Now().Add(time.Hour)}}}
		_, _, stop := begin(t, w, func(c *Config) { c.Drain = 6 * time.Second })
		pass(time.Second)
		began, plans := time.Now(), len(w.view().plans)
		require.NoError(t, stop())
		require.InDelta(t, 6, time.Since(began).Seconds(), 0.2, "not longer than that")
		require.Len(t, w.view().handed, 1)
		require.Len(t, w.view().plans, plans, "nothing new is planned meanwhile")
	})
}

func TestClock_FollowsTheDatabase(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var c clock
		require.Equal(t, time.Now(), c.now(), "the machine's before the first reading")
		ahead := func() time.Time { return time.Now().Add(time.Hour) }

		sent := time.Now()
		pass(20 * time.Millisecond)
		c.observe(sent, ahead().Add(-10*time.Millisecond))
		require.Equal(t, ahead(), c.now(), "half a round trip later")
		pass(time.Second)
		require.Equal(t, ahead(), c.now())

		sent = time.Now()
		pass(3 * time.Second)
		c.observe(sent, ahead())
		require.Equal(t, ahead(), c.now(), "a slow reading says less than a good one")
		pass(goodFor)
		sent = time.Now()
		pass(3 * time.Second)
		c.observe(sent, ahead())
		require.Equal(t, ahead(), c.now(), "but more than an old one: the time that it was for sure")
	})
}

// pass lets time go by in a bubble, until all that it causes has been done.
func pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}
