package schedule

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/admin/job"
)

// fires are due at offsets from noon; their run ids count from 1.
func fires(offsets ...time.Duration) (out []job.Fire) {
	for i, o := range offsets {
		out = append(out, job.Fire{RunID: int64(i + 1), DueAt: at(o)})
	}
	return out
}

func ids(fires []job.Fire) (out []int64) {
	for _, f := range fires {
		out = append(out, f.RunID)
	}
	return out
}

func TestRing_GivesWhatIsDueInOrder(t *testing.T) {
	t.Parallel()
	r := newRing(100)
	ms := time.Millisecond
	require.Zero(t, r.add(noon, fires(1500*ms, 1200*ms, 0, -time.Hour, 61*time.Second, 10*time.Minute)))

	require.Equal(t, []int64{4, 3}, ids(r.take(at(0), 10)), "however late")
	require.Empty(t, r.take(at(time.Second), 10))
	require.Equal(t, []int64{2}, ids(r.take(at(1300*ms), 10)), "to the millisecond")
	require.Equal(t, []int64{1}, ids(r.take(at(2*time.Second), 10)))
	require.Empty(t, r.take(at(60*time.Second), 10), "not a turn too early")
	require.Equal(t, []int64{5}, ids(r.take(at(61*time.Second), 10)))
	require.Equal(t, []int64{6}, ids(r.take(at(time.Hour), 10)), "after a pause of many turns")
	require.Zero(t, r.len())
}

func TestRing_KeepsWhatThereIsNoRoomFor(t *testing.T) {
	t.Parallel()
	r := newRing(100)
	r.add(noon, fires(0, time.Second, 2*time.Second, 3*time.Second))
	require.Empty(t, r.take(at(time.Minute), 0))
	require.Equal(t, []int64{1, 2}, ids(r.take(at(5*time.Second), 2)))
	r.add(noon, []job.Fire{{RunID: 9, DueAt: at(-time.Second)}})
	require.Equal(t, []int64{9, 3}, ids(r.take(at(5*time.Second), 2)))
	require.Equal(t, []int64{4}, ids(r.take(at(5*time.Second), 2)))
}

func TestRing_HoldsAFireOnce(t *testing.T) {
	t.Parallel()
	r := newRing(100)
	r.add(noon, fires(0, 0))
	require.Zero(t, r.add(noon, fires(0, 0)), "no refusal either")
	require.Len(t, r.take(noon, 10), 2)
	r.add(noon, fires(0))
	require.Len(t, r.take(noon, 10), 1, "handed over, it may come again")
}

func TestRing_IsBounded(t *testing.T) {
	t.Parallel()
	r := newRing(4)
	require.Equal(t, 3, r.add(noon, fires(time.Hour, time.Hour, time.Hour, time.Hour, time.Hour)), "half is for what is due soon")
	soon := fires(0, 0, 0, 0)
	for i := range soon {
		soon[i].RunID += 100
	}
	require.Equal(t, 2, r.add(noon, soon))
	require.Equal(t, 4, r.len())
}

func TestRing_ManyAtOnce(t *testing.T) {
	t.Parallel()
	const adders, each = 4, 500
	r := newRing(adders * each)
	var adding sync.WaitGroup
	for a := range adders {
		adding.Go(func() {
			for i := range each {
				r.add(noon, []job.Fire{{RunID: int64(a*each + i), DueAt: at(time.Duration(i) * time.Millisecond)}})
			}
		})
	}
	seen := map[int64]int{}
	take := func() {
		for _, f := range r.take(at(time.Minute), 37) {
			seen[f.RunID]++
		}
	}
	done := make(chan struct{})
	go func() { adding.Wait(); close(done) }()
	for running := true; running; take() {
		select {
		case <-done:
			running = false
		default:
		}
	}
	for r.len() > 0 {
		take()
	}
	require.Len(t, seen, adders*each)
	for id, n := range seen {
		require.Equal(t, 1, n, "run %d", id)
	}
}
