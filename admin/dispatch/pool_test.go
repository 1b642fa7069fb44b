package dispatch

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/admin/job"
)

func entriesTo(address string, n int) []*entry {
	out := make([]*entry, n)
	for i := range out {
		out[i] = &entry{Claimed: job.Claimed{RunID: int64(i), Address: address}, job: &job.Job{}, target: job.Target{Address: address}}
	}
	return out
}

func TestPool_BoundsWorkersAndLosesNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var (
			wg             sync.WaitGroup
			mu             sync.Mutex
			at             = map[string]int{}
			now, most, all int
		)
		p := newPool(10, 4, &wg, func(_ context.Context, batch []*entry) {
			address := batch[0].Address
			mu.Lock()
			now, all = now+1, all+len(batch)
			at[address]++
			most = max(most, now)
			if at[address] > 4 {
				t.Errorf("%d requests to %s at once", at[address], address)
			}
			mu.Unlock()
			time.Sleep(time.Millisecond)
			mu.Lock()
			now--
			at[address]--
			mu.Unlock()
		})
		for i := range 20 {
			p.submit(t.Context(), entriesTo(fmt.Sprintf("http://e%d", i%5), 50))
		}
		wg.Wait()
		require.Equal(t, 1000, all)
		require.Equal(t, 10, most)
		require.Empty(t, p.lanes, "an idle address leaves nothing behind")
		require.Zero(t, p.active, "and no worker")
	})
}

// An executor that hangs holds its share of workers, and delays nobody else.
func TestPool_AHangingAddressDelaysOnlyItsOwn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var wg sync.WaitGroup
		var mu sync.Mutex
		var last time.Time
		p := newPool(10, 4, &wg, func(_ context.Context, batch []*entry) {
			if batch[0].Address == "http://hangs" {
				time.Sleep(3 * time.Second)
				return
			}
			time.Sleep(time.Millisecond)
			mu.Lock()
			last = time.Now()
			mu.Unlock()
		})
		start := time.Now()
		p.submit(t.Context(), entriesTo("http://hangs", 40))
		p.submit(t.Context(), entriesTo("http://well", 40))
		wg.Wait()
		require.Equal(t, 10*time.Millisecond, last.Sub(start), "four at a time")
		require.Equal(t, 30*time.Second, time.Since(start))
	})
}

func TestPool_TellsWhatWaitsAndForHowLong(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var wg sync.WaitGroup
		p := newPool(1, 1, &wg, func(context.Context, []*entry) { time.Sleep(time.Second) })
		var waits []time.Duration // of the one worker
		p.waited = func(d time.Duration) { waits = append(waits, d) }
		p.submit(t.Context(), entriesTo("http://one", 3))
		synctest.Wait()
		require.Equal(t, PoolLoad{Waiting: 2, Sending: 1}, p.load())
		wg.Wait()
		require.Equal(t, PoolLoad{}, p.load())
		require.Equal(t, []time.Duration{0, time.Second, 2 * time.Second}, waits)

		p.submit(t.Context(), entriesTo("http://one", 3))
		synctest.Wait()
		p.close()
		require.Equal(t, PoolLoad{Sending: 1}, p.load(), "what will not be sent does not wait")
		wg.Wait()
	})
}

func TestPool_BatchesForOursAreBounded(t *testing.T) {
	t.Parallel()
	ours := entriesTo("http://ours", 500)
	for _, e := range ours {
		e.target.Dialect = job.DialectGluewheel
	}
	require.Equal(t, maxRuns, requestSize(ours))
	require.Equal(t, 3, requests(ours))
	big := string(make([]byte, maxBytes*2/3))
	for _, e := range ours[:2] {
		e.Param = &big
	}
	require.Equal(t, 1, requestSize(ours), "by size")
	ours[2].target.Dialect = ""
	require.Equal(t, 1, requestSize(ours[2:]), "foreign ones go alone")
}

func TestSlowness(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var s slowness
		s.init()
		e := []*entry{{Claimed: job.Claimed{JobID: 1}}}
		time.Sleep(time.Until(time.Now().Truncate(time.Minute).Add(time.Minute)))
		for range slowCount {
			s.note(e, "http://e", 501*time.Millisecond, time.Now())
		}
		require.False(t, s.isSlow(1, "http://other", time.Now()))
		s.note(e, "http://e", 501*time.Millisecond, time.Now())
		require.True(t, s.isSlow(1, "http://other", time.Now()), "more than ten in the minute")
		require.True(t, s.isSlow(2, "http://e", time.Now()), "the address hangs")

		s.note(e, "http://e", time.Millisecond, time.Now())
		require.False(t, s.isSlow(2, "http://e", time.Now()), "one quick answer")
		time.Sleep(time.Minute)
		require.False(t, s.isSlow(1, "http://other", time.Now()), "another minute")
	})
}
