package alarm

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/gluewheel/gluewheel/admin/job"
)

// Judge decides what is worth a message.
//
// Events of one job in one round are one item, too many failures another, and items of one
// rule and event one message. A job that had a message gives none for the rule's silence;
// what happened meanwhile is counted and told in the next one. A job that succeeds after a
// message has recovered, once: trouble that silence hides has no recovery either.
//
// A rule with GroupS opens a window at its first trouble. All that comes until the window's
// end is one message, and silence begins with it.
func Judge(v job.AlarmView) job.AlarmVerdict {
	var out job.AlarmVerdict
	for i := range v.Rules {
		u := ruling{rule: &v.Rules[i], view: &v, window: v.Windows[v.Rules[i].ID], states: map[int32]job.AlarmState{}}
		events := eventsOf(u.rule, &v)
		for j := range events {
			u.happened(&events[j])
		}
		u.recoveries(events)
		u.tell(&out)
	}
	return out
}

// ruling is what a round makes of one rule.
type ruling struct {
	rule   *job.AlarmRule
	view   *job.AlarmView
	window job.AlarmWindow // zero when none is open
	items  []job.AlarmItem
	states map[int32]job.AlarmState // those that changed, by job
}

// found is what a rule hears of one job in a round.
type found struct {
	last      *job.AlarmSign
	count     int
	own, rate heard // the signs' own event, and that the job fails too often
}

// heard are signs that mean one event to a rule; those that mean nothing are the zero value.
type heard struct {
	event job.AlarmEvent
	last  *job.AlarmSign
	count int
}

func (h *heard) hear(event job.AlarmEvent, g *job.AlarmSign) {
	h.event, h.last, h.count = event, g, h.count+1
}

// eventsOf collects what the rule hears, a job each, in the order of job ids.
func eventsOf(r *job.AlarmRule, v *job.AlarmView) []found {
	byJob := make(map[int32]*found)
	for i := range v.Signs {
		g := &v.Signs[i]
		if !r.Covers(g.GroupID, g.JobID) || g.Retried() && !r.EachAttempt || g.LateMS > 0 && g.LateMS != r.LateMS {
			continue
		}
		event, rate := r.Heard(g.Event()), tooMany(r, v, g)
		if r.Threshold > 1 && v.Counts[job.AlarmKey{RuleID: r.ID, JobID: g.JobID}] < int(r.Threshold) {
			event = ""
		}
		if event == "" && !rate {
			continue
		}
		f := byJob[g.JobID]
		if f == nil {
			f = &found{}
			byJob[g.JobID] = f
		}
		f.last, f.count = g, f.count+1
		if event != "" {
			f.own.hear(event, g)
		}
		if rate {
			f.rate.hear(job.AlarmFailureRate, g)
		}
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

// state is what the rule remembers of a job, with what this round has changed.
func (u *ruling) state(jobID int32) job.AlarmState {
	if s, changed := u.states[jobID]; changed {
		return s
	}
	s := u.view.States[job.AlarmKey{RuleID: u.rule.ID, JobID: jobID}]
	s.RuleID, s.JobID = u.rule.ID, jobID
	return s
}

// happened makes items of what a job did, or counts it while the job is silent.
func (u *ruling) happened(f *found) {
	jobID := f.last.JobID
	s := u.state(jobID)
	s.EventAt, s.JobName, s.AppName, s.AlarmEmail = f.last.At, f.last.JobName, f.last.AppName, f.last.AlarmEmail
	// What waits for the end of the window will be told: more of it belongs into the same
	// message.
	waits := slices.ContainsFunc(u.window.Items, func(it job.AlarmItem) bool { return it.JobID == jobID && isTrouble(it) })
	silence := time.Duration(u.rule.SilenceS) * time.Second
	if s.SentAt != nil && u.view.Now.Sub(*s.SentAt) < silence && !waits {
		s.Suppressed += int32(f.count)
		u.states[jobID] = s
		return
	}
	suppressed := int(s.Suppressed)
	s.Firing, s.Suppressed = true, 0
	u.states[jobID] = s
	for _, h := range []*heard{&f.own, &f.rate} {
		key := job.AlarmKey{RuleID: u.rule.ID, JobID: jobID}
		share := u.view.Shares[key]
		// A rate of nothing but what has just been told says nothing new.
		if h.count == 0 || h == &f.rate && share.Total <= f.own.count {
			continue
		}
		it := itemOf(h, suppressed)
		switch {
		case h.event == job.AlarmFailureRate:
			it.Total, it.Failed = share.Total, share.Failed
		case !waits: // else the earlier ones are counted there
			it.Count = max(it.Count, u.view.Counts[key])
		}
		u.items = append(u.items, it)
		suppressed = 0 // told once
	}
}

func itemOf(h *heard, suppressed int) job.AlarmItem {
	g := h.last
	return job.AlarmItem{
		Event: h.event, JobID: g.JobID, JobName: g.JobName, AppName: g.AppName, RunID: g.RunID, State: g.State.String(),
		Reason: g.Reason, Message: g.Message, Address: g.Address, FireAt: g.FireAt, At: g.At, Count: h.count,
		Suppressed: suppressed, AlarmEmail: g.AlarmEmail,
	}
}

func isTrouble(it job.AlarmItem) bool { return it.Event != job.AlarmRecovery }

// recoveries ends the alarm of jobs that have succeeded and gave no new event.
func (u *ruling) recoveries(events []found) {
	var items []job.AlarmItem
	for key, at := range u.view.Succeeded {
		again := slices.ContainsFunc(events, func(f found) bool { return f.last.JobID == key.JobID })
		if key.RuleID != u.rule.ID || again {
			continue
		}
		s := u.state(key.JobID)
		s.Firing = false
		if u.rule.Hears(job.AlarmRecovery) {
			items = append(items, job.AlarmItem{
				Event: job.AlarmRecovery, JobID: key.JobID, JobName: s.JobName, AppName: s.AppName, At: at, Count: 1,
				Suppressed: int(s.Suppressed), AlarmEmail: s.AlarmEmail,
			})
			s.Suppressed = 0
		}
		u.states[key.JobID] = s
	}
	slices.SortFunc(items, func(a, b job.AlarmItem) int { return cmp.Compare(a.JobID, b.JobID) })
	u.items = append(u.items, items...)
}

// tell makes messages of the items, or has them wait for the end of the rule's window.
func (u *ruling) tell(out *job.AlarmVerdict) {
	w, now := &u.window, u.view.Now
	open := !w.OpenedAt.IsZero()
	switch {
	case !open && (u.rule.GroupS == 0 || !slices.ContainsFunc(u.items, isTrouble)):
		for _, event := range job.AlarmEvents() {
			u.message(out, slices.DeleteFunc(slices.Clone(u.items), func(it job.AlarmItem) bool { return it.Event != event }))
		}
	case !open:
		u.gather(out, now)
	case now.Sub(w.OpenedAt) < time.Duration(u.rule.GroupS)*time.Second:
		u.gather(out, w.OpenedAt)
	default:
		u.message(out, u.gathered())
		out.Closed = append(out.Closed, u.rule.ID)
	}
	for _, id := range slices.Sorted(maps.Keys(u.states)) {
		out.States = append(out.States, u.states[id])
	}
}

// gather adds the round's items to the window.
func (u *ruling) gather(out *job.AlarmVerdict, openedAt time.Time) {
	for _, it := range u.items {
		out.Gathered = append(out.Gathered, job.AlarmGathered{RuleID: u.rule.ID, OpenedAt: openedAt, Item: u.joined(it)})
	}
}

// joined is an item with what the window has of its job and event already.
func (u *ruling) joined(it job.AlarmItem) job.AlarmItem {
	if i := slices.IndexFunc(u.window.Items, same(it)); i >= 0 {
		it.Count += u.window.Items[i].Count
		it.Suppressed += u.window.Items[i].Suppressed
	}
	return it
}

func same(it job.AlarmItem) func(job.AlarmItem) bool {
	return func(other job.AlarmItem) bool { return it.JobID == other.JobID && it.Event == other.Event }
}

// gathered are the items of a window that ends, in the order of events. A job that has
// failed again since its recovery is not well.
func (u *ruling) gathered() []job.AlarmItem {
	var items []job.AlarmItem
	for _, it := range u.window.Items {
		if !slices.ContainsFunc(u.items, same(it)) {
			items = append(items, it)
		}
	}
	for _, it := range u.items {
		items = append(items, u.joined(it))
	}
	items = slices.DeleteFunc(items, func(it job.AlarmItem) bool { return !isTrouble(it) && u.state(it.JobID).Firing })
	events := job.AlarmEvents()
	slices.SortFunc(items, func(a, b job.AlarmItem) int {
		return cmp.Or(cmp.Compare(slices.Index(events, a.Event), slices.Index(events, b.Event)), cmp.Compare(a.JobID, b.JobID))
	})
	return items
}

// message adds a message about items, if there are any, and begins the silence of the jobs
// that are in trouble.
func (u *ruling) message(out *job.AlarmVerdict, items []job.AlarmItem) {
	if len(items) == 0 {
		return
	}
	for _, it := range items {
		if isTrouble(it) {
			s := u.state(it.JobID)
			s.SentAt = &u.view.Now
			u.states[it.JobID] = s
		}
	}
	named := items[:min(len(items), job.MaxAlarmItems)]
	out.Messages = append(out.Messages, job.AlarmMessage{
		RuleID: u.rule.ID, Rule: u.rule.Name, Event: items[0].Event, Items: named,
		More: jobsIn(items) - jobsIn(named), ChannelIDs: u.rule.ChannelIDs,
	})
}

// jobsIn counts the jobs of items.
func jobsIn(items []job.AlarmItem) int {
	jobs := make(map[int32]bool, len(items))
	for i := range items {
		jobs[items[i].JobID] = true
	}
	return len(jobs)
}
