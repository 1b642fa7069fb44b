//go:build chaos

package chaos

import (
	"context"
	"fmt"
	"io"
	"net"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestKilledQueue kills an executor that has a queue of twenty: each of them must be
// explained within 15 s of its return.
func TestKilledQueue(t *testing.T) {
	const queued, within = 20, 15 * time.Second
	w := newWorld(t, build(t), 2, 1)
	p, err := arrive(t.Context(), w, 1)
	require.NoError(t, err)
	j, err := p.make(t.Context(), kind{name: "queued", schedule: Schedule{Type: "NONE"}, fields: map[string]any{"param": "sleep=400ms"}}, 0)
	require.NoError(t, err)
	j.Serial = true
	for i := range queued {
		tag := fmt.Sprint("q", i)
		id, err := p.api.trigger(t.Context(), j.ID, "sleep=400ms&tag="+tag)
		require.NoError(t, err)
		p.triggers = append(p.triggers, Trigger{Job: j.ID, Tag: tag, Run: id, Acked: true})
	}
	w.await(20*time.Second, "all are accepted", func() bool {
		n, err := w.count(`SELECT count(*) FROM run WHERE state IN (1, 2)`)
		return err == nil && n == 0
	})
	from := time.Now()
	w.executors[0].kill9()
	open, err := w.count(`SELECT count(*) FROM run WHERE ended_at IS NULL`)
	require.NoError(t, err)
	require.Greater(t, open, queued/2, "the queue was empty before the kill")
	require.NoError(t, w.executors[0].start())
	back := time.Now()
	w.await(within, "every run has ended", func() bool {
		n, err := w.count(`SELECT count(*) FROM run WHERE ended_at IS NULL`)
		return err == nil && n == 0
	})
	t.Logf("%d runs were queued at the kill; all had ended %v after the restart", open, time.Since(back).Round(100*time.Millisecond))
	judge(t, w.evidence(p, []Window{{Fault: "executor-kill", From: from, To: back}}), settings{})
}

// TestForeignWindow measures the window in which a run of an executor of XXL-JOB's kind
// may be doubled: its answer is lost, and its log is not there when it is asked for.
func TestForeignWindow(t *testing.T) {
	const each = 4
	w := newWorld(t, build(t), 2, 1)
	p, err := arrive(t.Context(), w, 1)
	require.NoError(t, err)
	j, err := p.make(t.Context(), kind{name: "foreign", schedule: Schedule{Type: "NONE"}, fields: map[string]any{"group_id": p.foreign}}, 0)
	require.NoError(t, err)
	j.Foreign = true
	f := w.foreign[0]
	t.Log("log written after | asked first after | runs started twice")
	var windows []Window
	for _, gap := range []time.Duration{0, 100 * time.Millisecond, time.Second, 2 * time.Second, 6 * time.Second} {
		twice, earliest := 0, time.Hour
		for range each {
			began := time.Now()
			starts, asked := f.loseReply(t, p, j.ID, gap)
			windows = append(windows, Window{Fault: "run:reset", From: began, To: time.Now()})
			require.LessOrEqual(t, starts, 2, "started more than twice")
			if starts == 2 {
				twice++
			}
			earliest = min(earliest, asked)
		}
		asked := "never" // the result came first
		if earliest < time.Hour {
			asked = earliest.Round(time.Millisecond).String()
		}
		t.Logf("%17v | %17s | %d of %d", gap, asked, twice, each)
		if gap < foreignWindow {
			require.Zero(t, twice, "outside of the documented window of %v", foreignWindow)
		}
	}
	judge(t, w.evidence(p, windows), settings{})
}

// foreignWindow is what docs/reliability.md promises: a log that is there so soon after
// the trigger keeps its run from being started again.
const foreignWindow = 3 * time.Second

// loseReply triggers a run whose answer is lost, and tells how often it started and when
// it was first asked about: an hour, if that was not seen.
func (f *foreign) loseReply(t *testing.T, p *people, job int32, gap time.Duration) (starts int, asked time.Duration) {
	t.Helper()
	f.mu.Lock()
	f.gap = gap
	f.mu.Unlock()
	require.NoError(t, f.in.Set(Reset))
	tag := fmt.Sprint("f", time.Now().UnixNano())
	id, err := p.api.trigger(t.Context(), job, "tag="+tag)
	require.NoError(t, err)
	p.triggers = append(p.triggers, Trigger{Job: job, Tag: tag, Run: id, Acked: true})
	f.w.await(10*time.Second, "the trigger arrives", func() bool { return len(f.arrivals(id)) > 0 })
	time.Sleep(100 * time.Millisecond) // the answer is on its way
	require.NoError(t, f.in.Set(Pass))
	f.w.await(60*time.Second, "the run has ended", func() bool {
		n, err := f.w.count(fmt.Sprintf(`SELECT count(*) FROM run WHERE id = %d AND ended_at IS NULL`, id))
		return err == nil && n == 0
	})
	f.w.await(30*time.Second, "the queue is empty", func() bool {
		f.mu.Lock()
		defer f.mu.Unlock()
		return len(f.queued) == 0 && f.busy == 0
	})
	f.mu.Lock()
	defer f.mu.Unlock()
	asked = time.Hour
	for _, q := range f.questions[id] {
		asked = min(asked, q.Sub(f.arrived[id][0]))
	}
	return f.started[id], asked
}

func (f *foreign) arrivals(run int64) []time.Time {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.arrived[run])
}

// TestHangingJobs measures what fifty jobs whose executor accepts connections and never
// answers do to the lateness of all others: phases with and without them take turns, so
// that whatever else the machine does weighs on both.
func TestHangingJobs(t *testing.T) {
	const hanging, others, turns, phase = 50, 30, 3, 20 * time.Second
	w := newWorld(t, build(t), 2, 3)
	p, err := arrive(t.Context(), w, 1)
	require.NoError(t, err)
	for i := range others {
		j, err := p.make(t.Context(), kind{name: "other", schedule: rate(1)}, i)
		require.NoError(t, err)
		require.NoError(t, p.edit(t.Context(), j, EditStart, rate(1)))
	}
	group, err := p.api.group(t.Context(), map[string]any{"app_name": "hanging", "title": "hanging", "address_type": 1, "address_list": []string{w.addBlackHole()}})
	require.NoError(t, err)
	var stuck []*Job
	for i := range hanging {
		j, err := p.make(t.Context(), kind{name: "hanging", schedule: rate(1), fields: map[string]any{"group_id": group}}, i)
		require.NoError(t, err)
		j.Witnessed = false
		stuck = append(stuck, j)
	}
	time.Sleep(10 * time.Second) // what starts has started
	var without, with []Window
	for range turns {
		without = append(without, w.passes(phase))
		require.NoError(t, p.editAll(t.Context(), stuck, EditStart))
		with = append(with, w.passes(phase))
		require.NoError(t, p.editAll(t.Context(), stuck, EditStop))
	}
	require.NoError(t, p.stopAll(t.Context()))
	e := w.evidence(p, nil)
	base, disturbed := lateness(e, without...), lateness(e, with...)
	t.Logf("p50 and p99 of the lateness of %d jobs: alone %v and %v (%d starts), beside %d hanging jobs %v and %v (%d starts)",
		others, percentile(base, 50), percentile(base, 99), len(base),
		hanging, percentile(disturbed, 50), percentile(disturbed, 99), len(disturbed))
	// All starts of a second are late together, so one that the machine slept through
	// decides a p99. What hanging jobs cause is there in every turn; that is not.
	least := time.Hour
	for i := range turns {
		a, b := percentile(lateness(e, without[i]), 99), percentile(lateness(e, with[i]), 99)
		t.Logf("turn %d: p99 %v alone, %v beside them: %+.0f %%", i+1, a, b, 100*(float64(b)/float64(max(a, time.Millisecond))-1))
		least = min(least, b-max(a*12/10, a+machineNoise))
	}
	require.LessOrEqual(t, least, time.Duration(0), "hanging jobs delay others in every turn")
}

// machineNoise is what two measurements of one p99 differ by on a machine with two cores
// that does other work too.
const machineNoise = 25 * time.Millisecond

func (w *world) passes(d time.Duration) Window {
	from := time.Now()
	time.Sleep(d)
	return Window{From: from, To: time.Now()}
}

func (p *people) editAll(ctx context.Context, jobs []*Job, k EditKind) error {
	for _, j := range jobs {
		var s Schedule
		if k == EditStart {
			s = p.scheduleOf(j)
		}
		if err := p.edit(ctx, j, k, s); err != nil {
			return err
		}
	}
	return nil
}

// lateness is that of every witnessed start that was due in one of the windows, sorted.
func lateness(e *Evidence, in ...Window) []time.Duration {
	f := newFacts(e)
	var late []time.Duration
	for id, starts := range f.starts {
		r, ok := f.row[id]
		if ok && slices.ContainsFunc(in, func(w Window) bool { return !r.DueAt.Before(w.From) && r.DueAt.Before(w.To) }) {
			late = append(late, starts[0].At.Sub(r.DueAt))
		}
	}
	slices.Sort(late)
	return late
}

// addBlackHole listens and never answers.
func (w *world) addBlackHole() string {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(w.t, err)
	var work sync.WaitGroup
	ctx, stop := context.WithCancel(context.Background())
	work.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			work.Go(func() {
				defer context.AfterFunc(ctx, func() { conn.Close() })()
				_, _ = io.Copy(io.Discard, conn)
				conn.Close()
			})
		}
	})
	w.t.Cleanup(func() {
		stop()
		listener.Close()
		work.Wait()
	})
	return fmt.Sprintf("http://%s/", listener.Addr())
}
