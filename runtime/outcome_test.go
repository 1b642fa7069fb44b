package runtime_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/runtime"
)

func TestStopped_TheCauseDecides(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		cause   error
		kind    runtime.Kind
		message string
	}{
		"timeout":       {runtime.ErrTimeout, runtime.TimedOut, "timeout: late"},
		"deadline":      {context.DeadlineExceeded, runtime.TimedOut, "context deadline exceeded: late"},
		"kill":          {fmt.Errorf("%w by ann", runtime.ErrKilled), runtime.Killed, "killed by ann: late"},
		"anything else": {nil, runtime.Killed, "context canceled: late"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancelCause(t.Context())
			cancel(c.cause)
			require.Equal(t, runtime.Result{Kind: c.kind, Message: c.message}, runtime.Stopped(ctx, "late"))
		})
	}
}

func TestRequest_Invocation(t *testing.T) {
	t.Parallel()
	req := runtime.Request{
		RunID: 9, JobID: 7, Param: "a b", ShardIndex: 1, ShardTotal: 3, Attempt: 2,
		FireAt: time.Date(2026, 1, 2, 3, 4, 5, 6_000_000, time.FixedZone("", 3600)), Timeout: 1500 * time.Millisecond,
	}
	inv := req.Invocation("demo")
	require.Equal(t, "2026-01-02T02:04:05.006Z", inv.FireAt)
	require.Equal(t, []string{
		"GW_RUN_ID=9", "GW_JOB_ID=7", "GW_PARAM=a b", "GW_SHARD_INDEX=1", "GW_SHARD_TOTAL=3",
		"GW_ATTEMPT=2", "GW_TIMEOUT_MS=1500", "GW_FIRE_AT=2026-01-02T02:04:05.006Z",
	}, inv.Environ())
	require.Empty(t, runtime.Request{}.Invocation("").FireAt)
}
