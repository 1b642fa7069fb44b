package chaos

import (
	"slices"
	"strings"
	"time"
)

// checkEnd compares how a run ended with what was witnessed.
func (f *facts) checkEnd(r *Row) {
	j := f.jobsByID[r.Job]
	if j == nil || !j.Witnessed {
		return
	}
	starts := f.starts[r.ID]
	if r.notRun() {
		if len(starts) > 0 {
			f.report(Mismatch, r.Job, []int64{r.ID}, "%s (%s), and its code was started", stateNames[r.State], r.Reason)
		}
		return
	}
	f.checkDoubled(j, r, starts)
	var last Start
	if len(starts) > 0 {
		last = starts[len(starts)-1]
	}
	switch r.State {
	case stateSucceeded:
		if last.How != EndOK {
			f.report(Mismatch, r.Job, []int64{r.ID}, "succeeded, and the witness says %q of %d starts", last.How, len(starts))
		}
	case stateFailed, stateTimedOut, stateKilled:
		if last.How == EndOK && !(last.Stopped && r.State != stateFailed) {
			f.report(Mismatch, r.Job, []int64{r.ID}, "%s (%s), and the witness says ok", stateNames[r.State], r.Reason)
		}
	case stateLost:
		f.checkLost(r, starts)
	}
}

// checkDoubled allows a second start to a job that says it may be repeated, once its
// executor crashed or could not be asked any more, and to foreign executors in the window
// that is left to them.
func (f *facts) checkDoubled(j *Job, r *Row, starts []Start) {
	doubted := slices.ContainsFunc(f.changes[r.ID], func(c Change) bool { return c.New == stateUnknown })
	for i := 1; i < len(starts); i++ {
		a, b := starts[i-1], starts[i]
		switch {
		case j.Idempotent && (doubted || a.Executor == b.Executor && f.died(a.Executor, a.At, b.At)):
		case j.Foreign && doubted && len(starts) == 2 && f.inWindow(a, b):
		default:
			f.report(DoubledRun, r.Job, []int64{r.ID}, "started at %s on %s and at %s on %s", clock(a.At), a.Executor, clock(b.At), b.Executor)
		}
	}
}

// inWindow reports whether a foreign executor said, before the first start had its log
// and before the second start, that there was none: only then may a trigger have been
// sent again.
func (f *facts) inWindow(first, second Start) bool {
	return slices.ContainsFunc(f.Denials, func(d Denial) bool {
		return d.Run == first.Run && d.At.Before(first.At) && d.At.Before(second.At)
	})
}

// checkLost wants a reason why nobody knows how the run ended.
func (f *facts) checkLost(r *Row, starts []Start) {
	name := f.executor(r)
	from := r.DueAt.Add(-claimAhead)
	if r.ClaimedAt != nil {
		from = *r.ClaimedAt
	}
	if len(starts) > 0 {
		last := starts[len(starts)-1]
		from = last.At
		if last.How != "" && !f.died(name, last.End, f.past(last.End, durableWithin)) {
			f.report(LostResult, r.Job, []int64{r.ID}, "lost, although it ended %q and %s lived on", last.How, name)
			return
		}
	}
	if len(starts) == 0 && f.deleted(r) && len(doubts(f.changes[r.ID])) > 0 {
		return // "a run in doubt whose job was deleted"
	}
	if !f.died(name, from, *r.EndedAt) {
		f.report(LostResult, r.Job, []int64{r.ID}, "lost, although %s never died", name)
	}
}

// deleted reports whether somebody deleted the job of a run before its end.
func (f *facts) deleted(r *Row) bool {
	j := f.jobsByID[r.Job]
	return j != nil && slices.ContainsFunc(j.Edits, func(e Edit) bool {
		return e.Kind == EditDelete && e.Before.Before(*r.EndedAt)
	})
}

// checkFollowing compares a run's retry, children and shards with what its end asks for.
func (f *facts) checkFollowing(r *Row) {
	j := f.jobsByID[r.Job]
	if j == nil {
		return
	}
	retries, shards, children := 0, []int32{}, map[int32]int{}
	for _, n := range f.follows[r.ID] {
		switch {
		case n.Cause == causeRetry && n.Attempt == r.Attempt+1 && n.FireAt.Equal(r.FireAt) && n.Shard == r.Shard:
			retries++
		case n.Cause == causeParent && n.Attempt == 0:
			children[n.Job]++
		case n.Cause == r.Cause && n.Job == r.Job && r.Shard == shardOfParent && n.FireAt.Equal(r.FireAt):
			shards = append(shards, n.Shard)
		default:
			f.report(Ghost, n.Job, []int64{r.ID, n.ID}, "run %d does not follow from run %d", n.ID, r.ID)
		}
	}
	if want := retriesOf(j, r); retries != want {
		f.report(Following, r.Job, []int64{r.ID}, "%d retries, there must be %d", retries, want)
	}
	f.checkChildren(j, r, children)
	f.checkShards(j, r, shards)
}

func retriesOf(j *Job, r *Row) int {
	again := r.State == stateFailed || r.State == stateTimedOut || r.State == stateLost && j.Idempotent
	if again && r.RetriesLeft > 0 {
		return 1
	}
	return 0
}

func (f *facts) checkChildren(j *Job, r *Row, children map[int32]int) {
	want := 0
	if r.State == stateSucceeded && r.Shard != shardOfParent {
		want = 1
	}
	for _, c := range j.Children {
		if children[c] != want {
			f.report(Following, r.Job, []int64{r.ID}, "%d runs of child %d, there must be %d", children[c], c, want)
		}
	}
	for c := range children {
		if !slices.Contains(j.Children, c) {
			f.report(Ghost, c, []int64{r.ID}, "job %d is no child of job %d", c, j.ID)
		}
	}
}

func (f *facts) checkShards(j *Job, r *Row, shards []int32) {
	if r.Shard != shardOfParent {
		return
	}
	slices.Sort(shards)
	if r.State != stateSucceeded {
		if len(shards) > 0 {
			f.report(Ghost, j.ID, []int64{r.ID}, "%s, and has %d shards", stateNames[r.State], len(shards))
		}
		return
	}
	for i, s := range shards {
		if int(s) != i {
			f.report(DoubledRow, j.ID, []int64{r.ID}, "its shards are %v", shards)
			return
		}
	}
	for _, n := range f.follows[r.ID] {
		if n.Job == r.Job && n.Cause == r.Cause && int(n.ShardTotal) != len(shards) {
			f.report(Missing, j.ID, []int64{r.ID, n.ID}, "%d of %d shards", len(shards), n.ShardTotal)
			return
		}
	}
	if len(shards) == 0 {
		f.report(Missing, j.ID, []int64{r.ID}, "expanded without a shard")
	}
}

// checkStarts looks at what ran, whatever the ledger says.
func (f *facts) checkStarts() {
	for i := range f.Starts {
		s := &f.Starts[i]
		r, ok := f.row[s.Run]
		if !ok || r.Job != s.Job {
			f.report(Ghost, s.Job, []int64{s.Run}, "run %d started at %s on %s, and is not in the ledger", s.Run, clock(s.At), s.Executor)
			continue
		}
		if early := r.DueAt.Sub(s.At); early > clockSlack {
			f.report(Early, r.Job, []int64{r.ID}, "started %v before it was due", early)
		}
		if !f.sentTo(r, s.Executor) {
			f.report(Mismatch, r.Job, []int64{r.ID}, "was sent to %s, and ran on %s", r.Address, s.Executor)
		}
	}
}

// sentTo reports whether a run was sent to an executor: the one that its row names. A
// run that may be repeated may have been sent to others before.
func (f *facts) sentTo(r *Row, executor string) bool {
	if f.executor(r) == executor {
		return true
	}
	j := f.jobsByID[r.Job]
	return j != nil && j.Idempotent && slices.ContainsFunc(f.changes[r.ID], func(c Change) bool {
		return f.Executors[strings.TrimSuffix(c.Address, "/")] == executor
	})
}

// checkOverlap looks for two runs of one serial job at a time on one executor.
func (f *facts) checkOverlap() {
	type place struct {
		executor string
		job      int32
	}
	byPlace := map[place][]Start{}
	for _, s := range f.Starts {
		if j := f.jobsByID[s.Job]; j != nil && j.Serial {
			byPlace[place{s.Executor, s.Job}] = append(byPlace[place{s.Executor, s.Job}], s)
		}
	}
	for p, starts := range byPlace {
		slices.SortFunc(starts, func(a, b Start) int { return a.At.Compare(b.At) })
		for i := 1; i < len(starts); i++ {
			if end := f.endOf(starts[i-1]); end.After(starts[i].At) {
				f.report(Overlap, p.job, []int64{starts[i-1].Run, starts[i].Run}, "both ran on %s at %s", p.executor, clock(starts[i].At))
			}
		}
	}
}

// endOf is when a run ended, or died with its executor.
func (f *facts) endOf(s Start) time.Time {
	if !s.End.IsZero() {
		return s.End
	}
	for _, d := range f.Deaths {
		if d.Executor == s.Executor && d.At.After(s.At) {
			return s.At
		}
	}
	return s.At.Add(time.Hour)
}
