package api

import (
	"context"

	"github.com/danielgtaylor/huma/v2"

	"github.com/gluewheel/gluewheel/admin/job"
)

// AlarmEvent is what a rule listens for.
type AlarmEvent string

// Schema describes the type in the OpenAPI document.
func (AlarmEvent) Schema(r huma.Registry) *huma.Schema {
	return enum(r, "AlarmEvent", job.AlarmEvents(), text)
}

// AlarmRuleInput is what people enter. Numbers are pointers: a 0 that was sent is not the
// default of what was left out.
type AlarmRuleInput struct {
	Name        string       `json:"name"`
	GroupID     *int32       `json:"group_id,omitempty" doc:"Leave it out for all groups, which takes an admin of the installation."`
	JobIDs      []int32      `json:"job_ids,omitempty" nullable:"false" doc:"Jobs of the group; none for all of them."`
	On          []AlarmEvent `json:"on" nullable:"false"`
	Threshold   *int32       `json:"threshold,omitempty" default:"1" doc:"Events of a job within the window that make an alarm; for failure_rate the least number of runs."`
	WindowS     *int32       `json:"window_s,omitempty" default:"300" doc:"Seconds."`
	RatePct     *int32       `json:"rate_pct,omitempty" default:"50" doc:"failure_rate: percent of the window's runs."`
	SilenceS    *int32       `json:"silence_s,omitempty" default:"300" doc:"Seconds after an alarm in which the same job gives none."`
	GroupS      *int32       `json:"group_s,omitempty" default:"0" doc:"Seconds from the first trouble of any job of the rule to the one message about all that came until then."`
	LateMS      *int32       `json:"late_ms,omitempty" default:"10000" doc:"late: milliseconds for which a fire may be due and not started."`
	EachAttempt bool         `json:"each_attempt,omitempty" doc:"A failure that is retried counts too, as in XXL-JOB."`
	ChannelIDs  []int32      `json:"channel_ids" nullable:"false"`
	Enabled     *bool        `json:"enabled,omitempty" default:"true"`
}

// AlarmRuleEdit replaces what people entered.
type AlarmRuleEdit struct {
	AlarmRuleInput
	Version int64 `json:"version" doc:"As read: if it has moved on, nothing is changed (409)."`
}

// AlarmRule says what is worth an alarm, and to whom.
type AlarmRule struct {
	ID          int32        `json:"id"`
	Name        string       `json:"name"`
	GroupID     *int32       `json:"group_id,omitempty"`
	JobIDs      []int32      `json:"job_ids" nullable:"false"`
	On          []AlarmEvent `json:"on" nullable:"false"`
	Threshold   int32        `json:"threshold"`
	WindowS     int32        `json:"window_s"`
	RatePct     int32        `json:"rate_pct"`
	SilenceS    int32        `json:"silence_s"`
	GroupS      int32        `json:"group_s"`
	LateMS      int32        `json:"late_ms"`
	EachAttempt bool         `json:"each_attempt"`
	ChannelIDs  []int32      `json:"channel_ids" nullable:"false"`
	Enabled     bool         `json:"enabled"`
	Version     int64        `json:"version"`
	CreatedAt   Time         `json:"created_at"`
	UpdatedAt   Time         `json:"updated_at"`
}

func ruleOf(r job.AlarmRule) AlarmRule {
	return AlarmRule{
		ID: r.ID, Name: r.Name, GroupID: r.GroupID, JobIDs: notNil(r.JobIDs),
		On:        mapped(r.On, func(e job.AlarmEvent) AlarmEvent { return AlarmEvent(e) }),
		Threshold: r.Threshold, WindowS: r.WindowS, RatePct: r.RatePct, SilenceS: r.SilenceS, GroupS: r.GroupS,
		LateMS: r.LateMS, EachAttempt: r.EachAttempt, ChannelIDs: notNil(r.ChannelIDs), Enabled: r.Enabled,
		Version: r.Version, CreatedAt: instant(r.CreatedAt), UpdatedAt: instant(r.UpdatedAt),
	}
}

// rule takes an input whose defaults are filled in, as those of requests are.
func (in *AlarmRuleInput) rule() (job.AlarmRule, error) {
	r := job.AlarmRule{
		Name: in.Name, GroupID: in.GroupID, JobIDs: in.JobIDs,
		On:        mapped(in.On, func(e AlarmEvent) job.AlarmEvent { return job.AlarmEvent(e) }),
		Threshold: *in.Threshold, WindowS: *in.WindowS, RatePct: *in.RatePct, SilenceS: *in.SilenceS, GroupS: *in.GroupS,
		LateMS: *in.LateMS, EachAttempt: in.EachAttempt, ChannelIDs: in.ChannelIDs, Enabled: *in.Enabled,
	}
	return r, invalid(job.ValidateRule(&r)).orNil()
}

// onRule binds a handler of the alarm rule in the path. Rules for all groups are the
// installation's.
func onRule[I, O any, P path[I, int32]](s *server, fn func(context.Context, job.AlarmRule, *I) (*O, error)) binder {
	load := func(ctx context.Context, in *I) (job.AlarmRule, error) {
		return s.deps.Store.AlarmRule(ctx, P(in).id())
	}
	return on(load, func(r *job.AlarmRule) int32 { return groupOrNone(r.GroupID) }, fn)
}

func groupOrNone(id *int32) int32 {
	if id == nil {
		return 0
	}
	return *id
}

type listAlarmRulesInput struct {
	Paging
	GroupID int32 `query:"group_id" minimum:"1" maximum:"2147483647"`
}

func (s *server) listAlarmRules(ctx context.Context, in *listAlarmRulesInput) (*body[List[AlarmRule]], error) {
	page, err := s.deps.Store.AlarmRules(ctx, groupsSeen(ctx, in.GroupID), in.paging())
	if err != nil {
		return nil, err
	}
	return listOf(page, ruleOf), nil
}

type createAlarmRuleInput struct {
	Trial
	Body AlarmRuleInput
}

func (s *server) createAlarmRule(ctx context.Context, in *createAlarmRuleInput) (*tagged[AlarmRule], error) {
	r, err := in.Body.rule()
	if err != nil {
		return nil, err
	}
	if err := allow(ctx, groupOrNone(r.GroupID)); err != nil {
		return nil, err
	}
	if r, err = s.deps.Store.CreateAlarmRule(ctx, r); err != nil {
		return nil, err
	}
	return withTag(ruleOf(r), r.Version), nil
}

func (s *server) getAlarmRule(_ context.Context, r job.AlarmRule, _ *ObjectID) (*tagged[AlarmRule], error) {
	return withTag(ruleOf(r), r.Version), nil
}

type alarmRuleEditInput struct {
	ObjectID
	Condition
	Trial
	Body AlarmRuleEdit
}

// updateAlarmRule needs the right in the rule's group, which the binder has checked, and
// in the one that it goes to.
func (s *server) updateAlarmRule(ctx context.Context, before job.AlarmRule, in *alarmRuleEditInput) (*tagged[AlarmRule], error) {
	if err := in.met(before.Version); err != nil {
		return nil, err
	}
	r, err := in.Body.rule()
	if err != nil {
		return nil, err
	}
	if err := allow(ctx, groupOrNone(r.GroupID)); err != nil {
		return nil, err
	}
	r.ID, r.Version = before.ID, in.Body.Version
	if r, err = s.deps.Store.UpdateAlarmRule(ctx, r); err != nil {
		return nil, err
	}
	return withTag(ruleOf(r), r.Version), nil
}

func (s *server) deleteAlarmRule(ctx context.Context, r job.AlarmRule, in *deleteObjectInput) (*none, error) {
	if err := in.met(r.Version); err != nil {
		return nil, err
	}
	return nil, s.deps.Store.DeleteAlarmRule(ctx, r.ID, in.only(r.Version))
}

// AlarmEntry is one message to one channel.
type AlarmEntry struct {
	ID          int64      `json:"id"`
	At          Time       `json:"at"`
	RuleID      int32      `json:"rule_id"`
	Rule        string     `json:"rule"`
	Event       AlarmEvent `json:"kind"`
	Channel     string     `json:"channel"`
	JobID       *int32     `json:"job_id,omitempty" doc:"Absent when it is about several jobs."`
	RunID       *int64     `json:"run_id,omitempty"`
	State       string     `json:"state" enum:"pending,delivered,failed"`
	Attempts    int32      `json:"attempts"`
	LastError   string     `json:"last_error"`
	DeliveredAt *Time      `json:"delivered_at,omitempty"`
}

func alarmOf(a job.Alarm) AlarmEntry {
	return AlarmEntry{
		ID: a.ID, At: instant(a.At), RuleID: a.RuleID, Rule: a.RuleName, Event: AlarmEvent(a.Event), Channel: a.ChannelName,
		JobID: a.JobID, RunID: a.RunID, State: a.State.String(), Attempts: a.Attempts, LastError: a.LastError,
		DeliveredAt: instantOf(a.DeliveredAt),
	}
}

type listAlarmsInput struct {
	Paging
	RuleID  int32  `query:"rule_id" minimum:"0" maximum:"2147483647"`
	GroupID int32  `query:"group_id" minimum:"1" maximum:"2147483647" doc:"Of the rule."`
	JobID   int32  `query:"job_id" minimum:"1" maximum:"2147483647" doc:"Named in the message, alone or among others."`
	State   string `query:"state" enum:"pending,delivered,failed,"`
	From    Time   `query:"from" doc:"From here …"`
	To      Time   `query:"to" doc:"… to before here."`
}

func (s *server) listAlarms(ctx context.Context, in *listAlarmsInput) (*body[List[AlarmEntry]], error) {
	f := job.AlarmFilter{
		GroupIDs: groupsSeen(ctx, in.GroupID), RuleID: in.RuleID, JobID: in.JobID, From: in.From.Time, To: in.To.Time,
	}
	for _, state := range []job.DeliveryState{job.DeliveryPending, job.DeliveryDelivered, job.DeliveryFailed} {
		if in.State == state.String() {
			f.State = state
		}
	}
	page, err := s.deps.Store.Alarms(ctx, f, in.paging())
	if err != nil {
		return nil, err
	}
	return listOf(page, alarmOf), nil
}
