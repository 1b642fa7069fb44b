package worker

import (
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/runtime"
	"github.com/gluewheel/gluewheel/runtime/frame"
)

func newPooled(t *testing.T, cfg Config) *Engine {
	t.Helper()
	cfg.Exe = WorkerExe
	e, err := New(cfg)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, e.Close()) })
	return e
}

func source(key string) runtime.Source {
	return runtime.Source{Key: key, Type: "GLUE_LUA", Code: []byte(`x = (x or 0) + 1; return "run " .. x`)}
}

// pooled is a program that has a warm worker.
func pooled(t *testing.T, e *Engine, key string) runtime.Program {
	t.Helper()
	p, err := e.Prepare(t.Context(), source(key))
	require.NoError(t, err)
	return p
}

func (p *pool) pids(key string) []int {
	p.mu.Lock()
	defer p.mu.Unlock()
	var pids []int
	for _, w := range p.waiting {
		if w.src.Key == key {
			pids = append(pids, w.proc.PID())
		}
	}
	return pids
}

func TestPool_WorkerServesOneRun(t *testing.T) {
	t.Parallel()
	e := newPooled(t, Config{})
	program := pooled(t, e, "a")
	seen := make(map[int]bool)
	for range 5 {
		require.Eventually(t, func() bool { return len(e.pool.pids("a")) == 1 }, 30*time.Second, time.Millisecond)
		pid := e.pool.pids("a")[0]
		require.False(t, seen[pid])
		seen[pid] = true
		require.Equal(t, "run 1", program.Run(t.Context(), runtime.Request{}).Message)
	}
}

func TestPool_PrepareAgainIsCheap(t *testing.T) {
	t.Parallel()
	e := newPooled(t, Config{})
	pooled(t, e, "a")
	before := e.pool.pids("a")
	pooled(t, e, "a")
	require.Equal(t, before, e.pool.pids("a"))
}

func TestPool_FullKeepsThoseThatWait(t *testing.T) {
	t.Parallel()
	e := newPooled(t, Config{PoolSize: 2})
	for i := range 4 {
		pooled(t, e, fmt.Sprint(i))
	}
	require.Equal(t, 2, e.pool.size())
	require.True(t, e.pool.has("0"))
	require.True(t, e.pool.has("1"))
}

func TestPool_FullGivesUpTheLongestWaiting(t *testing.T) {
	t.Parallel()
	e := newPooled(t, Config{PoolSize: 2})
	pooled(t, e, "0")
	pooled(t, e, "1")
	e.pool.mu.Lock()
	e.pool.waiting[0].ready = time.Now().Add(-admission - time.Second)
	e.pool.mu.Unlock()
	pooled(t, e, "2")
	require.False(t, e.pool.has("0"))
	require.True(t, e.pool.has("1"))
	require.True(t, e.pool.has("2"))
}

func TestPool_IsBoundedByMemory(t *testing.T) {
	t.Parallel()
	e := newPooled(t, Config{PoolBytes: 1})
	pooled(t, e, "a")
	require.Zero(t, e.pool.size())
}

func TestPool_OldWorkersEnd(t *testing.T) {
	t.Parallel()
	e := newPooled(t, Config{PoolAge: 50 * time.Millisecond})
	pooled(t, e, "a")
	require.Eventually(t, func() bool { return e.pool.size() == 0 && e.proc.Running() == 0 }, 30*time.Second, time.Millisecond)
}

func TestPool_CanBeSwitchedOff(t *testing.T) {
	t.Parallel()
	e := newPooled(t, Config{PoolSize: -1})
	program := pooled(t, e, "a")
	require.Zero(t, e.pool.size())
	require.Equal(t, "run 1", program.Run(t.Context(), runtime.Request{}).Message)
}

func TestPool_DeadWorkersAreNotUsed(t *testing.T) {
	t.Parallel()
	e := newPooled(t, Config{})
	program := pooled(t, e, "a")
	process, err := os.FindProcess(e.pool.pids("a")[0])
	require.NoError(t, err)
	require.NoError(t, process.Kill())
	require.Eventually(t, func() bool { return e.proc.Running() == 0 }, 30*time.Second, time.Millisecond)
	require.False(t, e.pool.has("a"))
	require.Equal(t, "run 1", program.Run(t.Context(), runtime.Request{}).Message)
}

func TestPool_ClosedProgramHasNoWorkers(t *testing.T) {
	t.Parallel()
	e := newPooled(t, Config{})
	program := pooled(t, e, "a")
	pooled(t, e, "b")
	require.NoError(t, program.Close())
	require.False(t, e.pool.has("a"))
	require.True(t, e.pool.has("b"))
}

func TestPool_RefillsAllThatWereUsed(t *testing.T) {
	t.Parallel()
	e := newPooled(t, Config{})
	const programs = refillers + 3
	for i := range programs {
		program := pooled(t, e, fmt.Sprint(i))
		t.Cleanup(func() { require.NoError(t, program.Close()) })
		w := e.pool.take(fmt.Sprint(i))
		require.NotNil(t, w)
		w.end()
	}
	for i := range programs {
		e.pool.refill(source(fmt.Sprint(i)))
	}
	require.Eventually(t, func() bool { return e.pool.size() == programs }, 30*time.Second, time.Millisecond)
}

func TestPool_RefillOfAClosedProgramFindsNoPlace(t *testing.T) {
	t.Parallel()
	e := newPooled(t, Config{})
	program := pooled(t, e, "a")
	w, err := e.start(t.Context(), source("a"), warm) // as a refill does
	require.NoError(t, err)
	require.NoError(t, program.Close())
	e.pool.put(w)
	require.Zero(t, e.pool.size())
	require.NoError(t, program.Close(), "again")
	other, again := pooled(t, e, "a"), pooled(t, e, "a")
	require.NoError(t, other.Close())
	require.Equal(t, 1, e.pool.size(), "another program has the same key")
	require.NoError(t, again.Close())
	require.Zero(t, e.pool.size())
}

func TestEngine_WorkerThatBreaksTheRules(t *testing.T) {
	t.Parallel()
	e := newPooled(t, Config{})
	w, err := e.start(t.Context(), source("a"), cold)
	require.NoError(t, err)
	require.NoError(t, w.conn.Write(frame.Result, nil)) // not what a worker expects
	result := newSession(e, w, runtime.Request{}).serve(t.Context())
	require.Equal(t, runtime.HostError, result.Kind)
	require.Contains(t, result.Message, "a run was expected")
}
