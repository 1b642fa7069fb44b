package alarm

import (
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
		"failure":                        {rule(), aSign(1, job.Failed), job.AlarmFailure},
		"timeout":                        {rule(), aSign(1, job.TimedOut), job.AlarmFailure},
		"kill":                           {rule(), aSign(1, job.Killed), job.AlarmFailure},
		"failure that is retried":        {rule(), aSign(1, job.Failed, retried), ""},
		"each attempt":                   {rule(func(r *job.AlarmRule) { r.EachAttempt = true }), aSign(1, job.Failed, retried), job.AlarmFailure},
		"lost is not retried":            {rule(hears(job.AlarmLost)), aSign(1, job.Lost, retried), job.AlarmLost},
		"lost is not a failure":          {rule(), aSign(1, job.Lost), ""},
		"misfire":                        {rule(hears(job.AlarmMisfire)), aSign(1, job.Misfired), job.AlarmMisfire},
		"misfire is not a failure":       {rule(), aSign(1, job.Misfired), ""},
		"no executor":                    {rule(hears(job.AlarmNoExecutor)), aSign(1, job.Failed, because(job.ReasonNoExecutor)), job.AlarmNoExecutor},
		"no executor for failures":       {rule(), aSign(1, job.Failed, because(job.ReasonNoExecutor)), ""},
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
