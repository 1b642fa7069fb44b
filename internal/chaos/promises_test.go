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
	j, err := p.make(t.Context(), kind{name: "queued", schedule: Schedule{Type: "NONE"}}, 0)
	require.NoError(t, err)
	j.Serial = true
	trigger := func(param string) {
		id, err := p.api.trigger(t.Context(), j.ID, param)
		require.NoError(t, err)
		p.triggers = append(p.triggers, Trigger{Job: j.ID, Tag: TagOf(param), Run: id, Acked: true})
	}
	accepted := func() bool {
		n, err := w.count(`SELECT count(*) FROM run WHERE state IN (1, 2)`)
		return err == nil && n == 0
	}
	trigger("sleep=5m&tag=first")
	w.await(60*time.Second, "the one that all others wait behind is accepted", accepted)
	for i := range queued {
		trigger(fmt.Sprint("sleep=200ms&tag=q", i))
	}
	w.await(60*time.Second, "all are accepted", accepted)
	from := time.Now()
	w.executors[0].kill9()
	open, err := w.count(`SELECT count(*) FROM run WHERE ended_at IS NULL`)
	require.NoError(t, err)
	require.Equal(t, 1+queued, open)
	require.NoError(t, w.executors[0].start())
	back := time.Now()
	w.await(4*within, "every run has ended", func() bool {
		n, err := w.count(`SELECT count(*) FROM run WHERE ended_at IS NULL`)
		return err == nil && n == 0
	})
	took := w.machine.since(back)
	t.Logf("%d runs were queued at the kill and one ran; all had ended %v after the restart", queued, took.Round(100*time.Millisecond))
	require.Less(t, took, within)
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
			got := f.loseReply(t, p, j.ID, gap)
			windows = append(windows, Window{Fault: "run:reset", From: began, To: time.Now()})
			require.LessOrEqual(t, got.starts, 2, "started more than twice")
			if got.starts == 2 {
				twice++
				require.Greater(t, got.logged, foreignWindow, "outside of the documented window")
			}
			earliest = min(earliest, got.asked)
		}
		asked := "never" // the result came first
		if earliest < time.Hour {
			asked = earliest.Round(time.Millisecond).String()
		}
		t.Logf("%17v | %17s | %d of %d", gap, asked, twice, each)
	}
	judge(t, w.evidence(p, windows), settings{})
}

// foreignWindow is what docs/reliability.md promises: a log that is there so soon after
// the trigger keeps its run from being started again.
const foreignWindow = 3 * time.Second

// lostReply is what came of a run whose answer was lost. Times are from its arrival.
type lostReply struct {
	starts int
	logged time.Duration // its log was there
	asked  time.Duration // first asked for its log; an hour: never
}

// loseReply triggers a run whose answer is lost, and whose log comes so long after it.
func (f *foreign) loseReply(t *testing.T, p *people, job int32, gap time.Duration) lostReply {
	t.Helper()
	f.mu.Lock()
	f.gap = gap
	f.mu.Unlock()
	require.NoError(t, setAll(f.in, Reset))
	tag := fmt.Sprint("f", time.Now().UnixNano())
	id, err := p.api.trigger(t.Context(), job, "tag="+tag)
	require.NoError(t, err)
	p.triggers = append(p.triggers, Trigger{Job: job, Tag: tag, Run: id, Acked: true})
	f.w.await(30*time.Second, "the trigger has arrived and its answer is lost", func() bool {
		n, err := f.w.count(fmt.Sprintf(`SELECT count(*) FROM run WHERE id = %d AND state IN (1, 2)`, id))
		return err == nil && n == 0 && len(f.arrivals(id)) > 0
	})
	require.NoError(t, setAll(f.in, Pass))
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
	arrived := f.arrived[id][0]
	got := lostReply{starts: f.started[id], logged: f.logs[id].Sub(arrived), asked: time.Hour}
	for _, q := range f.questions[id] {
		got.asked = min(got.asked, q.Sub(arrived))
	}
	return got
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
	const hanging, others, turns, most, phase = 50, 30, 3, 6, 20 * time.Second
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
	var e *Evidence
	for len(with) < turns || len(with) < most && delays(e, without, with) {
		without = append(without, w.passes(phase))
		require.NoError(t, p.editAll(t.Context(), stuck, EditStart))
		with = append(with, w.passes(phase))
		require.NoError(t, p.editAll(t.Context(), stuck, EditStop))
		e = w.evidence(p, nil)
	}
	base, disturbed := lateness(e, without...), lateness(e, with...)
	t.Logf("p50 and p99 of the lateness of %d jobs: alone %v and %v (%d starts), beside %d hanging jobs %v and %v (%d starts)",
		others, percentile(base, 50), percentile(base, 99), len(base),
		hanging, percentile(disturbed, 50), percentile(disturbed, 99), len(disturbed))
	for i := range with {
		a, b := percentile(lateness(e, without[i]), 99), percentile(lateness(e, with[i]), 99)
		t.Logf("turn %d: p99 %v alone, %v beside them: %+.0f %%", i+1, a, b, 100*(float64(b)/float64(max(a, time.Millisecond))-1))
	}
	require.False(t, delays(e, without, with), "hanging jobs delay others in every turn")
}

// delays reports whether the p99 of the second windows is more than 20 % above that of
// the first in every pair. All starts of a second are late together, so one that a busy
// machine slept through decides a p99; what hanging jobs cause is there in every turn.
func delays(e *Evidence, without, with []Window) bool {
	for i := range with {
		a, b := percentile(lateness(e, without[i]), 99), percentile(lateness(e, with[i]), 99)
		if b <= max(a*12/10, a+machineNoise) {
			return false
		}
	}
	return true
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

// lateness is that of every witnessed start that was due in one of the windows, sorted,
// but for those during which the machine stood still.
func lateness(e *Evidence, in ...Window) []time.Duration {
	f := newFacts(e)
	var late []time.Duration
	for id, starts := range f.starts {
		r, ok := f.row[id]
		if !ok || f.stalled(r.DueAt, starts[0].At) > 0 {
			continue
		}
		if slices.ContainsFunc(in, func(w Window) bool { return !r.DueAt.Before(w.From) && r.DueAt.Before(w.To) }) {
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
