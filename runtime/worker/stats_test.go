package worker

import (
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
	require.Eventually(t, func() bool { return e.Stats().Refills == 1 }, 10*time.Second, time.Millisecond)
	s := e.Stats()
	require.EqualValues(t, 1, s.Served)
	require.Zero(t, s.Missed)
	require.Contains(t, s.String(), "1 of 1 runs found one")
	require.NoError(t, program.Close())
}
