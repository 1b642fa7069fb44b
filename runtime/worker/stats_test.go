package worker

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/runtime"
)

func TestTally_CountsTheLastWholeMinute(t *testing.T) {
	t.Parallel()
	var c tally
	at := time.Date(2026, 1, 1, 12, 0, 30, 0, time.UTC)
	c.refilled(at)
	c.refilled(at.Add(time.Second))
	require.Zero(t, c.last, "the minute is not over")
	c.turn(at.Add(time.Minute))
	require.Equal(t, 2, c.last)
	c.refilled(at.Add(time.Minute))
	c.turn(at.Add(3 * time.Minute))
	require.Zero(t, c.last, "nothing was made in the last one")
	require.EqualValues(t, 3, c.refills)
}

func TestEngine_Stats(t *testing.T) {
	t.Parallel()
	e := newPooled(t, Config{})
	program := pooled(t, e, "a")
	require.Equal(t, runtime.Succeeded, program.Run(t.Context(), runtime.Request{}).Kind)
	require.Eventually(t, func() bool { return e.Stats().Refills == 1 }, 30*time.Second, time.Millisecond)
	s := e.Stats()
	require.EqualValues(t, 1, s.Served)
	require.Zero(t, s.Missed)
	require.Contains(t, s.String(), "1 of 1 runs found one")
	require.NoError(t, program.Close())
}

func TestEngine_StatsTellWhyWorkersWereEnded(t *testing.T) {
	t.Parallel()
	e := newPooled(t, Config{PoolSize: -1})
	run := func(code string, limits runtime.Limits, cause error) runtime.Kind {
		p, err := e.Prepare(t.Context(), runtime.Source{Key: code, Type: "GLUE_LUA", Code: []byte(code), Limits: limits})
		require.NoError(t, err)
		ctx, cancel := context.WithCancelCause(t.Context())
		defer cancel(nil)
		// Its first line says that the code runs, so that it is not stopped while loading.
		kind := p.Run(ctx, runtime.Request{Log: func(string) { cancel(cause) }}).Kind
		require.NoError(t, p.Close())
		return kind
	}
	const forever = `gw.log("on"); while true do end`
	require.Equal(t, runtime.Succeeded, run(`return 1`, runtime.Limits{}, nil))
	require.Equal(t, runtime.TimedOut, run(forever, runtime.Limits{}, runtime.ErrTimeout))
	require.Equal(t, runtime.Killed, run(forever, runtime.Limits{}, runtime.ErrKilled))
	require.Equal(t, runtime.OutOfMemory, run(`local t = {}; while true do t[#t + 1] = ("x"):rep(1048576) .. #t end`,
		runtime.Limits{MemoryBytes: 32 << 20}, nil))

	s := e.Stats()
	require.Equal(t, Ends{Timeout: 1, Kill: 1, Memory: 1}, s.Ends)
	require.EqualValues(t, 8, s.Starts, "one to compile and one to run, each")
}

func TestEngine_StatsTellOfWorkersThatWereEndedWhileLoading(t *testing.T) {
	t.Parallel()
	e := newPooled(t, Config{PoolSize: -1})
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("nobody waits for it"))
	_, err := e.Prepare(ctx, source("a"))
	require.ErrorContains(t, err, "nobody waits for it")
	require.Equal(t, Ends{Loading: 1}, e.Stats().Ends)
	require.EqualValues(t, 1, e.Stats().Starts)
}
