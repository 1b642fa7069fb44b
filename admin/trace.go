package admin

import (
	"strings"
	"time"
	"unicode/utf8"

	"github.com/gluewheel/gluewheel/admin/job"
	"github.com/gluewheel/gluewheel/executor/protocol"
)

// tracer is told of the steps of runs. A nil one is told nothing, and costs a comparison.
type tracer func(job.Step)

// maxStepText bounds what a step repeats of a message, in bytes.
const maxStepText = 256

// planned tells of runs whose rows were written by a transaction that began at begin.
func (t tracer) planned(begin time.Time, fires []job.Fire) {
	if t == nil {
		return
	}
	now := time.Now()
	for i := range fires {
		t(job.Step{Name: job.StepPlan, RunID: fires[i].RunID, JobID: fires[i].JobID, Begin: begin, End: now})
	}
}

// sent tells of a request for one run that was made at begin and answered now.
func (t tracer) sent(begin time.Time, address string, trigger *protocol.Trigger, o job.Outcome) {
	if t == nil {
		return
	}
	s := job.Step{
		Name: job.StepDispatch, RunID: int64(trigger.LogID), JobID: int32(trigger.JobID), Begin: begin, End: time.Now(),
		Address: address, Result: o.Verdict.String(), Failed: o.Verdict != job.Accepted, Text: shortened(o.Text),
	}
	if x := trigger.Gluewheel; x != nil {
		s.Attempt = x.Attempt
		if x.Test {
			s.JobID = protocol.TestJobID(s.JobID)
		}
	}
	t(s)
}

// ended tells of runs whose end was committed just now.
func (t tracer) ended(runs []job.Ended) {
	if t == nil {
		return
	}
	now := time.Now()
	for i := range runs {
		e := &runs[i]
		s := job.Step{
			Name: job.StepRun, RunID: e.RunID, JobID: e.JobID, Begin: e.FireAt, End: now, Attempt: int(e.Attempt),
			Result: e.State.String(), Failed: e.State != job.Succeeded,
		}
		if s.Failed {
			s.Text = shortened(e.Message)
		}
		t(s)
		s.Name, s.Begin = job.StepComplete, e.CameAt
		s.Failed, s.Text = false, "" // that it was stored is no failure
		t(s)
	}
}

// shortened is the first line of a message, as far as a trace repeats it.
func shortened(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	if len(line) <= maxStepText {
		return line
	}
	cut := maxStepText
	for cut > 0 && !utf8.RuneStart(line[cut]) {
		cut--
	}
	return line[:cut]
}
