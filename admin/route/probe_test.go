package route

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/admin/job"
)

var errDown = errors.New("connection refused")

// answer is how a fake executor takes a probe.
type answer struct {
	after time.Duration
	err   error
}

// fakes answers by address.
func fakes(answers map[string]answer) question {
	return func(ctx context.Context, address string, _ *job.Job) error {
		a := answers[address]
		select {
		case <-time.After(a.after):
			return a.err
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

func TestRouter_FailoverTakesTheFirstThatAnswersWell(t *testing.T) {
	t.Parallel()
	list := addresses(4)
	for _, c := range []struct {
		name  string
		slots [4]answer
		want  int
		takes time.Duration
	}{
		{"first", [4]answer{{}, {}, {}, {}}, 0, 0},
		{"second, though slower than the third", [4]answer{{err: errDown}, {after: time.Second}, {}, {}}, 1, time.Second},
		{"a later one does not wait for the slowest", [4]answer{{err: errDown}, {}, {after: time.Minute}, {after: time.Minute}}, 1, 0},
		{"last, waits in parallel", [4]answer{{after: time.Hour}, {after: time.Hour}, {after: time.Hour}, {}}, 3, 3 * time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				answers := map[string]answer{}
				for i, a := range c.slots {
					answers[list[i]] = a
				}
				r := newRouter(t, Config{Beat: fakes(answers)})
				start := time.Now()
				require.Equal(t, list[c.want], pick(t, r, job.RouteFailover, 1, list))
				require.Equal(t, c.takes, time.Since(start))
			})
		})
	}
}

func TestRouter_FailoverReportsEachAnswer(t *testing.T) {
	t.Parallel()
	r := newRouter(t, Config{Beat: func(context.Context, string, *job.Job) error { return errDown }})
	list := addresses(12)
	_, err := r.Pick(t.Context(), &job.Job{RouteStrategy: job.RouteFailover}, list)
	probe, ok := errors.AsType[*ProbeError](err)
	require.True(t, ok)
	require.Len(t, probe.Errors, 12)
	require.ErrorIs(t, err, errDown)
	require.ErrorContains(t, err, "http://10.0.0.1:9999/: connection refused")
	require.ErrorContains(t, err, "and 2 more")
}

func TestRouter_BusyoverAsksAboutTheJob(t *testing.T) {
	t.Parallel()
	list := addresses(3)
	r := newRouter(t, Config{IdleBeat: func(_ context.Context, address string, j *job.Job) error {
		if j.ID != 9 || address == list[0] {
			return errors.New("job thread is running or has trigger queue")
		}
		return nil
	}})
	require.Equal(t, list[1], pick(t, r, job.RouteBusyover, 9, list))
}

func TestRouter_ProbesAreBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var now, most int
		r := newRouter(t, Config{Parallel: 3, ProbeTimeout: time.Second, Beat: func(ctx context.Context, _ string, _ *job.Job) error {
			count := func(n int) {
				mu.Lock()
				defer mu.Unlock()
				now += n
				most = max(most, now)
			}
			count(1)
			defer count(-1)
			<-ctx.Done()
			return ctx.Err()
		}})
		start := time.Now()
		_, err := r.Pick(t.Context(), &job.Job{RouteStrategy: job.RouteFailover}, addresses(9))
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Equal(t, 3*time.Second, time.Since(start))
		require.Equal(t, 3, most)
	})
}

func TestRouter_ProbesEndWithTheCaller(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		why := errors.New("admin stops")
		ctx, cancel := context.WithCancelCause(t.Context())
		r := newRouter(t, Config{Beat: func(ctx context.Context, _ string, _ *job.Job) error { <-ctx.Done(); return ctx.Err() }})
		time.AfterFunc(time.Second, func() { cancel(why) })
		_, err := r.Pick(ctx, &job.Job{RouteStrategy: job.RouteFailover}, addresses(9))
		require.ErrorIs(t, err, why)
	})
}
