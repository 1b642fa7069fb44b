package alarm

import (
	"cmp"
	"slices"
	"time"

	"github.com/gluewheel/gluewheel/admin/job"
)

// Judge decides what is worth a message.
//
// Events of one job in one round are one item, and items of one rule and event one
// message. A job that had a message gives none for the rule's silence; what happened
// meanwhile is counted and told in the next one. A job that succeeds after its alarm has
// recovered, once.
func Judge(v job.AlarmView) job.AlarmVerdict {
	var out job.AlarmVerdict
	for i := range v.Rules {
		r := &v.Rules[i]
		items, states := judgeRule(r, &v)
		out.States = append(out.States, states...)
		out.Messages = append(out.Messages, messages(r, items)...)
	}
	return out
}

// found are the events of one job that a rule hears.
type found struct {
	last  *job.AlarmSign
	event job.AlarmEvent
	count int
}

// item is one job of a message.
type item struct {
	event job.AlarmEvent
	job.AlarmItem
}

func judgeRule(r *job.AlarmRule, v *job.AlarmView) (items []item, states []job.AlarmState) {
	events := eventsOf(r, v)
	for _, f := range events {
		key := job.AlarmKey{RuleID: r.ID, JobID: f.last.JobID}
		if f.event != job.AlarmFailureRate && r.Threshold > 1 && v.Counts[key] < int(r.Threshold) {
			continue
		}
		state, before := v.States[key], v.States[key].SentAt
		state.RuleID, state.JobID, state.Firing, state.EventAt = r.ID, f.last.JobID, true, f.last.At
		state.JobName, state.AppName, state.AlarmEmail = f.last.JobName, f.last.AppName, f.last.AlarmEmail
		if before != nil && v.Now.Sub(*before) < time.Duration(r.SilenceS)*time.Second {
			state.Suppressed += int32(f.count)
		} else {
			items = append(items, item{f.event, itemOf(f, int(state.Suppressed), v.Shares[key])})
			state.SentAt, state.Suppressed = &v.Now, 0
		}
		states = append(states, state)
	}
	recovered, ended := recoveries(r, v, events)
	return append(items, recovered...), append(states, ended...)
}

// eventsOf collects what the rule hears, a job each, in the order of job ids.
func eventsOf(r *job.AlarmRule, v *job.AlarmView) []found {
	byJob := make(map[int32]*found)
	for i := range v.Signs {
		g := &v.Signs[i]
		if !r.Covers(g.GroupID, g.JobID) || g.Retried() && !r.EachAttempt || g.LateMS > 0 && g.LateMS != r.LateMS {
			continue
		}
		event := g.Event()
		if !r.Hears(event) {
			if !tooMany(r, v, g) {
				continue
			}
			event = job.AlarmFailureRate
		}
		f := byJob[g.JobID]
		if f == nil {
			f = &found{}
			byJob[g.JobID] = f
		}
		f.last, f.event, f.count = g, event, f.count+1
	}
	out := make([]found, 0, len(byJob))
	for _, f := range byJob {
		out = append(out, *f)
	}
	slices.SortFunc(out, func(a, b found) int { return cmp.Compare(a.last.JobID, b.last.JobID) })
	return out
}

// tooMany reports whether a sign is a failure of a job that fails too often. A share of
// fewer runs than the threshold says nothing.
func tooMany(r *job.AlarmRule, v *job.AlarmView, g *job.AlarmSign) bool {
	if !r.Hears(job.AlarmFailureRate) || g.LateMS > 0 || g.State == job.Misfired {
		return false
	}
	share := v.Shares[job.AlarmKey{RuleID: r.ID, JobID: g.JobID}]
	return share.Total >= int(r.Threshold) && share.Total > 0 && share.Failed*100 >= int(r.RatePct)*share.Total
}

func itemOf(f found, suppressed int, share job.AlarmShare) job.AlarmItem {
	g := f.last
	it := job.AlarmItem{
		JobID: g.JobID, JobName: g.JobName, AppName: g.AppName, RunID: g.RunID, State: g.State.String(), Reason: g.Reason,
		Message: g.Message, Address: g.Address, FireAt: g.FireAt, At: g.At, Count: f.count, Suppressed: suppressed,
		AlarmEmail: g.AlarmEmail,
	}
	if f.event == job.AlarmFailureRate {
		it.Total, it.Failed = share.Total, share.Failed
	}
	return it
}

// recoveries ends the alarm of jobs that have succeeded and gave no new event.
func recoveries(r *job.AlarmRule, v *job.AlarmView, events []found) (items []item, states []job.AlarmState) {
	for key, at := range v.Succeeded {
		again := slices.ContainsFunc(events, func(f found) bool { return f.last.JobID == key.JobID })
		if key.RuleID != r.ID || again {
			continue
		}
		state := v.States[key]
		state.Firing = false
		states = append(states, state)
		if r.Hears(job.AlarmRecovery) {
			items = append(items, item{job.AlarmRecovery, job.AlarmItem{
				JobID: key.JobID, JobName: state.JobName, AppName: state.AppName, At: at, Count: 1,
				Suppressed: int(state.Suppressed), AlarmEmail: state.AlarmEmail,
			}})
		}
	}
	slices.SortFunc(items, func(a, b item) int { return cmp.Compare(a.JobID, b.JobID) })
	return items, states
}

// messages groups a rule's items by event, in the order in which events are listed.
func messages(r *job.AlarmRule, items []item) []job.AlarmMessage {
	var out []job.AlarmMessage
	for _, event := range job.AlarmEvents() {
		m := job.AlarmMessage{RuleID: r.ID, Rule: r.Name, Event: event, ChannelIDs: r.ChannelIDs}
		for _, it := range items {
			switch {
			case it.event != event:
			case len(m.Items) == job.MaxAlarmItems:
				m.More++
			default:
				m.Items = append(m.Items, it.AlarmItem)
			}
		}
		if len(m.Items) > 0 {
			out = append(out, m)
		}
	}
	return out
}
