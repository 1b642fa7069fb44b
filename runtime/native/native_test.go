package native_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/gluewheel/gluewheel/runtime"
	"github.com/gluewheel/gluewheel/runtime/native"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func prepare(t *testing.T, fn native.Func) (*native.Engine, runtime.Program) {
	t.Helper()
	engine := native.New()
	require.NoError(t, engine.Register("demo", fn))
	program, err := engine.Prepare(t.Context(), runtime.Source{Name: "demo", Type: native.Type})
	require.NoError(t, err)
	return engine, program
}

func TestEngine_Register(t *testing.T) {
	t.Parallel()
	handler := func(context.Context, runtime.Request) (string, error) { return "", nil }
	engine := native.New()
	require.NoError(t, engine.Register("b", handler))
	require.NoError(t, engine.Register("a", handler))
	require.ErrorIs(t, engine.Register("a", handler), native.ErrDuplicate)
	require.ErrorIs(t, engine.Register("", handler), native.ErrUnnamed)
	require.ErrorIs(t, engine.Register("c", nil), native.ErrUnnamed)
	require.Equal(t, []string{"a", "b"}, engine.Names())
}

func TestEngine_PrepareUnknown(t *testing.T) {
	t.Parallel()
	_, err := native.New().Prepare(t.Context(), runtime.Source{Name: "nobody"})
	invalid, ok := errors.AsType[*runtime.InvalidError](err)
	require.True(t, ok)
	require.Equal(t, "job handler [nobody] not found.", invalid.Message)
}

func TestProgram_Run(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fn      native.Func
		kind    runtime.Kind
		message string
	}{
		"success": {
			func(_ context.Context, req runtime.Request) (string, error) { return "got " + req.Param, nil },
			runtime.Succeeded, "got p",
		},
		"error": {
			func(context.Context, runtime.Request) (string, error) { return "", errors.New("no disk") },
			runtime.Failed, "no disk",
		},
		"panic": {
			func(context.Context, runtime.Request) (string, error) { panic("boom") },
			runtime.Failed, "handler [demo] panicked: boom",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			engine, program := prepare(t, c.fn)
			result := program.Run(t.Context(), runtime.Request{Param: "p"})
			require.Equal(t, c.kind, result.Kind)
			require.Equal(t, c.message, result.Message)
			require.Zero(t, engine.Abandoned())
		})
	}
}

func TestProgram_RunLogsThePanicsStack(t *testing.T) {
	t.Parallel()
	_, program := prepare(t, func(context.Context, runtime.Request) (string, error) { panic("boom") })
	var lines []string
	program.Run(t.Context(), runtime.Request{Log: func(line string) { lines = append(lines, line) }})
	require.Equal(t, "panic: boom", lines[0])
	require.Greater(t, len(lines), 3)
}

func TestProgram_RunStopped(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		cause error
		kind  runtime.Kind
	}{
		"by its timeout": {runtime.ErrTimeout, runtime.TimedOut},
		"by a person":    {runtime.ErrKilled, runtime.Killed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancelCause(t.Context())
			_, program := prepare(t, func(ctx context.Context, _ runtime.Request) (string, error) {
				cancel(c.cause)
				<-ctx.Done()
				return "", errors.New("the dying code's word")
			})
			result := program.Run(ctx, runtime.Request{})
			require.Equal(t, c.kind, result.Kind)
			require.Equal(t, c.cause.Error(), result.Message)
		})
	}
}

func TestProgram_RunLeavesADeafHandlerBehind(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		engine, program := prepare(t, func(context.Context, runtime.Request) (string, error) {
			<-release
			return "", nil
		})
		ctx, cancel := context.WithTimeoutCause(t.Context(), 2*time.Second, runtime.ErrTimeout)
		defer cancel()
		started := time.Now()
		result := program.Run(ctx, runtime.Request{})

		require.Equal(t, runtime.TimedOut, result.Kind)
		require.Contains(t, result.Message, "is still running")
		require.Equal(t, 2*time.Second+runtime.DefaultGrace, time.Since(started))
		require.EqualValues(t, 1, engine.Abandoned())

		close(release)
		synctest.Wait()
		require.Zero(t, engine.Abandoned())
	})
}
