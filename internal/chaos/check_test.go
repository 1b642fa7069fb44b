package chaos

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// at is a moment in seconds after noon.
func at(seconds float64) time.Time { return noon.Add(time.Duration(seconds * float64(time.Second))) }

// story is evidence in which everything is right: a job at a fixed rate of 2 s from
// noon on for 20 s, whose first run fails and is retried, whose successes fire a child,
// and a broadcast; each case of the tests breaks it in one way.
type story struct {
	*Evidence
	nextID int64
}

const (
	steadyJob, childJob, broadcastJob = 1, 2, 3
	address                           = "http://127.0.0.1:9999/"
)

func newStory() *story {
	edits := func(s Schedule) []Edit {
		return []Edit{
			{Kind: EditStart, Schedule: s, Before: at(0), After: at(0.1)},
			{Kind: EditStop, Before: at(20.5), After: at(20.6)},
		}
	}
	s := &story{Evidence: &Evidence{
		Jobs: []*Job{
			{ID: steadyJob, Name: "steady", Edits: edits(Schedule{"FIX_RATE", "2"}), Children: []int32{childJob}, Witnessed: true, Serial: true},
			{ID: childJob, Name: "child", Witnessed: true},
			{ID: broadcastJob, Name: "broadcast", Edits: edits(Schedule{"CRON", "*/10 * * * * ?"}), Broadcast: true, Witnessed: true},
		},
		Executors: map[string]string{"http://127.0.0.1:9999": "executor"},
	}}
	for i := 2; i <= 20; i += 2 {
		first := s.run(Row{Job: steadyJob, FireAt: at(float64(i)), Cause: causeSchedule, RetriesLeft: 1}, EndOK)
		if i == 2 {
			s.endAs(first, stateFailed, EndFail)
			s.run(Row{Job: steadyJob, FireAt: at(2), DueAt: at(2.5), Cause: causeRetry, Attempt: 1, Parent: &first.ID}, EndOK)
		}
	}
	for i := range s.Rows {
		if r := s.Rows[i]; r.Job == steadyJob && r.State == stateSucceeded {
			s.run(Row{Job: childJob, FireAt: *r.EndedAt, Cause: causeParent, Parent: &r.ID}, EndOK)
		}
	}
	for _, i := range []float64{10, 20} {
		parent := s.row(Row{Job: broadcastJob, FireAt: at(i), Cause: causeSchedule, Shard: shardOfParent, State: stateSucceeded})
		for shard := range int32(2) {
			s.run(Row{Job: broadcastJob, FireAt: at(i), Cause: causeSchedule, Shard: shard, ShardTotal: 2, Parent: &parent.ID}, EndOK)
		}
	}
	manual := "tag=m0"
	r := s.run(Row{Job: childJob, FireAt: at(5.25), Cause: causeManual, Param: &manual}, EndOK)
	s.Triggers = []Trigger{{Job: childJob, Tag: "m0", Run: r.ID, Acked: true}, {Job: childJob, Tag: "m1"}}
	return s
}

// row adds a row with the changes that lead to its state.
func (s *story) row(r Row) *Row {
	s.nextID++
	r.ID, r.Address = s.nextID, address
	if r.DueAt.IsZero() {
		r.DueAt = r.FireAt
	}
	claimed, ended := r.DueAt, r.DueAt.Add(300*time.Millisecond)
	r.ClaimedAt, r.EndedAt = &claimed, &ended
	s.Rows = append(s.Rows, r)
	made := r.FireAt.Add(-time.Second)
	if made.Before(at(0.05)) {
		made = at(0.05)
	}
	s.change(r.ID, made, 0, statePlanned, 0)
	s.change(r.ID, claimed, statePlanned, stateDispatching, 1)
	s.change(r.ID, ended, stateDispatching, r.State, 1)
	return &s.Rows[len(s.Rows)-1]
}

func (s *story) change(run int64, when time.Time, from, to int16, epoch int32) {
	s.Changes = append(s.Changes, Change{Seq: int64(len(s.Changes)), Run: run, At: when, Old: from, New: to, Epoch: epoch})
}

// run adds a row whose code ran and succeeded.
func (s *story) run(r Row, how string) Row {
	r.State = stateSucceeded
	added := s.row(r)
	s.Starts = append(s.Starts, Start{Executor: "executor", Run: added.ID, Job: added.Job, At: added.DueAt, End: added.DueAt.Add(200 * time.Millisecond), How: how})
	return *added
}

func (s *story) find(id int64) *Row {
	for i := range s.Rows {
		if s.Rows[i].ID == id {
			return &s.Rows[i]
		}
	}
	return nil
}

// endAs changes how a run ended.
func (s *story) endAs(r Row, state int16, how string) {
	s.find(r.ID).State = state
	for i := range s.Changes {
		if c := &s.Changes[i]; c.Run == r.ID && c.New == stateSucceeded {
			c.New = state
		}
	}
	for i := range s.Starts {
		if s.Starts[i].Run == r.ID {
			s.Starts[i].How = how
		}
	}
}

// fire is the row of a job for an instant.
func (s *story) fire(job int32, seconds float64) *Row {
	for i := range s.Rows {
		if r := &s.Rows[i]; r.Job == job && r.FireAt.Equal(at(seconds)) && r.Attempt == 0 && r.Shard <= 0 {
			return r
		}
	}
	return nil
}

// drop removes a row and all that is known of it.
func (s *story) drop(r *Row) {
	id := r.ID
	s.Rows = without(s.Rows, func(r Row) bool { return r.ID == id })
	s.Changes = without(s.Changes, func(c Change) bool { return c.Run == id })
	s.Starts = without(s.Starts, func(x Start) bool { return x.Run == id })
}

func without[T any](list []T, drop func(T) bool) []T {
	var kept []T
	for _, x := range list {
		if !drop(x) {
			kept = append(kept, x)
		}
	}
	return kept
}

func (s *story) start(run int64) *Start {
	for i := range s.Starts {
		if s.Starts[i].Run == run {
			return &s.Starts[i]
		}
	}
	return nil
}

func (s *story) childOf(run int64) *Row {
	for i := range s.Rows {
		if r := &s.Rows[i]; r.Cause == causeParent && *r.Parent == run {
			return r
		}
	}
	return nil
}

// reschedule gives the broadcast twice as many instants; what was planned for 30 stays.
func (s *story) reschedule() {
	edit := Edit{Kind: EditReschedule, Schedule: Schedule{"CRON", "*/5 * * * * ?"}, Before: at(20.5), After: at(20.6)}
	s.Jobs[2].Edits = []Edit{s.Jobs[2].Edits[0], edit, {Kind: EditStop, Before: at(31), After: at(31.1)}}
	for _, i := range []float64{25, 30} {
		parent := s.row(Row{Job: broadcastJob, FireAt: at(i), Cause: causeSchedule, Shard: shardOfParent, State: stateSucceeded})
		s.run(Row{Job: broadcastJob, FireAt: at(i), Cause: causeSchedule, ShardTotal: 1, Parent: &parent.ID}, EndOK)
		if i == 30 {
			for k := range s.Changes {
				if c := &s.Changes[k]; c.Run == parent.ID && c.Old == 0 {
					c.At = at(20)
				}
			}
		}
	}
}

func TestCheck_RightStory(t *testing.T) {
	t.Parallel()
	require.Empty(t, Check(newStory().Evidence))
}

func TestCheck_NamesWhatIsBroken(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		want   Kind
		breaks func(s *story)
	}{
		"an instant in the middle": {Missing, func(s *story) {
			r := s.fire(steadyJob, 10)
			s.drop(s.childOf(r.ID))
			s.drop(s.fire(steadyJob, 10))
		}},
		"the last instant": {Missing, func(s *story) {
			r := s.fire(steadyJob, 18)
			s.drop(s.childOf(r.ID))
			s.drop(s.fire(steadyJob, 18))
			r = s.fire(steadyJob, 20)
			s.drop(s.childOf(r.ID))
			s.drop(s.fire(steadyJob, 20))
		}},
		"a cron instant": {Missing, func(s *story) {
			s.Jobs[2].Edits[0].Schedule.Conf = "*/5 * * * * ?"
		}},
		"all of a job": {Missing, func(s *story) {
			s.Jobs = append(s.Jobs, &Job{ID: 9, Edits: s.Jobs[0].Edits})
		}},
		"a row between two": {Ghost, func(s *story) {
			r := s.run(Row{Job: steadyJob, FireAt: at(5), Cause: causeSchedule}, EndOK)
			s.run(Row{Job: childJob, FireAt: *r.EndedAt, Cause: causeParent, Parent: &r.ID}, EndOK)
		}},
		"a row after the stop": {Ghost, func(s *story) {
			r := s.run(Row{Job: steadyJob, FireAt: at(22), Cause: causeSchedule}, EndOK)
			s.run(Row{Job: childJob, FireAt: *r.EndedAt, Cause: causeParent, Parent: &r.ID}, EndOK)
			for i := range s.Changes {
				if c := &s.Changes[i]; c.Run == r.ID && c.Old == 0 {
					c.At = at(20)
				}
			}
		}},
		"a run of no row": {Ghost, func(s *story) {
			s.Starts = append(s.Starts, Start{Executor: "executor", Run: 999, Job: steadyJob, At: at(3), End: at(3.1), How: EndOK})
		}},
		"two rows for an instant": {DoubledRow, func(s *story) {
			r := s.run(Row{Job: steadyJob, FireAt: at(8), Cause: causeMisfire}, EndOK)
			s.run(Row{Job: childJob, FireAt: *r.EndedAt, Cause: causeParent, Parent: &r.ID}, EndOK)
		}},
		"a shard twice": {DoubledRow, func(s *story) {
			parent := s.fire(broadcastJob, 10)
			s.run(Row{Job: broadcastJob, FireAt: at(10), Cause: causeSchedule, Shard: 1, ShardTotal: 2, Parent: &parent.ID}, EndOK)
		}},
		"a shard missing": {Missing, func(s *story) {
			parent := s.fire(broadcastJob, 10).ID
			for i := range s.Rows {
				if r := &s.Rows[i]; r.Parent != nil && *r.Parent == parent && r.Shard == 1 {
					s.drop(r)
					return
				}
			}
		}},
		"code started twice": {DoubledRun, func(s *story) {
			x := *s.start(s.fire(steadyJob, 8).ID)
			x.At, x.End = at(9), at(9.1)
			s.Starts = append(s.Starts, x)
		}},
		"a foreign run sent again although its log was there": {DoubledRun, func(s *story) {
			s.Jobs[0].Foreign, s.Jobs[0].Serial = true, false
			r := s.fire(steadyJob, 8)
			x := *s.start(r.ID)
			x.At, x.End = at(9), at(9.1)
			s.Starts = append(s.Starts, x)
			s.Changes = without(s.Changes, func(c Change) bool { return c.Run == r.ID && c.New >= stateSucceeded })
			s.change(r.ID, at(8.1), stateDispatching, stateUnknown, 1)
			s.change(r.ID, at(9.2), stateUnknown, stateSucceeded, 1)
			s.Denials = []Denial{{Run: r.ID, At: at(8.2)}}
		}},
		"a result of a foreign executor that was never taken": {Stuck, func(s *story) {
			s.Jobs[0].Foreign = true
			r := s.fire(steadyJob, 8)
			s.drop(s.childOf(r.ID))
			r = s.fire(steadyJob, 8)
			r.State, r.Resent = stateUnknown, true
			s.Changes = without(s.Changes, func(c Change) bool { return c.Run == r.ID && c.New >= stateSucceeded })
			s.change(r.ID, at(8.1), stateDispatching, stateUnknown, 1)
		}},
		"a timeout of what had ended well": {Mismatch, func(s *story) {
			r := s.fire(steadyJob, 8)
			s.drop(s.childOf(r.ID))
			r = s.fire(steadyJob, 8)
			r.RetriesLeft = 0
			s.endAs(*r, stateTimedOut, EndOK)
		}},
		"claimed after the stop": {Ghost, func(s *story) {
			r := s.fire(steadyJob, 20)
			for i := range s.Changes {
				if c := &s.Changes[i]; c.Run == r.ID && c.New == stateDispatching {
					c.At = at(20.9)
				}
			}
		}},
		"a hole in a backlog": {Missing, func(s *story) {
			// Right before the stop something was broken: only what is behind the newest row
			// may be left out.
			s.Jobs[2].Edits[0].Schedule.Conf = "*/5 * * * * ?"
			s.Faults = []Window{{Fault: "pg-kill", From: at(1), To: at(20)}}
		}},
		"the beginning of a new schedule": {Missing, func(s *story) {
			s.reschedule()
			s.drop(s.fire(broadcastJob, 25))
		}},
		"a row of the old schedule that the new one has": {Missing, func(s *story) {
			s.reschedule()
			r := s.fire(broadcastJob, 30)
			ended := at(20.55)
			r.State, r.EndedAt = stateCancelled, &ended
		}},
		"something that the doctor found": {Audited, func(s *story) { s.Audit = []string{"stuck: a run"} }},
		"started early":                   {Early, func(s *story) { s.start(s.fire(steadyJob, 8).ID).At = at(7.5) }},
		"claimed late": {Late, func(s *story) {
			late := at(13.5)
			s.fire(steadyJob, 8).ClaimedAt = &late
		}},
		"claimed late although the machine stood still": {Late, func(s *story) {
			s.Stalls = []Window{{From: at(8.1), To: at(9)}}
			late := at(12.5)
			s.fire(steadyJob, 8).ClaimedAt = &late
		}},
		"claimed late after a kill": {Late, func(s *story) {
			s.Faults = []Window{{Fault: "admin-kill", From: at(7), To: at(9)}}
			late := at(15.5)
			s.fire(steadyJob, 8).ClaimedAt = &late
		}},
		"never claimed, then cancelled": {Late, func(s *story) {
			r := s.fire(steadyJob, 8)
			s.drop(s.childOf(r.ID))
			r = s.fire(steadyJob, 8)
			ended := at(20.55)
			s.endAs(*r, stateCancelled, "")
			r.ClaimedAt, r.EndedAt = nil, &ended
			s.Starts = without(s.Starts, func(x Start) bool { return x.Run == r.ID })
		}},
		"not taken up after a fault": {Late, func(s *story) {
			s.Faults = []Window{{Fault: "pg-kill", From: at(7), To: at(8)}, {Fault: "admin-kill", From: at(8.5), To: at(9)}}
			late := at(19.5)
			s.fire(steadyJob, 8).ClaimedAt = &late
		}},
		"unknown for long": {Late, func(s *story) {
			r := s.fire(steadyJob, 8)
			s.Changes = without(s.Changes, func(c Change) bool { return c.Run == r.ID && c.New >= stateSucceeded })
			s.change(r.ID, at(8.1), stateDispatching, stateUnknown, 1)
			s.change(r.ID, at(48), stateUnknown, stateSucceeded, 1)
		}},
		"open": {Stuck, func(s *story) {
			r := s.fire(steadyJob, 8)
			s.drop(s.childOf(r.ID))
			r = s.fire(steadyJob, 8)
			r.State = stateRunning
			s.Changes = without(s.Changes, func(c Change) bool { return c.Run == r.ID && c.New >= stateSucceeded })
			s.change(r.ID, at(8.1), stateDispatching, stateRunning, 1)
		}},
		"a child missing": {Following, func(s *story) { s.drop(s.childOf(s.fire(steadyJob, 8).ID)) }},
		"a child twice": {Following, func(s *story) {
			r := s.fire(steadyJob, 8)
			s.run(Row{Job: childJob, FireAt: at(9), Cause: causeParent, Parent: &r.ID}, EndOK)
		}},
		"a retry missing": {Following, func(s *story) {
			r := s.fire(steadyJob, 8)
			s.drop(s.childOf(r.ID))
			s.endAs(*s.fire(steadyJob, 8), stateFailed, EndFail)
		}},
		"success without a run": {Mismatch, func(s *story) {
			id := s.fire(steadyJob, 8).ID
			s.Starts = without(s.Starts, func(x Start) bool { return x.Run == id })
		}},
		"success of a failure": {Mismatch, func(s *story) { s.start(s.fire(steadyJob, 8).ID).How = EndFail }},
		"a refusal that ran": {Mismatch, func(s *story) {
			r := s.fire(steadyJob, 8)
			s.drop(s.childOf(r.ID))
			r = s.fire(steadyJob, 8)
			r.RetriesLeft, r.Reason = 0, "unreachable"
			s.endAs(*r, stateFailed, EndFail)
		}},
		"run elsewhere":    {Mismatch, func(s *story) { s.start(s.fire(steadyJob, 8).ID).Executor = "another" }},
		"a lost trigger":   {Missing, func(s *story) { s.Triggers[1].Acked = true }},
		"an end rewritten": {StaleWrite, func(s *story) { r := s.fire(steadyJob, 8); s.change(r.ID, at(9), stateSucceeded, stateFailed, 1) }},
		"an epoch that falls": {StaleWrite, func(s *story) {
			for i := range s.Changes {
				if c := &s.Changes[i]; c.Run == s.fire(steadyJob, 8).ID && c.New == stateSucceeded {
					c.Epoch = 0
				}
			}
		}},
		"two at a time": {Overlap, func(s *story) { s.start(s.fire(steadyJob, 8).ID).End = at(10.1) }},
		"lost while its executor lived": {LostResult, func(s *story) {
			r := s.fire(steadyJob, 8)
			s.drop(s.childOf(r.ID))
			s.endAs(*s.fire(steadyJob, 8), stateLost, "")
		}},
		"skipped in time": {Missing, func(s *story) {
			r := s.fire(steadyJob, 8)
			s.drop(s.childOf(r.ID))
			s.endAs(*s.fire(steadyJob, 8), stateMisfired, "")
			id := s.fire(steadyJob, 8).ID
			s.Starts = without(s.Starts, func(x Start) bool { return x.Run == id })
		}},
		"cancelled by nobody": {Missing, func(s *story) {
			r := s.fire(steadyJob, 8)
			s.drop(s.childOf(r.ID))
			s.endAs(*s.fire(steadyJob, 8), stateCancelled, "")
			id := s.fire(steadyJob, 8).ID
			s.Starts = without(s.Starts, func(x Start) bool { return x.Run == id })
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStory()
			tc.breaks(s)
			found := Check(s.Evidence)
			var kinds []Kind
			for _, v := range found {
				kinds = append(kinds, v.Kind)
				for _, run := range v.Runs {
					require.NotEmpty(t, s.History(run))
				}
			}
			require.Contains(t, kinds, tc.want, "%v", found)
		})
	}
}

func TestCheck_AllowsWhatWasPromised(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(s *story){
		"lost with its executor": func(s *story) {
			r := s.fire(steadyJob, 8)
			s.drop(s.childOf(r.ID))
			r = s.fire(steadyJob, 8)
			s.endAs(*r, stateLost, "")
			s.start(r.ID).End = time.Time{}
			s.Deaths = []Death{{"executor", at(8.1)}}
		},
		"repeated by a job that may be": func(s *story) {
			s.Jobs[0].Idempotent = true
			x := *s.start(s.fire(steadyJob, 8).ID)
			x.At, x.End = at(9), at(9.1)
			s.Starts = append(s.Starts, x)
			s.Deaths = []Death{{"executor", at(8.5)}}
		},
		"repeated by a foreign executor in doubt": func(s *story) {
			s.Jobs[0].Foreign, s.Jobs[0].Serial = true, false
			r := s.fire(steadyJob, 8)
			x := *s.start(r.ID)
			x.At, x.End = at(9), at(9.1)
			s.Starts = append(s.Starts, x)
			s.Changes = without(s.Changes, func(c Change) bool { return c.Run == r.ID && c.New >= stateSucceeded })
			s.change(r.ID, at(8.1), stateDispatching, stateUnknown, 1)
			s.change(r.ID, at(9.2), stateUnknown, stateSucceeded, 1)
			s.Denials = []Denial{{Run: r.ID, At: at(7.9)}}
		},
		"a new schedule that keeps a row of the old one": func(s *story) { s.reschedule() },
		"a row planned while the edit was under way": func(s *story) {
			edit := Edit{Kind: EditReschedule, Schedule: Schedule{"FIX_RATE", "3"}, Before: at(15), After: at(20.2)}
			s.Jobs[0].Edits = []Edit{s.Jobs[0].Edits[0], edit, {Kind: EditStop, Before: at(20.9), After: at(21)}}
		},
		"claimed when the job was stopped, and given back": func(s *story) {
			r := s.fire(steadyJob, 20)
			s.drop(s.childOf(r.ID))
			s.drop(s.fire(steadyJob, 20))
			r = s.row(Row{Job: steadyJob, FireAt: at(20), DueAt: at(20), Cause: causeSchedule, State: stateCancelled})
			ended := at(22)
			r.EndedAt = &ended
			s.Changes = without(s.Changes, func(c Change) bool { return c.Run == r.ID && c.New == stateCancelled })
			s.change(r.ID, at(21.9), stateDispatching, statePlanned, 1)
			s.change(r.ID, ended, statePlanned, stateCancelled, 1)
		},
		"a range of skipped instants": func(s *story) {
			for _, i := range []float64{8, 10, 12} {
				r := s.fire(steadyJob, i)
				s.drop(s.childOf(r.ID))
				s.drop(s.fire(steadyJob, i))
			}
			r := s.row(Row{Job: steadyJob, FireAt: at(8), Cause: causeSchedule, State: stateMisfired, RangeCount: 3})
			to, ended := at(12), at(18)
			r.RangeTo, r.EndedAt = &to, &ended
			s.Changes = without(s.Changes, func(c Change) bool { return c.Run == r.ID })
			s.change(r.ID, ended, 0, stateMisfired, 0)
		},
		"late while something was broken": func(s *story) {
			s.Faults = []Window{{Fault: "pg-kill", From: at(7), To: at(13)}}
			late := at(14)
			s.fire(steadyJob, 8).ClaimedAt = &late
		},
		"in doubt when the job was deleted, and not at its executor": func(s *story) {
			r := s.fire(steadyJob, 20)
			s.drop(s.childOf(r.ID))
			r = s.fire(steadyJob, 20)
			s.endAs(*r, stateLost, "")
			s.Starts = without(s.Starts, func(x Start) bool { return x.Run == r.ID })
			ended := at(65)
			r.EndedAt = &ended
			s.Changes = without(s.Changes, func(c Change) bool { return c.Run == r.ID && c.New == stateLost })
			s.change(r.ID, at(21), stateDispatching, stateUnknown, 2)
			s.change(r.ID, ended, stateUnknown, stateLost, 2)
			s.Jobs[0].Edits[1].Kind = EditDelete
		},
		"killed in the moment of its end": func(s *story) {
			r := s.fire(steadyJob, 8)
			s.drop(s.childOf(r.ID))
			s.endAs(*s.fire(steadyJob, 8), stateKilled, EndOK)
			s.start(r.ID).Stopped = true
		},
		"late because the machine stood still": func(s *story) {
			s.Stalls = []Window{{From: at(8.1), To: at(11)}, {From: at(11.2), To: at(13)}}
			late := at(14)
			s.fire(steadyJob, 8).ClaimedAt = &late
		},
		"lost as the machine stood still before the result was written": func(s *story) {
			r := s.fire(steadyJob, 8)
			s.drop(s.childOf(r.ID))
			r = s.fire(steadyJob, 8)
			s.endAs(*r, stateLost, EndOK)
			s.Stalls = []Window{{From: at(8.25), To: at(9)}}
			s.Deaths = []Death{{"executor", at(9.1)}}
			ended := at(10)
			r.EndedAt = &ended
		},
		"cancelled by the stop": func(s *story) {
			r := s.row(Row{Job: steadyJob, FireAt: at(22), Cause: causeSchedule, State: stateCancelled})
			ended := at(20.55)
			r.EndedAt = &ended
			s.Changes = without(s.Changes, func(c Change) bool { return c.Run == r.ID })
			s.change(r.ID, at(19), 0, statePlanned, 0)
			s.change(r.ID, ended, statePlanned, stateCancelled, 0)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStory()
			change(s)
			require.Empty(t, Check(s.Evidence))
		})
	}
}
