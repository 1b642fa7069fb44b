package main

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// events collects what parts do, in order. synctest's bubble runs one goroutine at a
// time up to a durable block, but the race detector wants the channel.
type events chan string

func (e events) part(name string, stopping time.Duration) part {
	return part{name, func(ctx context.Context) error {
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

func TestRunParts_StopInTheOppositeOrder(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		e := make(events, 10)
		time.AfterFunc(time.Second, cancel)
		require.NoError(t, runParts(ctx, e.part("a", time.Minute), e.part("b", 2*time.Minute)))
		got := e.all()
		require.ElementsMatch(t, []string{"start a", "start b"}, got[:2])
		require.Equal(t, []string{"stop b", "stop a"}, got[2:], "b's stop takes longer, and a still waits for it")
	})
}

func TestRunParts_AFailureStopsTheRest(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	for name, c := range map[string]struct{ returned, want error }{
		"with an error":    {broken, broken},
		"by itself":        {nil, errEnded},
		"when not running": {context.Canceled, context.Canceled},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				e := make(events, 10)
				bad := part{"bad", func(context.Context) error { time.Sleep(time.Second); return c.returned }}
				err := runParts(t.Context(), e.part("good", 0), bad)
				require.ErrorIs(t, err, c.want)
				require.ErrorContains(t, err, "bad: ")
				require.Equal(t, []string{"start good", "stop good"}, e.all())
			})
		})
	}
}

func TestRunParts_ReportsWhatCouldNotBeStopped(t *testing.T) {
	t.Parallel()
	stuck := errors.New("results not flushed")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := runParts(ctx, part{"executor", func(ctx context.Context) error { <-ctx.Done(); return stuck }})
	require.ErrorIs(t, err, stuck)
	require.ErrorContains(t, err, "stop executor")
}
