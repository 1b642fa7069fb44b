package stack_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/gluewheel/gluewheel/internal/stack"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// events collects what parts do, in order. synctest's bubble runs one goroutine at a
// time up to a durable block, but the race detector wants the channel.
type events chan string

func (e events) part(name string, stopping time.Duration) stack.Part {
	return stack.Part{name, func(ctx context.Context) error {
		e <- "start " + name
		<-ctx.Done()
		time.Sleep(stopping) // in the bubble's time
		e <- "stop " + name
		return nil
	}}
}

func (e events) all() []string {
	close(e)
	var list []string
	for event := range e {
		list = append(list, event)
	}
	return list
}

func TestStack_StopInTheOppositeOrder(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		e := make(events, 10)
		time.AfterFunc(time.Second, cancel)
		require.NoError(t, stack.Stack{}.Run(ctx, e.part("a", time.Minute), e.part("b", 2*time.Minute)))
		got := e.all()
		require.ElementsMatch(t, []string{"start a", "start b"}, got[:2])
		require.Equal(t, []string{"stop b", "stop a"}, got[2:], "b's stop takes longer, and a still waits for it")
	})
}

func TestStack_AFailureStopsTheRest(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	for name, c := range map[string]struct{ returned, want error }{
		"with an error":    {broken, broken},
		"by itself":        {nil, stack.ErrEnded},
		"when not running": {context.Canceled, context.Canceled},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				e := make(events, 10)
				bad := stack.Part{"bad", func(context.Context) error { time.Sleep(time.Second); return c.returned }}
				err := stack.Stack{}.Run(t.Context(), e.part("good", 0), bad)
				require.ErrorIs(t, err, c.want)
				require.ErrorContains(t, err, "bad: ")
				require.Equal(t, []string{"start good", "stop good"}, e.all())
			})
		})
	}
}

func TestStack_ReportsWhatCouldNotBeStopped(t *testing.T) {
	t.Parallel()
	stuck := errors.New("results not flushed")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := stack.Stack{}.Run(ctx, stack.Part{"executor", func(ctx context.Context) error { <-ctx.Done(); return stuck }})
	require.ErrorIs(t, err, stuck)
	require.ErrorContains(t, err, "stop executor")
}

func TestStack_LeavesBehindWhatDoesNotStop(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		e := make(events, 10)
		s := stack.Stack{Patience: 15 * time.Second, Log: slog.New(slog.DiscardHandler)}
		time.AfterFunc(time.Second, cancel)
		begin := time.Now()
		require.NoError(t, s.Run(ctx, e.part("below", time.Second), e.part("stuck", time.Minute)))
		require.Equal(t, 17*time.Second, time.Since(begin))
		time.Sleep(time.Minute) // until the stuck one has ended after all
		synctest.Wait()
		got := e.all()
		require.ElementsMatch(t, []string{"start below", "start stuck"}, got[:2])
		require.Equal(t, []string{"stop below", "stop stuck"}, got[2:])
	})
}
