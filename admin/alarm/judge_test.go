package alarm

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/admin/job"
)

var now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func rule(edit ...func(*job.AlarmRule)) job.AlarmRule {
	r := job.AlarmRule{
		ID: 1, Name: "r", On: []job.AlarmEvent{job.AlarmFailure}, Threshold: 1, WindowS: 300, RatePct: 50,
		SilenceS: 300, LateMS: 5000, ChannelIDs: []int32{1}, Enabled: true,
	}
	for _, e := range edit {
		e(&r)
	}
	return r
}

func hears(events ...job.AlarmEvent) func(*job.AlarmRule) {
	return func(r *job.AlarmRule) { r.On = events }
}

func aSign(jobID int32, state job.State, edit ...func(*job.AlarmSign)) job.AlarmSign {
	g := job.AlarmSign{RunID: int64(jobID) * 100, JobID: jobID, GroupID: 7, State: state, At: now.Add(-time.Second), JobName: "nightly", AppName: "app"}
	for _, e := range edit {
		e(&g)
	}
	return g
}

func view(r job.AlarmRule, signs ...job.AlarmSign) job.AlarmView {
	return job.AlarmView{
		Now: now, Rules: []job.AlarmRule{r}, Signs: signs, States: map[job.AlarmKey]job.AlarmState{},
		Counts: map[job.AlarmKey]int{}, Shares: map[job.AlarmKey]job.AlarmShare{}, Succeeded: map[job.AlarmKey]time.Time{},
	}
}

func TestJudge_WhatARuleHears(t *testing.T) {
	t.Parallel()
	group := int32(8)
	late := func(ms int32) func(*job.AlarmSign) { return func(g *job.AlarmSign) { g.LateMS = ms } }
	because := func(reason string) func(*job.AlarmSign) { return func(g *job.AlarmSign) { g.Reason = reason } }
	retried := func(g *job.AlarmSign) { g.RetriesLeft = 2 }
	for name, c := range map[string]struct {
		rule  job.AlarmRule
		sign  job.AlarmSign
		event job.AlarmEvent // "" = silence
	}{
		"failure":                  {rule(), aSign(1, job.Failed), job.AlarmFailure},
		"timeout":                  {rule(), aSign(1, job.TimedOut), job.AlarmFailure},
		"kill":                     {rule(), aSign(1, job.Killed), job.AlarmFailure},
		"failure that is retried":  {rule(), aSign(1, job.Failed, retried), ""},
		"each attempt":             {rule(func(r *job.AlarmRule) { r.EachAttempt = true }), aSign(1, job.Failed, retried), job.AlarmFailure},
		"lost is not retried":      {rule(hears(job.AlarmLost)), aSign(1, job.Lost, retried), job.AlarmLost},
		"lost is not a failure":    {rule(), aSign(1, job.Lost), ""},
		"misfire":                  {rule(hears(job.AlarmMisfire)), aSign(1, job.Misfired), job.AlarmMisfire},
		"misfire is not a failure": {rule(), aSign(1, job.Misfired), ""},
		"no executor":              {rule(hears(job.AlarmNoExecutor)), aSign(1, job.Failed, because(job.ReasonNoExecutor)), job.AlarmNoExecutor},
		"no executor for failures": {rule(), aSign(1, job.Failed, because(job.ReasonNoExecutor)), job.AlarmFailure},
		"no executor and failures": {
			rule(hears(job.AlarmFailure, job.AlarmNoExecutor)), aSign(1, job.Failed, because(job.ReasonNoExecutor)), job.AlarmNoExecutor,
		},
		"no executor for what is lost":   {rule(hears(job.AlarmLost)), aSign(1, job.Failed, because(job.ReasonNoExecutor)), ""},
		"late":                           {rule(hears(job.AlarmLate)), aSign(1, job.Planned, late(5000)), job.AlarmLate},
		"late for another rule's bound":  {rule(hears(job.AlarmLate)), aSign(1, job.Planned, late(9000)), ""},
		"another group":                  {rule(func(r *job.AlarmRule) { r.GroupID = &group }), aSign(1, job.Failed), ""},
		"another job":                    {rule(func(r *job.AlarmRule) { r.JobIDs = []int32{2} }), aSign(1, job.Failed), ""},
		"one of the jobs":                {rule(func(r *job.AlarmRule) { r.JobIDs = []int32{1} }), aSign(1, job.Failed), job.AlarmFailure},
		"below the threshold, not known": {rule(func(r *job.AlarmRule) { r.Threshold = 2 }), aSign(1, job.Failed), ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := Judge(view(c.rule, c.sign))
			if c.event == "" {
				require.Empty(t, got.Messages)
				require.Empty(t, got.States)
				return
			}
			require.Len(t, got.Messages, 1)
			require.Equal(t, c.event, got.Messages[0].Event)
			require.Len(t, got.States, 1)
			require.True(t, got.States[0].Firing)
		})
	}
}

func TestJudge_ThresholdAndRate(t *testing.T) {
	t.Parallel()
	key := job.AlarmKey{RuleID: 1, JobID: 1}
	v := view(rule(func(r *job.AlarmRule) { r.Threshold = 3 }), aSign(1, job.Failed))
	v.Counts[key] = 2
	require.Empty(t, Judge(v).Messages)
	v.Counts[key] = 3
	require.Len(t, Judge(v).Messages, 1)

	v = view(rule(hears(job.AlarmFailureRate), func(r *job.AlarmRule) { r.Threshold, r.RatePct = 10, 20 }), aSign(1, job.Failed))
	v.Shares[key] = job.AlarmShare{Total: 9, Failed: 9}
	require.Empty(t, Judge(v).Messages, "too few runs to tell")
	v.Shares[key] = job.AlarmShare{Total: 100, Failed: 19}
	require.Empty(t, Judge(v).Messages)
	v.Shares[key] = job.AlarmShare{Total: 100, Failed: 20}
	got := Judge(v)
	require.Len(t, got.Messages, 1)
	require.Equal(t, job.AlarmFailureRate, got.Messages[0].Event)
	require.Equal(t, 20, got.Messages[0].Items[0].Failed)
}

func TestJudge_SilenceCountsWhatItHides(t *testing.T) {
	t.Parallel()
	key := job.AlarmKey{RuleID: 1, JobID: 1}
	first := Judge(view(rule(), aSign(1, job.Failed)))
	require.Len(t, first.Messages, 1)

	v := view(rule(), aSign(1, job.Failed), aSign(1, job.Failed))
	v.States[key], v.Now = first.States[0], now.Add(299*time.Second)
	hidden := Judge(v)
	require.Empty(t, hidden.Messages)
	require.EqualValues(t, 2, hidden.States[0].Suppressed)

	v = view(rule(), aSign(1, job.Failed))
	v.States[key], v.Now = hidden.States[0], now.Add(300*time.Second)
	told := Judge(v)
	require.Len(t, told.Messages, 1)
	require.Equal(t, 2, told.Messages[0].Items[0].Suppressed)
	require.Zero(t, told.States[0].Suppressed)
}

func TestJudge_Recovery(t *testing.T) {
	t.Parallel()
	key := job.AlarmKey{RuleID: 1, JobID: 1}
	both := rule(hears(job.AlarmFailure, job.AlarmRecovery))
	fired := Judge(view(both, aSign(1, job.Failed))).States[0]

	v := view(both)
	v.States[key], v.Succeeded[key] = fired, now
	got := Judge(v)
	require.Len(t, got.Messages, 1)
	require.Equal(t, job.AlarmRecovery, got.Messages[0].Event)
	require.Equal(t, "nightly", got.Messages[0].Items[0].JobName)
	require.False(t, got.States[0].Firing)

	v = view(both, aSign(1, job.Failed))
	v.States[key], v.Succeeded[key] = fired, now
	got = Judge(v)
	require.Empty(t, got.Messages, "failed again within the silence")
	require.True(t, got.States[0].Firing)

	v = view(rule())
	v.States[key], v.Succeeded[key] = fired, now
	got = Judge(v)
	require.Empty(t, got.Messages, "the rule does not hear it")
	require.False(t, got.States[0].Firing, "but its next failure is a new alarm")
}

func TestJudge_GroupsJobsIntoOneMessage(t *testing.T) {
	t.Parallel()
	var signs []job.AlarmSign
	for id := range int32(25) {
		signs = append(signs, aSign(id+1, job.Failed), aSign(id+1, job.Failed))
	}
	got := Judge(view(rule(), signs...))
	require.Len(t, got.Messages, 1)
	require.Len(t, got.Messages[0].Items, job.MaxAlarmItems)
	require.Equal(t, 5, got.Messages[0].More)
	require.Equal(t, 2, got.Messages[0].Items[0].Count)
	require.Len(t, got.States, 25)
}

// rounds judges one rule again and again, as the store does: what it remembers and has
// gathered goes into the next round.
type rounds struct {
	rule    job.AlarmRule
	states  map[job.AlarmKey]job.AlarmState
	windows map[int32]job.AlarmWindow
}

func newRounds(r job.AlarmRule) *rounds {
	return &rounds{rule: r, states: map[job.AlarmKey]job.AlarmState{}, windows: map[int32]job.AlarmWindow{}}
}

// at judges the signs of a moment, and the success of jobs.
func (r *rounds) at(second int, signs []job.AlarmSign, well ...int32) []job.AlarmMessage {
	v := view(r.rule, signs...)
	v.Now, v.States, v.Windows = now.Add(time.Duration(second)*time.Second), r.states, r.windows
	for _, id := range well {
		if key := (job.AlarmKey{RuleID: 1, JobID: id}); r.states[key].Firing {
			v.Succeeded[key] = v.Now
		}
	}
	got := Judge(v)
	for _, s := range got.States {
		r.states[s.Key()] = s
	}
	for _, id := range got.Closed {
		delete(r.windows, id)
	}
	for _, g := range got.Gathered {
		w := r.windows[g.RuleID]
		w.OpenedAt = g.OpenedAt
		w.Items = append(slices.DeleteFunc(w.Items, same(g.Item)), g.Item)
		r.windows[g.RuleID] = w
	}
	return got.Messages
}

func bad(jobs ...int32) (signs []job.AlarmSign) {
	for _, id := range jobs {
		signs = append(signs, aSign(id, job.Failed))
	}
	return signs
}

// told is what messages say, an item a line: event, job, count and what was hidden.
func told(messages []job.AlarmMessage) (lines []string) {
	for _, m := range messages {
		for _, it := range m.Items {
			lines = append(lines, fmt.Sprintf("%s %d %d+%d", it.Event, it.JobID, it.Count, it.Suppressed))
		}
	}
	return lines
}

func TestJudge_RateBesideTheFailure(t *testing.T) {
	t.Parallel()
	key := job.AlarmKey{RuleID: 1, JobID: 1}
	both := rule(hears(job.AlarmFailure, job.AlarmFailureRate), func(r *job.AlarmRule) { r.Threshold = 10 })
	v := view(both, bad(1)...)
	v.Counts[key], v.Shares[key] = 5, job.AlarmShare{Total: 10, Failed: 5}
	require.Equal(t, []string{"failure_rate 1 1+0"}, told(Judge(v).Messages), "too few failures, and too large a share")
	v.Counts[key], v.Shares[key] = 10, job.AlarmShare{Total: 100, Failed: 10}
	require.Equal(t, []string{"failure 1 10+0"}, told(Judge(v).Messages))
	v.Shares[key] = job.AlarmShare{Total: 20, Failed: 10}
	got := Judge(v)
	require.Equal(t, []string{"failure 1 10+0", "failure_rate 1 1+0"}, told(got.Messages))
	require.Len(t, got.States, 1)

	state := got.States[0]
	v = view(both, bad(1)...)
	v.States[key], v.Counts[key], v.Shares[key] = state, 11, job.AlarmShare{Total: 20, Failed: 11}
	got = Judge(v)
	require.Empty(t, got.Messages)
	require.EqualValues(t, 1, got.States[0].Suppressed, "one failure is one event")

	v = view(rule(hears(job.AlarmFailure, job.AlarmFailureRate)), bad(1)...)
	v.Shares[key] = job.AlarmShare{Total: 1, Failed: 1}
	require.Equal(t, []string{"failure 1 1+0"}, told(Judge(v).Messages), "a first failure is not told as a rate, too")
}

func TestJudge_CountIsThatOfTheWindow(t *testing.T) {
	t.Parallel()
	v := view(rule(func(r *job.AlarmRule) { r.Threshold = 4 }), bad(1)...)
	v.Counts[job.AlarmKey{RuleID: 1, JobID: 1}] = 4
	require.Equal(t, []string{"failure 1 4+0"}, told(Judge(v).Messages))
}

func TestJudge_RecoveryOnlyOfWhatWasTold(t *testing.T) {
	t.Parallel()
	r := newRounds(rule(hears(job.AlarmFailure, job.AlarmRecovery), func(r *job.AlarmRule) { r.SilenceS = 3600 }))
	var all []job.AlarmMessage
	for second := range 6 {
		if second%2 == 0 {
			all = append(all, r.at(second, bad(1))...)
		} else {
			all = append(all, r.at(second, nil, 1)...)
		}
	}
	require.Equal(t, []string{"failure 1 1+0", "recovery 1 1+0"}, told(all))
	require.Equal(t, []string{"failure 1 1+2"}, told(r.at(3600, bad(1))))
	require.Equal(t, []string{"recovery 1 1+0"}, told(r.at(3602, nil, 1)))
}

func TestJudge_RecoveryTellsWhatWasHiddenOnce(t *testing.T) {
	t.Parallel()
	r := newRounds(rule(hears(job.AlarmFailure, job.AlarmRecovery)))
	r.at(0, bad(1))
	r.at(2, bad(1))
	require.Equal(t, []string{"recovery 1 1+1"}, told(r.at(4, nil, 1)))
	require.Equal(t, []string{"failure 1 1+0"}, told(r.at(400, bad(1))))
}

func grouping(r *job.AlarmRule) { r.GroupS = 60 }

func TestJudge_GathersUntilTheWindowEnds(t *testing.T) {
	t.Parallel()
	r := newRounds(rule(hears(job.AlarmFailure, job.AlarmLost, job.AlarmRecovery), grouping))
	require.Empty(t, r.at(0, bad(1)))
	require.Empty(t, r.at(20, append(bad(1, 2), aSign(3, job.Lost))), "no silence before the message")
	require.Empty(t, r.at(40, nil, 2, 3))
	require.Empty(t, r.at(58, bad(3)))
	got := r.at(60, bad(1))
	require.Len(t, got, 1)
	require.Equal(t, job.AlarmFailure, got[0].Event)
	require.Equal(t, []string{"failure 1 3+0", "failure 2 1+0", "failure 3 1+0", "lost 3 1+0", "recovery 2 1+0"}, told(got),
		"3 is not well: it has failed again")
	require.Empty(t, r.windows)

	require.Empty(t, r.at(62, bad(1)))
	require.Empty(t, r.windows, "what is silent opens no window")
	require.Equal(t, []string{"recovery 1 1+1"}, told(r.at(64, nil, 1)), "nor does a recovery")
	require.Empty(t, r.at(360, bad(1)))
	require.Equal(t, []string{"failure 1 1+0"}, told(r.at(420, nil)), "the next window")
}

func TestJudge_AWindowOutlivesItsRulesGrouping(t *testing.T) {
	t.Parallel()
	r := newRounds(rule(grouping))
	require.Empty(t, r.at(0, bad(1)))
	r.rule.GroupS = 0
	require.Equal(t, []string{"failure 1 1+0", "failure 2 1+0"}, told(r.at(2, bad(2))))
	require.Empty(t, r.windows)
}

func TestJudge_NamesSomeJobsOfAWindowAndCountsTheRest(t *testing.T) {
	t.Parallel()
	r := newRounds(rule(hears(job.AlarmFailure, job.AlarmLost), grouping))
	for id := range int32(25) {
		require.Empty(t, r.at(0, append(bad(id+1), aSign(id+1, job.Lost))))
		require.Empty(t, r.at(1, bad(id+1)))
	}
	got := r.at(60, nil)
	require.Len(t, got, 1)
	require.Len(t, got[0].Items, job.MaxAlarmItems)
	require.Equal(t, 5, got[0].More)
}
