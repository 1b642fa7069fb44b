package worker_test

import (
	"context"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/executor"
	"github.com/gluewheel/gluewheel/executor/executortest"
	"github.com/gluewheel/gluewheel/executor/protocol"
	"github.com/gluewheel/gluewheel/runtime"
)

// TestExecutor_PublishingWhileRunning has 50 runs a second go on while a job's code is
// published ten times a second: each run says the number of the version that it was
// triggered with, at its beginning and at its end.
func TestExecutor_PublishingWhileRunning(t *testing.T) {
	t.Parallel()
	const (
		jobs     = 5
		rounds   = 30 // of a run of each job
		interval = 100 * time.Millisecond
	)
	engine := newEngine(t)
	admin := executortest.NewAdmin(t)
	e := runExecutor(t, admin, engine)
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	want := make(map[int64]string)
	for round := range rounds {
		<-ticker.C
		var triggers []protocol.Trigger
		for job := range jobs {
			version := round + 1 // published just now
			id := int64(round*jobs + job + 1)
			want[id] = fmt.Sprintf("version %d of job %d: %d", version, job, version)
			triggers = append(triggers, protocol.Trigger{
				JobID: protocol.Int(job + 1), LogID: protocol.Int(id), LogDateTimeMS: protocol.Int(time.Now().UnixMilli()),
				GlueType: "GLUE_LUA", GlueUpdateMS: protocol.Int(version), GlueSource: fmt.Sprintf(
					`local before = %d; gw.sleep(5); return "version " .. before .. " of job %d: " .. %d`, version, job, version),
			})
		}
		for _, r := range executortest.CallBatch(t, e.Addr(), triggers...).Results {
			require.EqualValues(t, protocol.CodeOK, r.Code, r.Msg)
		}
	}
	for id, message := range want {
		cb := admin.Result(t, id)
		require.EqualValues(t, protocol.CodeOK, cb.HandleCode, "run %d", id)
		require.Equal(t, message, *cb.HandleMsg)
		require.Positive(t, cb.Gluewheel.WallMS)
	}
}

// runExecutor runs an executor with an engine until the test ends.
func runExecutor(t *testing.T, admin *executortest.Admin, engines ...runtime.Engine) *executor.Executor {
	t.Helper()
	e, err := executor.New(executor.Config{
		AppName: "app-test", AdminAddresses: []string{admin.URL}, Token: executortest.Token,
		DataDir: t.TempDir(), Listen: "127.0.0.1:0", Engines: engines, Log: slog.New(slog.DiscardHandler),
	})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	ended := make(chan error, 1)
	go func() { ended <- e.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		require.NoError(t, <-ended)
	})
	select {
	case <-e.Ready():
	case err := <-ended:
		require.NoError(t, err, "start executor")
	}
	return e
}
