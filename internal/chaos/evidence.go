package chaos

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Evidence is all that was seen of one run of the suite.
type Evidence struct {
	Jobs      []*Job
	Rows      []Row
	Changes   []Change
	Starts    []Start
	Triggers  []Trigger
	Faults    []Window          // in order
	Stalls    []Window          // in which the machine stood still for the suite itself, in order
	Deaths    []Death           // of executors
	Denials   []Denial          // of foreign executors
	Executors map[string]string // address without its slash → name
	Audit     []string          // what the product's own audit calls wrong
}

// Trigger is a run that was asked for by hand. Its tag is in the run's parameter and in
// no other.
type Trigger struct {
	Job   int32
	Tag   string
	Run   int64 // as answered
	Acked bool  // the admin said yes; otherwise nobody knows
}

// Death is the end of an executor process, asked for or not.
type Death struct {
	Executor string
	At       time.Time
}

// Denial is a foreign executor's word that it has no log of a run.
type Denial struct {
	Run int64
	At  time.Time
}

// Kind names a broken promise.
type Kind string

const (
	Missing     Kind = "missing"      // an instant without a row
	Ghost       Kind = "ghost"        // a row or a run that nothing asks for
	DoubledRow  Kind = "doubled row"  // two rows for one instant
	DoubledRun  Kind = "doubled run"  // code started twice for one row
	Early       Kind = "early"        // started before its time
	Late        Kind = "late"         // started late although nothing was broken, or not in the promised time after it
	Stuck       Kind = "stuck"        // open long after everything was healed
	Following   Kind = "follow"       // child or retry doubled or missing
	Mismatch    Kind = "mismatch"     // the ledger tells another end than the witness
	StaleWrite  Kind = "stale write"  // an end, or an epoch, that was overwritten
	Overlap     Kind = "overlap"      // two runs of a job at a time on one executor
	LostResult  Kind = "lost result"  // called lost although its executor lived
	ProcessExit Kind = "process exit" // a process ended by itself
	Audited     Kind = "audit"        // found by the product's own audit, gluewheel doctor
)

// Violation is one broken promise.
type Violation struct {
	Kind Kind
	Job  int32
	Runs []int64 // whose history explains it
	Text string
}

// facts are the evidence, indexed.
type facts struct {
	*Evidence
	row      map[int64]*Row
	rowsOf   map[int32][]*Row // by job, in the order of instants
	changes  map[int64][]Change
	starts   map[int64][]Start
	follows  map[int64][]*Row // rows with this parent
	byTag    map[string][]*Row
	found    []Violation
	jobsByID map[int32]*Job
	broken   []Window // faults and stalls, in order and joined where they meet
}

func newFacts(e *Evidence) *facts {
	f := &facts{
		Evidence: e, row: map[int64]*Row{}, rowsOf: map[int32][]*Row{}, changes: map[int64][]Change{},
		starts: map[int64][]Start{}, follows: map[int64][]*Row{}, byTag: map[string][]*Row{}, jobsByID: map[int32]*Job{},
	}
	for i := range e.Rows {
		r := &e.Rows[i]
		f.row[r.ID] = r
		f.rowsOf[r.Job] = append(f.rowsOf[r.Job], r)
		if r.Parent != nil {
			f.follows[*r.Parent] = append(f.follows[*r.Parent], r)
		}
		if r.Cause == causeManual && r.Param != nil {
			f.byTag[TagOf(*r.Param)] = append(f.byTag[TagOf(*r.Param)], r)
		}
	}
	for _, rows := range f.rowsOf {
		slices.SortStableFunc(rows, func(a, b *Row) int { return a.FireAt.Compare(b.FireAt) })
	}
	for _, c := range e.Changes {
		f.changes[c.Run] = append(f.changes[c.Run], c)
	}
	for _, s := range e.Starts {
		f.starts[s.Run] = append(f.starts[s.Run], s)
	}
	for _, starts := range f.starts {
		slices.SortFunc(starts, func(a, b Start) int { return a.At.Compare(b.At) })
	}
	for _, j := range e.Jobs {
		f.jobsByID[j.ID] = j
	}
	f.broken = joined(append(slices.Clone(e.Faults), e.Stalls...))
	return f
}

// TagOf is the tag in a run's parameter, or empty.
func TagOf(param string) string {
	for part := range strings.SplitSeq(param, "&") {
		if tag, ok := strings.CutPrefix(part, "tag="); ok {
			return tag
		}
	}
	return ""
}

func (f *facts) report(k Kind, job int32, runs []int64, text string, args ...any) {
	f.found = append(f.found, Violation{Kind: k, Job: job, Runs: runs, Text: fmt.Sprintf(text, args...)})
}

// created is when the row was inserted.
func (f *facts) created(r *Row) time.Time {
	if changes := f.changes[r.ID]; len(changes) > 0 {
		return changes[0].At
	}
	return r.FireAt
}

// faulty reports whether a fault was there between two moments.
func (f *facts) faulty(from, to time.Time) bool {
	return slices.ContainsFunc(f.Faults, func(w Window) bool { return w.From.Before(to) && w.To.After(from) })
}

// died reports whether an executor died between two moments.
func (f *facts) died(executor string, from, to time.Time) bool {
	return slices.ContainsFunc(f.Deaths, func(d Death) bool {
		return d.Executor == executor && !d.At.Before(from) && !d.At.After(to)
	})
}

// executor is the name of the one at a row's address.
func (f *facts) executor(r *Row) string { return f.Executors[strings.TrimSuffix(r.Address, "/")] }

// History tells all that is known of a run, for people.
func (e *Evidence) History(run int64) string {
	f := newFacts(e)
	r, ok := f.row[run]
	if !ok {
		return fmt.Sprintf("run %d is not in the ledger; witness: %+v", run, f.starts[run])
	}
	type line struct {
		at   time.Time
		text string
	}
	var lines []line
	for _, c := range f.changes[run] {
		lines = append(lines, line{c.At, "ledger   " + c.String()})
	}
	for _, s := range f.starts[run] {
		lines = append(lines, line{s.At, fmt.Sprintf("witness  %s starts on %s", clock(s.At), s.Executor)})
		if !s.End.IsZero() {
			lines = append(lines, line{s.End, fmt.Sprintf("witness  %s ends %s on %s", clock(s.End), s.How, s.Executor)})
		}
	}
	last := r.FireAt
	for _, l := range lines {
		last = latest(last, l.at)
	}
	for _, w := range e.Faults {
		if w.To.After(r.FireAt.Add(-15*time.Second)) && w.From.Before(last) {
			lines = append(lines,
				line{w.From, fmt.Sprintf("fault    %s %s begins %s", clock(w.From), w.Fault, w.Detail)},
				line{w.To, fmt.Sprintf("fault    %s %s ends", clock(w.To), w.Fault)})
		}
	}
	slices.SortStableFunc(lines, func(a, b line) int { return cmp.Compare(a.at.UnixMicro(), b.at.UnixMicro()) })
	var b strings.Builder
	fmt.Fprintf(&b, "run %d of job %d, planned for %s, due %s, cause %d, shard %d, attempt %d: %s %s %q\n",
		r.ID, r.Job, clock(r.FireAt), clock(r.DueAt), r.Cause, r.Shard, r.Attempt, stateNames[r.State], r.Reason, r.Message)
	for _, l := range lines {
		fmt.Fprintf(&b, "    %s\n", l.text)
	}
	return b.String()
}

// JobHistory tells which schedules a job had, and which rows came of them.
func (e *Evidence) JobHistory(id int32) string {
	f := newFacts(e)
	j, ok := f.jobsByID[id]
	if !ok {
		return fmt.Sprintf("job %d is unknown", id)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "job %d %q, misfire strategy %s\n", j.ID, j.Name, j.Misfire)
	for _, x := range j.Edits {
		fmt.Fprintf(&b, "    %s to %s  %s %s %s\n", clock(x.Before), clock(x.After), x.Kind, x.Schedule.Type, x.Schedule.Conf)
	}
	for _, r := range f.rowsOf[id] {
		if r.scheduled() {
			at, _ := r.handled()
			fmt.Fprintf(&b, "    %s  planned %s, handled %s, %s %s\n",
				clock(r.FireAt), clock(f.created(r)), clock(at), stateNames[r.State], r.Reason)
		}
	}
	return b.String()
}
