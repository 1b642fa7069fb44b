package queue

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/executor/protocol"
	"github.com/gluewheel/gluewheel/runtime"
)

// bundle is a set of queues whose runs last until the test lets them go.
type bundle struct {
	*Queues

	mu      sync.Mutex
	events  []string
	release map[int64]chan struct{}
	idle    []int32
}

func setup(t *testing.T, cfg Config) *bundle {
	t.Helper()
	b := &bundle{release: make(map[int64]chan struct{})}
	cfg.Run, cfg.Drop = b.run, b.drop
	cfg.Idle = func(jobID int32) { b.idle = append(b.idle, jobID) }
	var err error
	b.Queues, err = New(cfg)
	require.NoError(t, err)
	t.Cleanup(func() {
		b.Close()
		b.Stop(StopShutdown())
		require.NoError(t, b.Drain(context.Background()))
	})
	return b
}

func (b *bundle) run(ctx context.Context, t protocol.Trigger) {
	id := int64(t.LogID)
	b.note("begin %d", id)
	select {
	case <-b.gate(id):
		b.note("end %d", id)
	case <-ctx.Done():
		b.note("stop %d: %s", id, StopOf(ctx).Running())
	}
}

func (b *bundle) drop(triggers []protocol.Trigger, stop *Stop) {
	for _, t := range triggers {
		b.note("drop %d: %s", t.LogID, stop.Queued())
	}
}

func (b *bundle) note(format string, args ...any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.events = append(b.events, fmt.Sprintf(format, args...))
}

func (b *bundle) gate(id int64) chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.release[id] == nil {
		b.release[id] = make(chan struct{})
	}
	return b.release[id]
}

// finish lets run id end well.
func (b *bundle) finish(id int64) {
	close(b.gate(id))
	synctest.Wait()
}

// add admits and commits.
func (b *bundle) add(job int32, id int64, strategy string) error {
	tr := trigger(job, id, strategy)
	ticket, err := b.Admit(tr)
	if err == nil {
		ticket.Commit(tr)
	}
	synctest.Wait()
	return err
}

func (b *bundle) log() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.events
}

func trigger(job int32, id int64, strategy string) protocol.Trigger {
	return protocol.Trigger{JobID: protocol.Int(job), LogID: protocol.Int(id), BlockStrategy: strategy}
}

const (
	stopRunning = " [job running, killed]"
	stopQueued  = " [job not executed, in the job queue, killed.]"
)

func TestQueues_Strategies(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		strategy string
		refused  bool
		want     []string
	}{
		"serial waits":      {protocol.BlockSerial, false, []string{"begin 1", "end 1", "begin 2"}},
		"unknown is serial": {"SOMETHING", false, []string{"begin 1", "end 1", "begin 2"}},
		"discard refuses":   {protocol.BlockDiscard, true, []string{"begin 1", "end 1"}},
		"cover replaces": {protocol.BlockCover, false, []string{
			"begin 1", "stop 1: " + protocol.MsgCoverEarly + stopRunning, "begin 2",
		}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				b := setup(t, Config{})
				require.NoError(t, b.add(7, 1, c.strategy))
				err := b.add(7, 2, c.strategy)
				if c.refused {
					require.EqualError(t, err, "block strategy effect：Discard Later")
				} else {
					require.NoError(t, err)
				}
				b.finish(1)
				require.Equal(t, c.want, b.log())
			})
		})
	}
}

func TestQueues_CoverDropsWhatWaits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := setup(t, Config{})
		require.NoError(t, b.add(7, 1, protocol.BlockSerial))
		require.NoError(t, b.add(7, 2, protocol.BlockSerial))
		require.NoError(t, b.add(7, 3, protocol.BlockCover))
		require.ElementsMatch(t, []string{
			"begin 1",
			"stop 1: " + protocol.MsgCoverEarly + stopRunning,
			"drop 2: " + protocol.MsgCoverEarly + stopQueued,
			"begin 3",
		}, b.log())
	})
}

func TestQueues_HeldPlaceCountsAsBusy(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := setup(t, Config{})
		require.False(t, b.Busy(7))
		ticket, err := b.Admit(trigger(7, 1, protocol.BlockDiscard))
		require.NoError(t, err)
		require.True(t, b.Busy(7))
		require.ErrorIs(t, b.add(7, 2, protocol.BlockDiscard), ErrDiscarded)

		ticket.Abort()
		require.False(t, b.Busy(7))
		require.NoError(t, b.add(7, 3, protocol.BlockDiscard))
		require.True(t, b.Busy(7))
		b.finish(3)
		require.False(t, b.Busy(7))
	})
}

func TestQueues_DepthIsBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := setup(t, Config{Depth: 2})
		for id := range int64(3) { // one runs, two wait
			require.NoError(t, b.add(7, id+1, protocol.BlockSerial))
		}
		require.EqualError(t, b.add(7, 4, protocol.BlockSerial), "job queue is full, 2 triggers are waiting.")
		require.NoError(t, b.add(8, 5, protocol.BlockSerial), "another job has its own queue")
		require.NoError(t, b.add(7, 6, protocol.BlockCover), "COVER_EARLY empties the queue")
	})
}

func TestQueues_MaxRunningMakesJobsWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := setup(t, Config{MaxRunning: 1})
		require.NoError(t, b.add(1, 1, protocol.BlockSerial))
		require.NoError(t, b.add(2, 2, protocol.BlockSerial))
		require.Equal(t, []string{"begin 1"}, b.log())
		require.True(t, b.KillRun(2, 2, StopKill()), "a job that waits for its slot counts as queued")
		b.finish(1)
		require.Equal(t, []string{"begin 1", "drop 2: scheduling center kill job." + stopQueued, "end 1"}, b.log())
	})
}

func TestQueues_KillJob(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := setup(t, Config{})
		require.False(t, b.KillJob(7, StopKill()), "no queue")
		require.NoError(t, b.add(7, 1, ""))
		require.NoError(t, b.add(7, 2, ""))
		require.True(t, b.KillJob(7, StopKill()))
		synctest.Wait()
		require.ElementsMatch(t, []string{
			"begin 1",
			"stop 1: scheduling center kill job." + stopRunning,
			"drop 2: scheduling center kill job." + stopQueued,
		}, b.log())
		require.True(t, b.KillJob(7, StopKill()), "an idle queue is still there")
	})
}

func TestQueues_KillRun(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := setup(t, Config{})
		for id := range int64(3) {
			require.NoError(t, b.add(7, id+1, ""))
		}
		require.False(t, b.KillRun(7, 9, StopKill()))
		require.True(t, b.KillRun(7, 2, StopKill()))
		require.True(t, b.KillRun(7, 1, StopKill()))
		synctest.Wait()
		require.Equal(t, []string{
			"begin 1",
			"drop 2: scheduling center kill job." + stopQueued,
			"stop 1: scheduling center kill job." + stopRunning,
			"begin 3",
		}, b.log())
	})
}

func TestQueues_IdleQueueGoesAway(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := setup(t, Config{})
		require.NoError(t, b.add(7, 1, ""))
		time.Sleep(2 * protocol.IdleAfter)
		require.Empty(t, b.idle, "a running job is not idle")
		b.finish(1)
		time.Sleep(protocol.IdleAfter - time.Second)
		require.Empty(t, b.idle)

		ticket, err := b.Admit(trigger(7, 2, ""))
		require.NoError(t, err)
		time.Sleep(2 * time.Second)
		synctest.Wait()
		require.Empty(t, b.idle, "a held place keeps the queue")
		ticket.Abort()

		time.Sleep(protocol.IdleAfter)
		synctest.Wait()
		require.Equal(t, []int32{7}, b.idle)
		require.False(t, b.KillJob(7, StopKill()))
	})
}

func TestQueues_DrainThenStop(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := &bundle{release: make(map[int64]chan struct{})}
		var err error
		b.Queues, err = New(Config{Run: b.run, Drop: b.drop})
		require.NoError(t, err)
		require.NoError(t, b.add(7, 1, ""))
		require.NoError(t, b.add(7, 2, ""))
		held, err := b.Admit(trigger(8, 3, ""))
		require.NoError(t, err)

		b.Close()
		require.ErrorIs(t, b.add(9, 4, ""), ErrStopping)
		held.Commit(trigger(8, 3, ""))
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		require.ErrorIs(t, b.Drain(ctx), context.DeadlineExceeded)

		b.Stop(StopShutdown())
		require.NoError(t, b.Drain(t.Context()))
		require.ElementsMatch(t, []string{
			"begin 1", "begin 3",
			"stop 1: web container destroy and kill the job." + stopRunning,
			"stop 3: web container destroy and kill the job." + stopRunning,
			"drop 2: web container destroy and kill the job." + stopQueued,
		}, b.log())
	})
}

func TestQueues_RestoreIgnoresTheStrategy(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := setup(t, Config{})
		b.Restore(trigger(7, 1, protocol.BlockDiscard))
		b.Restore(trigger(7, 2, protocol.BlockCover))
		synctest.Wait()
		b.finish(1)
		require.Equal(t, []string{"begin 1", "end 1", "begin 2"}, b.log())
	})
}

func TestStop_IsAKill(t *testing.T) {
	t.Parallel()
	require.ErrorIs(t, StopCover(), runtime.ErrKilled)
	require.Nil(t, StopOf(t.Context()))
}

// TestQueues_Hammer looks for triggers that run twice or vanish while kills, covers and
// idle ends race with them.
func TestQueues_Hammer(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	ends := make(map[int64]int)
	end := func(ids ...protocol.Trigger) {
		mu.Lock()
		defer mu.Unlock()
		for _, tr := range ids {
			ends[int64(tr.LogID)]++
		}
	}
	q, err := New(Config{
		MaxRunning: 3,
		IdleAfter:  time.Microsecond,
		Run:        func(_ context.Context, tr protocol.Trigger) { end(tr) },
		Drop:       func(triggers []protocol.Trigger, _ *Stop) { end(triggers...) },
	})
	require.NoError(t, err)

	const writers, each = 8, 500
	var wg sync.WaitGroup
	var refused sync.Map
	for w := range int64(writers) {
		wg.Go(func() {
			strategies := []string{protocol.BlockSerial, protocol.BlockCover, protocol.BlockDiscard}
			for i := range int64(each) {
				tr := trigger(int32(i%3), w*each+i, strategies[(w+i)%3])
				ticket, err := q.Admit(tr)
				switch {
				case err != nil:
					refused.Store(int64(tr.LogID), true)
				default:
					ticket.Commit(tr)
				}
				if i%50 == 0 {
					q.KillJob(int32(i%3), StopKill())
				}
			}
		})
	}
	wg.Wait()
	q.Close()
	require.NoError(t, q.Drain(t.Context()))
	for id := range int64(writers * each) {
		want := 1
		if _, no := refused.Load(id); no {
			want = 0
		}
		require.Equal(t, want, ends[id], "trigger %d", id)
	}
}
