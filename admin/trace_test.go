package admin

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/admin/job"
	"github.com/gluewheel/gluewheel/executor/protocol"
)

func TestTracer_TellsEachStepOfARun(t *testing.T) {
	t.Parallel()
	var told []job.Step
	trace := tracer(func(s job.Step) { told = append(told, s) })
	begin := time.Now().Add(-time.Minute)
	fireAt := begin.Add(time.Second)
	long := strings.Repeat("é", maxStepText) + "\nmore"

	trace.planned(begin, []job.Fire{{RunID: 1, JobID: 7}, {RunID: 2, JobID: 8}})
	trace.sent(begin, "http://e", &protocol.Trigger{
		LogID: 1, JobID: protocol.Int(protocol.TestJobID(7)), Gluewheel: &protocol.TriggerX{Attempt: 3, Test: true},
	}, job.Outcome{Verdict: job.Unreachable, Text: long})
	trace.sent(begin, "http://foreign", &protocol.Trigger{LogID: 2, JobID: 8}, job.Outcome{Verdict: job.Accepted})
	trace.ended([]job.Ended{{RunID: 1, JobID: 7, Attempt: 3, FireAt: fireAt, CameAt: begin, State: job.Failed, Message: " boom\nat line 1"}})
	for i := range told {
		require.False(t, told[i].End.Before(begin))
		told[i].End = time.Time{}
	}
	require.Equal(t, []job.Step{
		{Name: job.StepPlan, RunID: 1, JobID: 7, Begin: begin},
		{Name: job.StepPlan, RunID: 2, JobID: 8, Begin: begin},
		{
			Name: job.StepDispatch, RunID: 1, JobID: 7, Begin: begin, Attempt: 3, Address: "http://e",
			Result: "unreachable", Failed: true, Text: strings.Repeat("é", maxStepText/2),
		},
		{Name: job.StepDispatch, RunID: 2, JobID: 8, Begin: begin, Address: "http://foreign", Result: "accepted"},
		{Name: job.StepRun, RunID: 1, JobID: 7, Begin: fireAt, Attempt: 3, Result: "failed", Failed: true, Text: "boom"},
		{Name: job.StepComplete, RunID: 1, JobID: 7, Begin: begin, Attempt: 3, Result: "failed"},
	}, told)
}

// Who does not trace pays nothing on the way of a fire.
func TestTracer_CostsNothingWhenItIsOff(t *testing.T) {
	var off tracer // the zero value: nobody asked for traces
	fires := make([]job.Fire, 100)
	trigger := &protocol.Trigger{LogID: 1, Gluewheel: &protocol.TriggerX{}}
	ended := []job.Ended{{RunID: 1, State: job.Failed, Message: strings.Repeat("x", 1000)}}
	begin := time.Now()
	require.Zero(t, testing.AllocsPerRun(100, func() {
		off.planned(begin, fires)
		off.sent(begin, "http://e", trigger, job.Outcome{Text: "no"})
		off.ended(ended)
	}))
}
