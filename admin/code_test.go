package admin

import (
	"bytes"
	"context"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/admin/job"
	"github.com/gluewheel/gluewheel/admin/store"
	"github.com/gluewheel/gluewheel/glue"
	"github.com/gluewheel/gluewheel/runtime/check"
	"github.com/gluewheel/gluewheel/runtime/worker"
)

// An admin that stops kills its workers. Whoever waited for one is not told that the
// database was away, and neither is the log.
func TestSandbox_AKilledWorkerIsNotTheDatabase(t *testing.T) {
	t.Parallel()
	sandbox, err := worker.New(worker.Config{Exe: "/bin/false"}) // ends before it has loaded anything
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, sandbox.Close()) })
	var log bytes.Buffer
	p := &parts{opts: Options{Sandbox: sandbox, Log: slog.New(slog.NewTextHandler(&log, nil))}, checker: check.New(sandbox)}

	_, err = p.findProblems(t.Context(), string(glue.Lua), "return 1")
	require.ErrorIs(t, err, job.ErrSandbox)
	require.False(t, store.Unavailable(err), "%v", err)
	require.Contains(t, log.String(), "sandbox failed")
	require.ErrorIs(t, p.checkSource(t.Context(), glue.Lua, "return 1"), job.ErrSandbox)

	_, err = p.inspect(t.Context(), []byte("no module"))
	require.Error(t, err)
	require.False(t, store.Unavailable(err), "%v", err)

	over, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = p.findProblems(over, string(glue.Lua), "return 1")
	require.NotErrorIs(t, err, job.ErrSandbox, "a request that has ended is no fault of the sandbox")
}
