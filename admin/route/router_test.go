package route

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/gluewheel/gluewheel/admin/job"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// newRouter has probes that always fail unless cfg says otherwise.
func newRouter(t testing.TB, cfg Config) *Router {
	t.Helper()
	if cfg.Beat == nil {
		cfg.Beat = func(context.Context, string, *job.Job) error { return errors.New("unexpected beat") }
	}
	if cfg.IdleBeat == nil {
		cfg.IdleBeat = func(context.Context, string, *job.Job) error { return errors.New("unexpected idle beat") }
	}
	r, err := New(cfg)
	require.NoError(t, err)
	return r
}

func pick(t testing.TB, r *Router, strategy job.RouteStrategy, jobID int32, list []string) string {
	t.Helper()
	chosen, err := r.Pick(t.Context(), &job.Job{ID: jobID, RouteStrategy: strategy}, list)
	require.NoError(t, err)
	require.Equal(t, strategy, chosen.Route.Strategy)
	require.EqualValues(t, len(list), chosen.Route.Candidates)
	require.Equal(t, list[chosen.Route.Place-1], chosen.Address)
	return chosen.Address
}

func addresses(n int) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf("http://10.0.0.%d:9999/", i+1)
	}
	return list
}

func TestNew_RequiresProbes(t *testing.T) {
	t.Parallel()
	_, err := New(Config{})
	require.ErrorContains(t, err, "Beat and IdleBeat")
}

func TestRouter_FirstLastRandom(t *testing.T) {
	t.Parallel()
	r, list := newRouter(t, Config{}), addresses(3)
	require.Equal(t, list[0], pick(t, r, job.RouteFirst, 1, list))
	require.Equal(t, list[2], pick(t, r, job.RouteLast, 1, list))
	seen := map[string]bool{}
	for range 200 {
		seen[pick(t, r, job.RouteRandom, 1, list)] = true
	}
	require.Len(t, seen, 3)
}

func TestRouter_RefusesWhatItCannotDecide(t *testing.T) {
	t.Parallel()
	r := newRouter(t, Config{})
	_, err := r.Pick(t.Context(), &job.Job{RouteStrategy: job.RouteFirst}, nil)
	require.ErrorIs(t, err, ErrNoAddress)
	for _, strategy := range []job.RouteStrategy{"", "NEAREST", job.RouteBroadcast} {
		_, err := r.Pick(t.Context(), &job.Job{RouteStrategy: strategy}, addresses(2))
		require.ErrorIs(t, err, ErrUnknownStrategy)
	}
}

func TestRouter_RoundTakesTurns(t *testing.T) {
	t.Parallel()
	r, list := newRouter(t, Config{}), addresses(5)
	place := slices.Index(list, pick(t, r, job.RouteRound, 7, list))
	for range 20 {
		place = (place + 1) % len(list)
		require.Equal(t, list[place], pick(t, r, job.RouteRound, 7, list))
		pick(t, r, job.RouteRound, 8, list) // another job has its own turn
	}
}

func TestRouter_LRUTakesTheLongestUnused(t *testing.T) {
	t.Parallel()
	r, list := newRouter(t, Config{}), addresses(4)
	order := make([]string, 0, 4)
	for range 4 {
		order = append(order, pick(t, r, job.RouteLRU, 7, list))
	}
	require.ElementsMatch(t, list, order, "each once")
	for i := range 8 {
		require.Equal(t, order[i%4], pick(t, r, job.RouteLRU, 7, list), "and again in the same order")
	}

	list = append(list[1:], "http://new:9999/")
	order = append(slices.DeleteFunc(order, func(a string) bool { return !slices.Contains(list, a) }), "http://new:9999/")
	for i := range 8 {
		require.Equal(t, order[i%4], pick(t, r, job.RouteLRU, 7, list), "one gone, one new at the end")
	}
}

func TestRouter_LFUDoesNotFloodTheNewcomer(t *testing.T) {
	t.Parallel()
	r, list := newRouter(t, Config{}), addresses(3)
	for range 300 {
		pick(t, r, job.RouteLFU, 7, list)
	}
	list = append(list, "http://new:9999/")
	counts := map[string]int{}
	for range 40 {
		counts[pick(t, r, job.RouteLFU, 7, list)]++
	}
	for _, a := range list {
		require.Equal(t, 10, counts[a], a)
	}
}

var remembering = []job.RouteStrategy{job.RouteRound, job.RouteLFU, job.RouteLRU}

// TestRouter_FairWithSeveralAdmins spreads the runs of one job over admins in uneven
// ways; the totals may differ by one an admin.
func TestRouter_FairWithSeveralAdmins(t *testing.T) {
	t.Parallel()
	const admins, runs = 3, 997
	list := addresses(4)
	for _, strategy := range remembering {
		for name, admin := range map[string]func(run int) int{
			"in turn":         func(run int) int { return run % admins },
			"in step":         func(run int) int { return run % 4 % admins },
			"one after other": func(run int) int { return run * admins / runs },
			"mostly one":      func(run int) int { return min(run%50, 2) },
		} {
			routers := []*Router{newRouter(t, Config{}), newRouter(t, Config{}), newRouter(t, Config{})}
			counts := map[string]int{}
			for run := range runs {
				counts[pick(t, routers[admin(run)], strategy, 7, list)]++
			}
			least, most := runs, 0
			for _, a := range list {
				least, most = min(least, counts[a]), max(most, counts[a])
			}
			require.LessOrEqual(t, most-least, admins, "%s, %s: %v", strategy, name, counts)
		}
	}
}

// TestRouter_FairWithoutMemory starts a new admin for each run. The bound is more
// than five standard deviations off.
func TestRouter_FairWithoutMemory(t *testing.T) {
	t.Parallel()
	list := addresses(3)
	for _, strategy := range remembering {
		counts := map[string]int{}
		for range 3000 {
			counts[pick(t, newRouter(t, Config{}), strategy, 7, list)]++
		}
		for _, a := range list {
			require.InDelta(t, 1000, counts[a], 150, "%s: %v", strategy, counts)
		}
	}
}

func TestRouter_ConcurrentPicksStayBalanced(t *testing.T) {
	t.Parallel()
	r, list := newRouter(t, Config{}), addresses(5)
	for _, strategy := range remembering {
		var mu sync.Mutex
		counts := map[string]int{}
		var workers sync.WaitGroup
		for range 8 {
			workers.Go(func() {
				for range 250 {
					chosen, err := r.Pick(t.Context(), &job.Job{ID: 7, RouteStrategy: strategy}, list)
					mu.Lock()
					if err == nil {
						counts[chosen.Address]++
					}
					mu.Unlock()
				}
			})
		}
		workers.Wait()
		for _, a := range list {
			require.Equal(t, 400, counts[a], "%s: %v", strategy, counts)
		}
	}
}

func TestMemory_IsBounded(t *testing.T) {
	t.Parallel()
	m := newMemory[int, int](100)
	for key := range 10_000 {
		m.update(key, func(v int, known bool) (int, int) { return v + 1, 1 + key%7 })
		m.update(-1, func(v int, known bool) (int, int) {
			require.Equal(t, key > 0, known, "what is in use is not forgotten")
			return v + 1, 1
		})
		require.LessOrEqual(t, len(m.young)+len(m.old), 100)
	}
	m.update(0, func(_ int, known bool) (int, int) {
		require.False(t, known, "what is not used is forgotten")
		return 0, 1
	})
}

func BenchmarkRouter_Pick(b *testing.B) {
	r, list := newRouter(b, Config{}), addresses(20)
	for _, strategy := range []job.RouteStrategy{job.RouteRound, job.RouteLFU, job.RouteLRU, job.RouteHash} {
		b.Run(string(strategy), func(b *testing.B) {
			b.ReportAllocs()
			j := &job.Job{ID: 7, RouteStrategy: strategy}
			for b.Loop() {
				if _, err := r.Pick(b.Context(), j, list); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func TestRouter_SaysWhy(t *testing.T) {
	t.Parallel()
	list := addresses(4)
	r := newRouter(t, Config{
		Beat: func(_ context.Context, address string, _ *job.Job) error {
			if slices.Index(list, address) < 2 {
				return errors.New("connection refused")
			}
			return nil
		},
		IdleBeat: func(_ context.Context, address string, _ *job.Job) error {
			if address == list[0] {
				return errors.New("job thread is running or has trigger queue")
			}
			return nil
		},
	})
	why := func(strategy job.RouteStrategy) job.Route {
		t.Helper()
		chosen, err := r.Pick(t.Context(), &job.Job{ID: 7, RouteStrategy: strategy}, list)
		require.NoError(t, err)
		return chosen.Route
	}
	require.Equal(t, job.Route{
		Strategy: job.RouteFailover, Candidates: 4, Place: 3, PassedTotal: 2,
		Passed: []job.Passed{{Address: list[0], Answer: "connection refused"}, {Address: list[1], Answer: "connection refused"}},
	}, why(job.RouteFailover))
	require.Equal(t, job.Route{
		Strategy: job.RouteBusyover, Candidates: 4, Place: 2, PassedTotal: 1,
		Passed: []job.Passed{{Address: list[0], Answer: "job thread is running or has trigger queue"}},
	}, why(job.RouteBusyover))
	for i := range 9 {
		require.Equal(t, int64(i/4), why(job.RouteLFU).Uses)
	}
	require.Equal(t, job.Route{Strategy: job.RouteLast, Candidates: 4, Place: 4}, why(job.RouteLast))
}
