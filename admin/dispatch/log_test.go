package dispatch

import (
	"fmt"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/admin/job"
	"github.com/gluewheel/gluewheel/internal/logtest"
)

func TestDispatcher_LogsRunsByTheirIDs(t *testing.T) {
	t.Parallel()
	var lines logtest.Buffer
	b := setup(t, func(c *Config) {
		c.Log = slog.New(slog.NewTextHandler(&lines, &slog.HandlerOptions{Level: slog.LevelDebug}))
	})
	b.peer.answer = func(string, int64, int) job.Outcome { return job.Outcome{Verdict: job.Refused, Text: "busy"} }
	stop := run(t, b.Dispatcher)
	f := b.trigger(t, b.job(t))
	b.Dispatch([]job.Fire{f})
	eventually(t, "refused", func() bool { _, ended := b.ends.end(f.RunID); return ended })
	stop()
	require.Contains(t, lines.String(), fmt.Sprintf(
		`level=DEBUG msg="request answered" component=dispatch run_id=%d job_id=%d epoch=1 addr=http://ours:1 verdict=refused text=busy`, f.RunID, f.JobID))
}
