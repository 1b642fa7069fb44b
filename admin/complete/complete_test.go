package complete

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/admin/job"
)

// fakeLedger keeps what it is told. poison is a message that it never takes; while
// away it answers nothing but errors; while hung it answers when its context ends.
type fakeLedger struct {
	mu      sync.Mutex
	batches [][]job.Ending
	running []job.Acceptance
	poison  string
	away    bool
	hung    bool
}

var errAway = errors.New("connection refused")

func (l *fakeLedger) fails(ctx context.Context) error {
	l.mu.Lock()
	hung, away := l.hung, l.away
	l.mu.Unlock()
	if hung {
		<-ctx.Done()
		return ctx.Err()
	}
	if away {
		return errAway
	}
	return nil
}

func (l *fakeLedger) End(ctx context.Context, endings []job.Ending, _ func(*job.Ended, *job.FollowRules) job.Follow) (job.Ends, error) {
	if err := l.fails(ctx); err != nil {
		return job.Ends{}, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	var out job.Ends
	for _, e := range endings {
		if l.poison != "" && e.Message == l.poison {
			return job.Ends{}, fmt.Errorf("%w: no", job.ErrBadData)
		}
		out.Ended = append(out.Ended, job.Ended{RunID: e.RunID, State: e.State})
		out.Fires = append(out.Fires, job.Fire{RunID: e.RunID + 1000})
	}
	l.batches = append(l.batches, slices.Clone(endings))
	return out, nil
}

func (l *fakeLedger) MarkRunning(ctx context.Context, taken []job.Acceptance) error {
	if err := l.fails(ctx); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.running = append(l.running, taken...)
	return nil
}

func (l *fakeLedger) set(edit func(*fakeLedger)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	edit(l)
}

func (l *fakeLedger) stored() map[int64]job.Ending {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := map[int64]job.Ending{}
	for _, b := range l.batches {
		for _, e := range b {
			out[e.RunID] = e
		}
	}
	return out
}

type bundle struct {
	*Completer
	ledger *fakeLedger
	fires  []job.Fire // written by the flusher; read after synctest.Wait
}

// start runs a completer for as long as the test.
func start(t *testing.T, edit ...func(*Config)) *bundle {
	t.Helper()
	b := &bundle{ledger: &fakeLedger{}}
	cfg := Config{
		Store: b.ledger, Log: slog.New(slog.DiscardHandler),
		Added: func(f []job.Fire) { b.fires = append(b.fires, f...) },
	}
	for _, e := range edit {
		e(&cfg)
	}
	var err error
	b.Completer, err = New(cfg)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- b.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		<-done
	})
	return b
}

func results(ids ...int64) []job.Result {
	out := make([]job.Result, len(ids))
	for i, id := range ids {
		out[i] = job.Result{RunID: id, State: job.Succeeded, Message: fmt.Sprint(id)}
	}
	return out
}

func TestEnd_ReturnsAfterTheCommitOfItsBatch(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := start(t)
		begin := time.Now()
		var wg sync.WaitGroup
		for id := range int64(10) {
			wg.Go(func() {
				if err := b.End(t.Context(), results(id)); err != nil {
					t.Errorf("end: %v", err)
				}
				if _, ok := b.ledger.stored()[id]; !ok {
					t.Errorf("run %d acknowledged before it was stored", id)
				}
			})
		}
		wg.Wait()
		require.Equal(t, 20*time.Millisecond, time.Since(begin))
		require.Len(t, b.ledger.batches, 1, "one transaction for all callers")
		require.Len(t, b.fires, 10, "what follows is handed on")
	})
}

func TestEnd_AFullBatchDoesNotLinger(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := start(t, func(c *Config) { c.MaxBatch = 3 })
		begin := time.Now()
		require.NoError(t, b.End(t.Context(), results(1, 2, 3)))
		require.Zero(t, time.Since(begin))
		require.NoError(t, b.End(t.Context(), results(4, 5, 6, 7, 8, 9, 10)))
		for _, batch := range b.ledger.batches {
			require.LessOrEqual(t, len(batch), 3)
		}
		require.Len(t, b.ledger.stored(), 10)
	})
}

func TestEnd_FailsWithinTwoSecondsWhenTheDatabaseIsAway(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		edit func(*fakeLedger)
	}{
		{"refusing", func(l *fakeLedger) { l.away = true }},
		{"hanging", func(l *fakeLedger) { l.hung = true }},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				b := start(t)
				b.ledger.set(c.edit)
				begin := time.Now()
				require.Error(t, b.End(t.Context(), results(1)))
				require.LessOrEqual(t, time.Since(begin), 2*time.Second)

				b.ledger.set(func(l *fakeLedger) { l.away, l.hung = false, false })
				time.Sleep(10 * time.Second)
				require.NoError(t, b.End(t.Context(), results(2)))
				require.NotContains(t, b.ledger.stored(), int64(1), "the executor kept it and sends it again")
			})
		})
	}
}

func TestEnd_RefusesMoreThanItHolds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := start(t, func(c *Config) { c.MaxQueue = 2 })
		require.ErrorIs(t, b.End(t.Context(), results(1, 2, 3)), ErrBusy)
		require.NoError(t, b.End(t.Context(), results(1, 2)))
	})
}

func TestCommit_LogsRunsByTheirIDs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var lines strings.Builder // written by the flusher; read after it has answered
		b := start(t, func(c *Config) {
			c.Log = slog.New(slog.NewTextHandler(&lines, &slog.HandlerOptions{Level: slog.LevelDebug}))
		})
		require.NoError(t, b.End(t.Context(), results(7)))
		require.Contains(t, lines.String(), `level=DEBUG msg="run has ended" component=complete run_id=7 job_id=0 state=succeeded`)
	})
}

func TestEnd_NotesWhenResultsCame(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := start(t)
		came := time.Now()
		require.NoError(t, b.End(t.Context(), results(7)))
		require.Equal(t, came, b.ledger.stored()[7].CameAt)
		require.True(t, came.Before(time.Now()), "not when they were stored")
	})
}

func TestWaiting_IsWhatIsNotStoredYet(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := start(t)
		b.ledger.set(func(l *fakeLedger) { l.away = true })
		b.Report([]job.Ending{{Result: results(1)[0]}, {Result: results(2)[0]}})
		require.Equal(t, 2, b.Waiting())
		b.ledger.set(func(l *fakeLedger) { l.away = false })
		time.Sleep(2 * time.Second)
		synctest.Wait()
		require.Zero(t, b.Waiting())
	})
}

func TestReport_IsTriedUntilItIsStored(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := start(t)
		b.ledger.set(func(l *fakeLedger) { l.away = true })
		b.Report([]job.Ending{{Epoch: 3, Result: results(1)[0]}})
		time.Sleep(2 * time.Minute)
		require.Empty(t, b.ledger.stored())

		b.ledger.set(func(l *fakeLedger) { l.away = false })
		time.Sleep(time.Second + 20*time.Millisecond)
		synctest.Wait()
		require.Equal(t, int32(3), b.ledger.stored()[1].Epoch)
	})
}

func TestAccepted_IsWrittenOnlyForRunsThatLast(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := start(t)
		now := time.Now()
		b.Accepted([]job.Acceptance{{RunID: 1, At: now}, {RunID: 2, At: now}})
		require.NoError(t, b.End(t.Context(), results(1)))
		time.Sleep(time.Second)
		synctest.Wait()
		require.Equal(t, []job.Acceptance{{RunID: 2, At: now}}, b.ledger.running)
		require.Equal(t, now, b.ledger.stored()[1].StartedAt, "the short run keeps when it began")
	})
}

func TestAccepted_WaitsForTheDatabase(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := start(t)
		b.ledger.set(func(l *fakeLedger) { l.away = true })
		b.Accepted([]job.Acceptance{{RunID: 1, At: time.Now()}})
		time.Sleep(time.Minute)
		b.ledger.set(func(l *fakeLedger) { l.away = false })
		time.Sleep(1100 * time.Millisecond)
		synctest.Wait()
		require.Len(t, b.ledger.running, 1)
	})
}

// One result that the database never takes holds back none of the others.
func TestEnd_BisectsABatchThatIsRefused(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := start(t)
		b.ledger.poison = "57"
		ids := make([]int64, 100)
		for i := range ids {
			ids[i] = int64(i)
		}
		var wg sync.WaitGroup
		for _, part := range [][]int64{ids[:50], ids[50:]} {
			wg.Go(func() {
				if err := b.End(t.Context(), results(part...)); err != nil {
					t.Errorf("end: %v", err)
				}
			})
		}
		wg.Wait()
		stored := b.ledger.stored()
		require.Len(t, stored, 100)
		require.Equal(t, job.Failed, stored[57].State)
		require.Equal(t, job.ReasonPoisoned, stored[57].Reason)
		require.Equal(t, job.Succeeded, stored[56].State)
		require.Equal(t, job.Succeeded, stored[58].State)
	})
}

func TestRun_StoresTheRestAtTheEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ledger := &fakeLedger{}
		c, err := New(Config{Store: ledger, Log: slog.New(slog.DiscardHandler), Added: func([]job.Fire) {}})
		require.NoError(t, err)
		ctx, cancel := context.WithCancel(t.Context())
		c.Report([]job.Ending{{Result: results(1)[0]}})
		c.Accepted([]job.Acceptance{{RunID: 2, At: time.Now()}})
		cancel()
		require.NoError(t, c.Run(ctx))
		require.Len(t, ledger.stored(), 1)
		require.Len(t, ledger.running, 1)
		require.ErrorIs(t, c.End(t.Context(), results(3)), ErrBusy, "nothing is taken after the end")
	})
}

func TestClean(t *testing.T) {
	t.Parallel()
	tail := "x\x00" + strings.Repeat("é", maxTail)
	e := clean(job.Ending{Result: job.Result{
		State: job.Running, Message: "a\x00b\xff" + strings.Repeat("語", 20000), Reason: "r\x00", LogTail: &tail,
	}})
	require.Equal(t, job.Failed, e.State, "only a terminal state ends a run")
	require.True(t, strings.HasPrefix(e.Message, "ab\uFFFD語"))
	require.Len(t, []rune(e.Message), maxMessage)
	require.Equal(t, "r", e.Reason)
	require.LessOrEqual(t, len(*e.LogTail), maxTail)
	require.True(t, strings.HasSuffix(*e.LogTail, "éé"))
	require.NotContains(t, *e.LogTail, "\uFFFD")
}

func TestNew_NamesWhatIsMissing(t *testing.T) {
	t.Parallel()
	_, err := New(Config{})
	require.ErrorContains(t, err, "required")
}

func TestEnd_CommitsLongResultsInSmallerBatches(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := start(t)
		var long []job.Result
		for id := range int64(1000) {
			long = append(long, job.Result{RunID: id + 1, State: job.Failed, Message: strings.Repeat("x", maxMessage)})
		}
		require.NoError(t, b.End(t.Context(), long))
		require.Len(t, b.ledger.batches, 4, "15 MB of text, 4 MiB in a transaction")
		for _, batch := range b.ledger.batches {
			require.LessOrEqual(t, len(batch)*maxMessage, maxBatchBytes)
		}
	})
}
