package chaos

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestOverlap(t *testing.T) {
	t.Parallel()
	windows := joined([]Window{
		{From: at(7), To: at(8)}, {From: at(1), To: at(3)}, {From: at(2), To: at(4)}, {From: at(4), To: at(5)},
	})
	require.Len(t, windows, 2)
	for _, tc := range []struct{ from, to, want float64 }{
		{0, 1, 0}, {0, 2, 1}, {2, 3, 1}, {0, 10, 5}, {4.5, 7.5, 1}, {5, 7, 0}, {8, 9, 0},
	} {
		require.Equal(t, at(tc.want).Sub(noon), overlap(windows, at(tc.from), at(tc.to)), "%v", tc)
	}
}

func TestPast_LeavesOutStalls(t *testing.T) {
	t.Parallel()
	f := newFacts(&Evidence{Stalls: []Window{{From: at(1), To: at(2)}, {From: at(2.5), To: at(4)}}})
	require.Equal(t, at(0.5), f.past(at(0), 500*time.Millisecond))
	require.Equal(t, at(2.2), f.past(at(0), 1200*time.Millisecond))
	require.Equal(t, at(4.5), f.past(at(0), 2*time.Second))
}
