package dispatch

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/admin/job"
	"github.com/gluewheel/gluewheel/executor/protocol"
)

func TestRefusal(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		text    string
		failure bool // DiscardIsFailure
		state   job.State
		reason  string
	}{
		{"discarded", protocol.MsgDiscardLater, false, job.Discarded, job.ReasonDiscardLater},
		{"discarded, as in XXL-JOB", protocol.MsgDiscardLater, true, job.Failed, job.ReasonDiscardLater},
		{"no such handler", "job handler [demo] not found.", true, job.Failed, job.ReasonHandlerNotFound},
		{"anything else", "boom", true, job.Failed, job.ReasonRefused},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			e := &entry{Claimed: job.Claimed{RunID: 7, Epoch: 3}, job: &job.Job{DiscardIsFailure: c.failure}}
			require.Equal(t, job.Ending{Epoch: 3, Result: job.Result{
				RunID: 7, State: c.state, Reason: c.reason, Message: c.text, Code: protocol.CodeFail,
			}}, refusal(e, job.Outcome{Verdict: job.Refused, Text: c.text}))
		})
	}
}
