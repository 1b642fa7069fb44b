package executor_test

import (
	"io"
	"log/slog"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/executor"
	"github.com/gluewheel/gluewheel/executor/protocol"
	"github.com/gluewheel/gluewheel/internal/logtest"
)

func TestExecutor_TellsWhoeverWatches(t *testing.T) {
	t.Parallel()
	ran, acked := make(chan executor.Ran, 1), make(chan time.Duration, 1)
	b := setup(t, func(c *executor.Config) {
		c.Ran = func(r executor.Ran) { ran <- r }
		c.Acked = func(after time.Duration) { acked <- after }
		c.MaxConcurrent = 1
	})
	require.Equal(t, executor.Load{}, b.Load())
	before := time.Now()
	tr := bean(7, 70, "wait", "")
	tr.Gluewheel = &protocol.TriggerX{Epoch: 1, Attempt: 2}
	b.run(t, tr)
	b.awaitBegun(70)
	b.run(t, bean(7, 71, "hello", ""))
	require.Equal(t, executor.Load{Running: 1, Waiting: 1}, b.Load())

	b.release(70)
	r := <-ran
	require.Equal(t, executor.Ran{
		RunID: 70, JobID: 7, Attempt: 2, GlueType: "BEAN", Began: r.Began, Ended: r.Ended,
		Outcome: protocol.OutcomeSucceeded, Reason: protocol.ReasonOK, Usage: r.Usage,
	}, r)
	require.False(t, r.Began.Before(before))
	require.False(t, r.Ended.Before(r.Began))
	require.Less(t, <-acked, time.Since(r.Began)+2*time.Millisecond, "since the end, which is in whole milliseconds")
	require.EqualValues(t, 71, (<-ran).RunID)
	<-acked
	require.Eventually(t, func() bool { return b.Load() == executor.Load{} }, 20*time.Second, 5*time.Millisecond)
}

func TestExecutor_CountsResultsThatNoAdminTakes(t *testing.T) {
	t.Parallel()
	b := setup(t, nil)
	b.admin.SetAway(true)
	b.run(t, bean(1, 1, "hello", ""))
	require.Eventually(t, func() bool { return b.Load() == executor.Load{Results: 1} }, 20*time.Second, 5*time.Millisecond)
	b.admin.SetAway(false)
	b.admin.Result(t, 1)
}

func TestExecutor_ServesMetricsBesideTheProtocol(t *testing.T) {
	t.Parallel()
	get := func(b *bundle) (int, string) {
		resp, err := http.Get("http://" + b.Addr() + "/metrics")
		require.NoError(t, err)
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		return resp.StatusCode, string(body)
	}
	status, body := get(setup(t, nil))
	require.Equal(t, http.StatusOK, status, "as XXL-JOB answers everything")
	require.Contains(t, body, protocol.MsgBadMethod)

	status, body = get(setup(t, func(c *executor.Config) {
		c.Metrics = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			http.Error(w, "not for "+r.RemoteAddr, http.StatusUnauthorized)
		})
	}))
	require.Equal(t, http.StatusUnauthorized, status)
	require.Contains(t, body, "not for 127.0.0.1:")
}

func TestExecutor_LogsRunsByTheirIDs(t *testing.T) {
	t.Parallel()
	var lines logtest.Buffer
	b := setup(t, func(c *executor.Config) {
		c.Log = slog.New(slog.NewTextHandler(&lines, &slog.HandlerOptions{Level: slog.LevelDebug}))
	})
	b.run(t, bean(7, 70, "fail", "no"))
	b.admin.Result(t, 70)
	b.stop()
	require.Regexp(t, `level=DEBUG msg="run has ended" component=executor app=app-test run_id=70 job_id=7 outcome=failed reason=handler_failed`, lines.String())
}
