package alarm_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/admin/alarm"
	"github.com/gluewheel/gluewheel/admin/job"
	"github.com/gluewheel/gluewheel/admin/seal"
	"github.com/gluewheel/gluewheel/admin/store"
	"github.com/gluewheel/gluewheel/admin/store/storetest"
	"github.com/gluewheel/gluewheel/glue"
)

// bundle is a database with a job, a channel of a kind and a rule for everything but
// failure_rate, which would tell each failure a second time.
type bundle struct {
	url   string
	store *store.Store
	sql   *pgx.Conn
	keys  seal.Ring
	job   job.Job
}

func setup(t *testing.T) *bundle {
	t.Helper()
	url := storetest.URL(t)
	keys, err := seal.Parse(seal.NewKey())
	require.NoError(t, err)
	b := &bundle{url: url, store: storetest.Open(t, url), keys: keys}
	b.sql, err = pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	t.Cleanup(func() { _ = b.sql.Close(context.Background()) })
	g, err := b.store.CreateGroup(t.Context(), job.Group{AppName: "app-a", Title: "A"})
	require.NoError(t, err)
	b.job, err = b.store.CreateJob(t.Context(), job.Job{
		GroupID: g.ID, Name: "nightly", GlueType: glue.Bean, Handler: "demo", ScheduleType: job.ScheduleNone,
		MisfireStrategy: job.MisfireDoNothing, RouteStrategy: job.RouteFirst, BlockStrategy: "SERIAL_EXECUTION", CatchUpLimit: 1,
	})
	require.NoError(t, err)
	return b
}

func (b *bundle) alarms(t *testing.T, st *store.Store) *alarm.Alarms {
	t.Helper()
	a, err := alarm.New(alarm.Config{Store: st, Seal: b.keys, Log: slog.New(slog.NewTextHandler(t.Output(), nil))})
	require.NoError(t, err)
	return a
}

func (b *bundle) channel(t *testing.T, kind job.ChannelKind, address string) int32 {
	t.Helper()
	c := job.AlarmChannel{Name: "to " + string(kind), Kind: kind, Language: "en"}
	require.NoError(t, b.alarms(t, b.store).Seal(&c, job.ChannelSettings{URL: address}))
	require.NotContains(t, string(c.Config), address)
	require.NotContains(t, string(c.Sealed), address)
	c, err := b.store.CreateAlarmChannel(t.Context(), c)
	require.NoError(t, err)
	return c.ID
}

func (b *bundle) rule(t *testing.T, channels ...int32) {
	t.Helper()
	b.ruleWith(t, func(r *job.AlarmRule) { r.ChannelIDs = channels })
}

func (b *bundle) ruleWith(t *testing.T, edit func(*job.AlarmRule)) job.AlarmRule {
	t.Helper()
	events := slices.DeleteFunc(job.AlarmEvents(), func(e job.AlarmEvent) bool { return e == job.AlarmFailureRate })
	r := job.AlarmRule{
		Name: "all", On: events, Threshold: 1, WindowS: 300, RatePct: 50, SilenceS: 0, LateMS: 5000, Enabled: true,
	}
	edit(&r)
	r, err := b.store.CreateAlarmRule(t.Context(), r)
	require.NoError(t, err)
	return r
}

// ends stores a run of the job that has ended now.
func (b *bundle) ends(t *testing.T, state job.State) int64 {
	t.Helper()
	var id int64
	err := b.sql.QueryRow(t.Context(), `
		INSERT INTO run (id, fire_at, due_at, job_id, group_id, cause, state, outcome, ended_at, reason, message)
		SELECT ((current_date - date '2024-01-01')::bigint << 39) | (random() * 1e9)::bigint, clock_timestamp(), clock_timestamp(),
			$1, $2, 2, $3, $3, clock_timestamp(), 'handler_failed', 'boom'
		RETURNING id`, b.job.ID, b.job.GroupID, int16(state)).Scan(&id)
	require.NoError(t, err)
	return id
}

// sink keeps the deliveries, and refuses until it is told to take them.
type sink struct {
	mu    sync.Mutex
	open  bool
	tries int
	ids   map[string]int // runs delivered, with the event before them
}

func newSink(t *testing.T) (*sink, string) {
	t.Helper()
	s := &sink{ids: map[string]int{}}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var m job.AlarmMessage
		body, _ := io.ReadAll(r.Body)
		_ = json.Unmarshal(body, &m)
		s.mu.Lock()
		defer s.mu.Unlock()
		s.tries++
		if !s.open {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		for _, it := range m.Items {
			s.ids[fmt.Sprint(m.Event, " ", it.RunID)]++
		}
	}))
	t.Cleanup(server.Close)
	return s, server.URL
}

func (s *sink) tried() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.tries
}

func (s *sink) opens() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open = true
}

func (s *sink) got() map[string]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := map[string]int{}
	for k, v := range s.ids {
		out[k] = v
	}
	return out
}

// run runs alarms as an admin does, until stop.
func (b *bundle) run(t *testing.T, st *store.Store) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	a := b.alarms(t, st)
	wg.Go(func() { _ = a.Run(ctx) })
	stop = sync.OnceFunc(func() { cancel(); wg.Wait() })
	t.Cleanup(stop)
	return stop
}

// TestAlarms_AnAdminDies kills one admin between the failure and the delivery; another
// one, which judged nothing, delivers what is expected, and once.
func TestAlarms_AnAdminDies(t *testing.T) {
	t.Parallel()
	b := setup(t)
	to, address := newSink(t)
	b.rule(t, b.channel(t, job.ChannelWebhook, address))
	failed := b.ends(t, job.Failed)

	stop := b.run(t, b.store)
	require.Eventually(t, func() bool { return to.tried() > 0 }, 20*time.Second, 10*time.Millisecond)
	stop() // its message is in the outbox, refused so far
	lost := b.ends(t, job.Lost)
	to.opens()
	_, err := b.sql.Exec(t.Context(), `UPDATE alarm SET next_try_at = clock_timestamp() WHERE state = 1`) // the lease passes
	require.NoError(t, err)

	second := storetest.Open(t, b.url)
	third := storetest.Open(t, b.url)
	b.run(t, second)
	b.run(t, third)
	want := map[string]int{fmt.Sprint("failure ", failed): 1, fmt.Sprint("lost ", lost): 1}
	require.Eventually(t, func() bool { return len(to.got()) == len(want) }, 20*time.Second, 10*time.Millisecond)
	require.Equal(t, want, to.got())

	require.Eventually(t, func() bool { // the job succeeds, and both admins have looked
		b.ends(t, job.Succeeded)
		return len(to.got()) == 3
	}, 20*time.Second, 500*time.Millisecond)
	want["recovery 0"] = 1
	require.Equal(t, want, to.got())
	page, err := b.store.Alarms(t.Context(), job.AlarmFilter{}, job.Paging{})
	require.NoError(t, err)
	require.Equal(t, 3, page.Total)
	for _, m := range page.Items {
		require.Equal(t, job.DeliveryDelivered, m.State, m.LastError)
	}
}

func TestAlarms_LateCommitIsNotMissed(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, address := newSink(t)
	b.rule(t, b.channel(t, job.ChannelWebhook, address))
	judge := func() int {
		sent, _, err := b.store.JudgeAlarms(t.Context(), alarm.Judge)
		require.NoError(t, err)
		return sent
	}
	tx, err := b.sql.Begin(t.Context())
	require.NoError(t, err)
	b.ends(t, job.Failed) // in the transaction
	require.Zero(t, judge())
	require.NoError(t, tx.Commit(t.Context()))
	require.Equal(t, 1, judge())
	require.Zero(t, judge(), "seen once")
}

func TestAlarms_ATestRunAndAStoppedRuleAreSilent(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, address := newSink(t)
	b.rule(t, b.channel(t, job.ChannelWebhook, address))
	id := b.ends(t, job.Failed)
	_, err := b.sql.Exec(t.Context(), `UPDATE run SET is_test = true WHERE id = $1`, id)
	require.NoError(t, err)
	sent, _, err := b.store.JudgeAlarms(t.Context(), alarm.Judge)
	require.NoError(t, err)
	require.Zero(t, sent)

	_, err = b.sql.Exec(t.Context(), `UPDATE alarm_rule SET enabled = false`)
	require.NoError(t, err)
	b.ends(t, job.Failed)
	sent, _, err = b.store.JudgeAlarms(t.Context(), alarm.Judge)
	require.NoError(t, err)
	require.Zero(t, sent)
}

func TestAlarms_LateFire(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, address := newSink(t)
	b.rule(t, b.channel(t, job.ChannelWebhook, address))
	_, err := b.sql.Exec(t.Context(), `
		INSERT INTO run (id, fire_at, due_at, job_id, group_id, cause, state)
		SELECT (current_date - date '2024-01-01')::bigint << 39, clock_timestamp(), clock_timestamp() - interval '6 seconds', $1, $2, 2, 1`,
		b.job.ID, b.job.GroupID)
	require.NoError(t, err)
	for _, want := range []int{1, 0} {
		sent, _, err := b.store.JudgeAlarms(t.Context(), alarm.Judge)
		require.NoError(t, err)
		require.Equal(t, want, sent)
	}
	page, err := b.store.Alarms(t.Context(), job.AlarmFilter{State: job.DeliveryPending}, job.Paging{})
	require.NoError(t, err)
	require.Equal(t, job.AlarmLate, page.Items[0].Event)
}

func TestAlarms_Rotate(t *testing.T) {
	t.Parallel()
	b := setup(t)
	old, fresh := seal.NewKey(), seal.NewKey()
	use := func(keys string) *alarm.Alarms {
		var err error
		b.keys, err = seal.Parse(keys)
		require.NoError(t, err)
		return b.alarms(t, b.store)
	}
	use(seal.NewKey())
	lost := b.channel(t, job.ChannelSlack, "https://slack.test/lost")
	use(old)
	kept := b.channel(t, job.ChannelWebhook, "https://hook.test/token")

	require.NoError(t, use(fresh+"\n"+old).Reseal(t.Context()), "what cannot be opened stops nothing")
	only := use(fresh)
	c, err := b.store.AlarmChannel(t.Context(), kept)
	require.NoError(t, err)
	settings, err := only.Settings(&c)
	require.NoError(t, err)
	require.Equal(t, "https://hook.test/token", settings.URL)
	c, err = b.store.AlarmChannel(t.Context(), lost)
	require.NoError(t, err)
	_, err = only.Settings(&c)
	require.ErrorIs(t, err, seal.ErrUnknownKey)

	b.store.Close()
	require.Error(t, only.Reseal(t.Context()), "the loop tries again")
}
