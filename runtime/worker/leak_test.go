package worker_test

import (
	"context"
	"os"
	"path/filepath"
	goruntime "runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/runtime"
	"github.com/gluewheel/gluewheel/runtime/proc"
	"github.com/gluewheel/gluewheel/runtime/worker"
)

// TestEngine_LeavesNothing counts for this whole process, so it does not run beside
// other tests.
func TestEngine_LeavesNothing(t *testing.T) {
	supervisor, err := proc.New(proc.Config{})
	require.NoError(t, err)
	before := counts(t)
	func() {
		engine, err := worker.New(worker.Config{Exe: worker.WorkerExe, Proc: supervisor})
		require.NoError(t, err)
		defer func() { require.NoError(t, engine.Close()) }()
		for i := range 40 {
			code := `return 1`
			if i%10 == 9 {
				code = `local t = {}; while true do t[#t + 1] = {} end`
			}
			ctx, cancel := context.WithTimeoutCause(t.Context(), 300*time.Millisecond, runtime.ErrTimeout)
			run(ctx, t, engine, luaSource(code), runtime.Request{})
			cancel()
		}
	}()
	require.Eventually(t, func() bool { return supervisor.Running() == 0 }, 30*time.Second, 10*time.Millisecond)
	debug.FreeOSMemory()
	after := counts(t)
	requireChildren(t, before.children)
	require.LessOrEqual(t, after.descriptors, before.descriptors+2) // of the spawner's and the poller's first use
	require.Less(t, after.resident-before.resident, int64(20<<20))
	require.NoError(t, supervisor.Close())
}

type count struct {
	children, descriptors, goroutines int

	resident int64
}

func counts(t *testing.T) count {
	t.Helper()
	var c count
	fds, err := os.ReadDir("/proc/self/fd")
	require.NoError(t, err)
	c.descriptors = len(fds)
	c.goroutines = goruntime.NumGoroutine()
	c.children = children()
	statm, err := os.ReadFile("/proc/self/statm")
	require.NoError(t, err)
	pages, err := strconv.ParseInt(strings.Fields(string(statm))[1], 10, 64)
	require.NoError(t, err)
	c.resident = pages * int64(os.Getpagesize())
	return c
}

// children counts this process's children. The kernel says that its lists may be off while
// processes and threads come and go.
func children() int {
	n := 0
	lists, _ := filepath.Glob("/proc/self/task/*/children") // the pattern is right
	for _, list := range lists {
		if text, err := os.ReadFile(list); err == nil { // a thread may have ended
			n += len(strings.Fields(string(text)))
		}
	}
	return n
}

// requireChildren waits until there are as many children as before.
func requireChildren(t *testing.T, before int) {
	t.Helper()
	require.Eventually(t, func() bool { return children() == before }, 30*time.Second, 10*time.Millisecond, "child processes")
}

// TestEngine_WatchesMemoryWithoutControlGroups takes away what bounds memory at best.
func TestEngine_WatchesMemoryWithoutControlGroups(t *testing.T) {
	t.Parallel()
	supervisor, err := proc.New(proc.Config{Method: proc.ProcessGroup})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, supervisor.Close()) })
	engine := newEngine(t, func(c *worker.Config) { c.Proc = supervisor })
	src := luaSource(`local t = {}; while true do t[#t + 1] = string.rep("x", 100000) .. #t end`)
	src.Limits.MemoryBytes = 32 << 20
	result, _ := run(t.Context(), t, engine, src, runtime.Request{})
	require.Equal(t, runtime.OutOfMemory, result.Kind, result.Message)
	require.Contains(t, result.Message, "outgrew its memory of 32 MiB")
}
