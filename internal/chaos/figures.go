package chaos

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// Figures tells what was measured, for people.
func Figures(e *Evidence) string {
	f := newFacts(e)
	var b strings.Builder
	states, takeovers, repeats, skipped := map[string]int{}, 0, 0, 0
	for i := range e.Rows {
		r := &e.Rows[i]
		states[stateNames[r.State]]++
		if r.State == stateMisfired {
			skipped += max(1, int(r.RangeCount))
		}
	}
	for _, c := range e.Changes {
		if c.New == stateUnknown && c.Old != stateUnknown {
			takeovers++
		}
	}
	for _, starts := range f.starts {
		repeats += len(starts) - 1
	}
	fmt.Fprintf(&b, "%d rows, %d starts witnessed, %d of them repeated, %d edits, %d triggers by hand, %d doubts\n",
		len(e.Rows), len(e.Starts), repeats, f.edits(), len(e.Triggers), takeovers)
	for _, name := range slices.Sorted(maps.Keys(states)) {
		fmt.Fprintf(&b, "  %-12s %6d\n", name, states[name])
	}
	fmt.Fprintf(&b, "%d instants skipped by misfire strategies\n", skipped)
	f.stalls(&b)
	f.foreignDoubts(&b)
	f.calmLateness(&b)
	f.byFault(&b)
	return b.String()
}

// stalls is how long the machine stood still.
func (f *facts) stalls(b *strings.Builder) {
	sum, longest := time.Duration(0), time.Duration(0)
	for _, w := range f.Stalls {
		sum += w.To.Sub(w.From)
		longest = max(longest, w.To.Sub(w.From))
	}
	fmt.Fprintf(b, "the machine stood still %d times, %v in all, %v at the longest\n",
		len(f.Stalls), sum.Round(time.Millisecond), longest.Round(time.Millisecond))
}

// foreignDoubts measures the window that is left to executors that run a repeated
// trigger again.
func (f *facts) foreignDoubts(b *strings.Builder) {
	doubted, resent, twice, open := 0, 0, 0, 0
	for i := range f.Rows {
		r := &f.Rows[i]
		if j := f.jobsByID[r.Job]; j == nil || !j.Foreign || len(doubts(f.changes[r.ID])) == 0 && !f.givenUp(r) {
			continue
		}
		doubted++
		if r.Resent {
			resent++
		}
		if len(f.starts[r.ID]) > 1 {
			twice++
		}
		if f.givenUp(r) {
			open++
		}
	}
	if doubted > 0 {
		fmt.Fprintf(b, "foreign executor: %d runs in doubt, %d sent again, %d started twice, %d left to the ten-minute rule\n", doubted, resent, twice, open)
	}
}

func (f *facts) edits() int {
	n := 0
	for _, j := range f.Jobs {
		n += len(j.Edits)
	}
	return n
}

// calmLateness is how late undisturbed fires started.
func (f *facts) calmLateness(b *strings.Builder) {
	var late []time.Duration
	for id, starts := range f.starts {
		r, ok := f.row[id]
		if !ok || r.Cause != causeSchedule || f.jobsByID[r.Job] == nil || f.jobsByID[r.Job].Serial {
			continue
		}
		if s := starts[0]; overlap(f.broken, r.DueAt.Add(-calmBefore), s.At) == 0 {
			late = append(late, s.At.Sub(r.DueAt))
		}
	}
	if len(late) == 0 {
		return
	}
	slices.Sort(late)
	fmt.Fprintf(b, "lateness of %d undisturbed starts: p50 %v, p99 %v, max %v\n", len(late),
		percentile(late, 50), percentile(late, 99), percentile(late, 100))
}

// percentile is that of a sorted list, in whole ms.
func percentile(sorted []time.Duration, p int) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[min(len(sorted)-1, len(sorted)*p/100)].Round(time.Millisecond)
}

// effect is what a kind of fault did.
type effect struct {
	times    int
	late     time.Duration // the latest claim of a fire due in it or shortly after
	recovery time.Duration // from its end to the first claim after it
	doubt    time.Duration // the longest time a run stayed unknown after its end
	lost     int
}

// byFault is what each kind of fault did to the fires that were due in it.
func (f *facts) byFault(b *strings.Builder) {
	effects := map[string]*effect{}
	for i, w := range f.Faults {
		x := effects[w.Fault]
		if x == nil {
			x = &effect{}
			effects[w.Fault] = x
		}
		x.times++
		until := w.To.Add(calmBefore)
		if i+1 < len(f.Faults) && f.Faults[i+1].From.Before(until) {
			until = f.Faults[i+1].From
		}
		f.measure(x, w, until)
	}
	fmt.Fprintf(b, "%-20s %5s %12s %12s %12s %5s\n", "fault", "times", "latest claim", "recovery", "doubt", "lost")
	for _, name := range slices.Sorted(maps.Keys(effects)) {
		x := effects[name]
		fmt.Fprintf(b, "%-20s %5d %12v %12v %12v %5d\n", name, x.times,
			x.late.Round(time.Millisecond), x.recovery.Round(time.Millisecond), x.doubt.Round(time.Millisecond), x.lost)
	}
}

func (f *facts) measure(x *effect, w Window, until time.Time) {
	first := until
	for i := range f.Rows {
		r := &f.Rows[i]
		if r.ClaimedAt != nil && r.Shard <= 0 && !r.DueAt.Before(w.From) && r.DueAt.Before(until) {
			x.late = max(x.late, r.ClaimedAt.Sub(r.DueAt))
		}
		if r.ClaimedAt != nil && r.ClaimedAt.After(w.To) && r.ClaimedAt.Before(first) {
			first = *r.ClaimedAt
		}
		if r.State == stateLost && r.EndedAt.After(w.From) && r.EndedAt.Before(until) {
			x.lost++
		}
		for _, d := range doubts(f.changes[r.ID]) {
			if j := f.jobsByID[r.Job]; j != nil && j.Mute {
				break
			}
			if d.to.After(w.To) && d.from.Before(w.To) {
				x.doubt = max(x.doubt, d.to.Sub(w.To))
			}
		}
	}
	x.recovery = max(x.recovery, first.Sub(w.To))
}
