package registry

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/gluewheel/gluewheel/admin/job"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fakeStore is a database of executors and open runs, by the clock of the bubble.
type fakeStore struct {
	mu     sync.Mutex
	nodes  map[key]job.Executor
	outage time.Time // when the last one ended
	open   []openRun
	away   bool
	stored int // StoreBeats that succeeded
}

type openRun struct {
	id      int64
	address string
	state   job.State
	since   time.Time
}

var errAway = errors.New("connection refused")

func (s *fakeStore) StoreBeats(_ context.Context, beats []job.Beat) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.away {
		return errAway
	}
	s.stored++
	for _, b := range beats {
		k := key{b.AppName, b.Address}
		e, known := s.nodes[k]
		if !known || e.BootID != b.BootID {
			e.RegisteredAt = time.Now()
		}
		e.AppName, e.Address, e.Dialect, e.BootID, e.HeartbeatAt = b.AppName, b.Address, b.Dialect, b.BootID, time.Now()
		e.TokenID = b.TokenID
		s.nodes[k] = e
	}
	return nil
}

func (s *fakeStore) RemoveExecutor(_ context.Context, app, address string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.nodes, key{app, address})
	return nil
}

func (s *fakeStore) Executors(context.Context) ([]job.Executor, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.away {
		return nil, errAway
	}
	out := make([]job.Executor, 0, len(s.nodes))
	for _, e := range s.nodes {
		heard := e.HeartbeatAt
		if heard.Before(s.outage) {
			heard = s.outage
		}
		e.Silent = time.Since(heard)
		out = append(out, e)
	}
	return out, nil
}

func (s *fakeStore) ForgetExecutors(_ context.Context, silent time.Duration) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for k, e := range s.nodes {
		if time.Since(e.HeartbeatAt) > silent {
			delete(s.nodes, k)
		}
	}
	return nil
}

func (s *fakeStore) OpenAddresses(context.Context) ([]job.OpenAt, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []job.OpenAt
	for _, r := range s.open {
		out = append(out, job.OpenAt{Address: r.address, Runs: 1, Oldest: time.Since(r.since)})
	}
	return out, nil
}

func (s *fakeStore) OpenRuns(_ context.Context, states []job.State, addresses []string, age time.Duration, _ int) ([]job.OpenRun, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []job.OpenRun
	for _, r := range s.open {
		if slices.Contains(states, r.state) && slices.Contains(addresses, r.address) && time.Since(r.since) > age {
			out = append(out, job.OpenRun{RunID: r.id, Address: r.address, StartedAt: &r.since})
		}
	}
	return out, nil
}

// End is the completer: a lost run is open no longer.
func (s *fakeStore) End(_ context.Context, results []job.Result) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range results {
		s.open = slices.DeleteFunc(s.open, func(o openRun) bool { return o.id == r.RunID })
	}
	return nil
}

type bundle struct {
	*Registry
	store     *fakeStore
	answers   map[string]bool // addresses that answer /beat
	idleAt    map[string]bool // addresses that are idle
	idleAsked int
	mu        sync.Mutex
	lost      map[int64]string // run → reason
}

func (b *bundle) Beat(_ context.Context, t job.Target) job.Outcome {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.answers[t.Address] {
		return job.Outcome{Verdict: job.Accepted}
	}
	return job.Outcome{Verdict: job.Unreachable}
}

func (b *bundle) End(ctx context.Context, results []job.Result) error {
	b.mu.Lock()
	for _, r := range results {
		b.lost[r.RunID] = r.Reason
	}
	b.mu.Unlock()
	return b.store.End(ctx, results)
}

func (b *bundle) reason(id int64) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.lost[id]
}

// start runs a registry for as long as the test's bubble.
func start(t *testing.T) *bundle {
	t.Helper()
	b := &bundle{store: &fakeStore{nodes: map[key]job.Executor{}}, answers: map[string]bool{}, idleAt: map[string]bool{}, lost: map[int64]string{}}
	var err error
	b.Registry, err = New(Config{Store: b.store, Access: fakeAccess{}, Prober: b, Complete: b, Log: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- b.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		<-done
	})
	return b
}

func (b *bundle) allLost() map[int64]string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return maps.Clone(b.lost)
}

// setAway makes the database go, or come back with the outage ended now.
func (s *fakeStore) setAway(away bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.away && !away {
		s.outage = time.Now()
	}
	s.away = away
}

// beats sends a registration every 30 s for as long as asked.
func (b *bundle) beats(t *testing.T, beat job.Beat, during time.Duration) {
	t.Helper()
	for end := time.Now().Add(during); time.Now().Before(end); time.Sleep(30 * time.Second) {
		require.NoError(t, b.Registry.Beat(beat))
	}
}

var (
	ours = job.Beat{AppName: "app", Address: "http://ours:1", Dialect: job.DialectGluewheel, BootID: "b1", Holds: true}
	java = job.Beat{AppName: "app", Address: "http://java:1", Dialect: job.DialectA}
	auto = job.Group{AppName: "app"}
)

func (b *bundle) running(id int64, address string, state job.State) {
	b.store.mu.Lock()
	defer b.store.mu.Unlock()
	b.store.open = append(b.store.open, openRun{id, address, state, time.Now()})
}

func TestAddresses_AreThoseOfLiveExecutorsSorted(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := start(t)
		slashed := java
		slashed.Address += "/"
		waiting := job.Beat{AppName: "later", Address: "http://w:1"}
		for _, beat := range []job.Beat{ours, java, slashed, waiting} {
			require.NoError(t, b.Registry.Beat(beat))
		}
		time.Sleep(beatLinger)
		synctest.Wait()
		require.Equal(t, []string{"http://java:1", "http://ours:1"}, b.Addresses(&auto), "known at once, one a peer")
		require.Equal(t, []string{"http://w:1"}, b.Addresses(&job.Group{AppName: "later"}), "kept until its group is made")
		require.Equal(t, []string{"x"}, b.Addresses(&job.Group{AppName: "app", AddressType: 1, AddressList: []string{"x"}}))
		require.Equal(t, 1, b.store.stored, "one statement for all")

		require.Equal(t, job.Target{Address: "http://ours:1/", AppName: "app", Dialect: job.DialectGluewheel, Token: "group 1, token 0"}, b.Target(1, "http://ours:1/"))
		require.Equal(t, job.Target{Address: "http://who:1", AppName: "app", Token: "group 1"}, b.Target(1, "http://who:1"))

		b.beats(t, java, 2*time.Minute)
		require.Equal(t, []string{"http://java:1"}, b.Addresses(&auto), "silent for 90 s is dead")
		require.NoError(t, b.Remove(t.Context(), "app", "http://java:1"))
		require.Empty(t, b.Addresses(&auto))
	})
}

func TestBeat_WaitsForTheDatabase(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := start(t)
		b.store.setAway(true)
		require.NoError(t, b.Registry.Beat(java))
		time.Sleep(time.Minute)
		require.Empty(t, b.Addresses(&auto))
		b.store.setAway(false)
		time.Sleep(2 * time.Second)
		require.Len(t, b.Addresses(&auto), 1)
	})
}

// The database was away for five minutes: nobody is dead for it.
func TestDead_SilenceCountsFromTheEndOfAnOutage(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := start(t)
		require.NoError(t, b.Registry.Beat(ours))
		b.running(1, ours.Address, job.Running)
		time.Sleep(time.Second)
		b.store.setAway(true)
		time.Sleep(5 * time.Minute)
		b.store.setAway(false)
		time.Sleep(85 * time.Second)
		require.Len(t, b.Addresses(&auto), 1)
		require.Empty(t, b.reason(1))
		time.Sleep(30 * time.Second)
		require.Empty(t, b.Addresses(&auto))
		require.Equal(t, job.ReasonLostExecutor, b.reason(1))
	})
}

func TestLost_WhatALiveExecutorDoesNotHold(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := start(t)
		require.NoError(t, b.Registry.Beat(ours))
		time.Sleep(time.Second)
		b.running(1, ours.Address, job.Running)
		b.running(2, ours.Address, job.Running)
		b.running(3, ours.Address, job.Unknown)
		time.Sleep(20 * time.Second)
		b.running(4, ours.Address, job.Running) // accepted just now: the beat may be older
		holding := ours
		holding.Held = []int64{1}
		require.NoError(t, b.Registry.Beat(holding))
		time.Sleep(time.Second)
		require.Equal(t, map[int64]string{2: job.ReasonLostResult}, b.allLost())

		restarted := holding
		restarted.BootID, restarted.Held = "b2", nil
		time.Sleep(20 * time.Second)
		require.NoError(t, b.Registry.Beat(restarted))
		time.Sleep(time.Second)
		require.Equal(t, job.ReasonLostRestart, b.reason(1))
		require.Equal(t, job.ReasonLostRestart, b.reason(4))
		require.Empty(t, b.reason(3), "unknown runs are the resolver's")
	})
}

func TestLost_JavaExecutorsDoNotListTheirRuns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := start(t)
		require.NoError(t, b.Registry.Beat(java))
		b.running(1, java.Address, job.Running)
		b.beats(t, java, time.Hour)
		require.Empty(t, b.allLost(), "a live executor may run for hours")
		time.Sleep(3 * time.Minute)
		require.Equal(t, job.ReasonLostResult, b.reason(1), "dead, and the run is ten minutes old")
	})
}

func TestLost_TheTenMinutesOfAForeignExecutor(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := start(t)
		require.NoError(t, b.Registry.Beat(java))
		b.running(1, java.Address, job.Running)
		time.Sleep(9 * time.Minute)
		require.Empty(t, b.allLost())
		time.Sleep(2 * time.Minute)
		require.Equal(t, job.ReasonLostResult, b.reason(1))
	})
}

// XXL-JOB gives these up after ten minutes, whether or not the executor is there.
func TestLost_AddressesThatWereEnteredAreAsked(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := start(t)
		b.answers["http://entered:1"] = true
		b.running(1, "http://entered:1", job.Running)
		time.Sleep(time.Hour)
		require.Empty(t, b.allLost(), "it answers")
		b.mu.Lock()
		b.answers["http://entered:1"] = false
		b.mu.Unlock()
		time.Sleep(80 * time.Second)
		require.Empty(t, b.allLost(), "not for one missed answer")
		time.Sleep(30 * time.Second)
		require.Equal(t, job.ReasonLostResult, b.reason(1))
	})
}

func TestNew_NamesWhatIsMissing(t *testing.T) {
	t.Parallel()
	_, err := New(Config{})
	require.ErrorContains(t, err, "required")
}
