//go:build long

package worker_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/executor/executortest"
	"github.com/gluewheel/gluewheel/executor/protocol"
	"github.com/gluewheel/gluewheel/runtime"
	"github.com/gluewheel/gluewheel/runtime/proc"
	"github.com/gluewheel/gluewheel/runtime/script"
	"github.com/gluewheel/gluewheel/runtime/worker"
)

const (
	// hostileTimeout is that of cases which never end by themselves.
	hostileTimeout = time.Second
	// patientTimeout is that of cases which must end by themselves, on a slow machine too:
	// it is not the timeout that they are about.
	patientTimeout = time.Minute
	// hostileBound is how long a run may take after its timeout, with the default grace,
	// the best of hostileTries: a machine that does other things as well may stand still.
	hostileBound = time.Second
	hostileTries = 3
	// hostileMemory is how much more memory this process may have after a run.
	hostileMemory = 20 << 20
	// beatBound is how long a beat may take while hostile code runs.
	beatBound = 500 * time.Millisecond
	// beatTurns is how often the machine may be late for one beat: with the client, the
	// server, and the client again.
	beatTurns = 3
)

// bound is what a machine must have for a case to be run on it.
type bound int

const (
	anywhere       bound = iota
	boundProcesses       // something bounds the number of processes
	boundMemory          // something bounds the memory of a tree
)

// hostile is a program that would harm an executor that let it.
type hostile struct {
	name    string
	src     runtime.Source
	kinds   []runtime.Kind
	message string // part of the result's
	needs   bound
}

// ends are kinds that a case may end with.
func ends(kinds ...runtime.Kind) []runtime.Kind { return kinds }

// timeout is what the case gets.
func (c hostile) timeout() time.Duration {
	if slices.Contains(c.kinds, runtime.TimedOut) {
		return hostileTimeout
	}
	return patientTimeout
}

// hostileBundle is an executor's engines as one of them is wired.
type hostileBundle struct {
	proc    *proc.Supervisor
	sandbox *worker.Engine
	scripts *script.Engine
}

func setupHostile(t *testing.T) hostileBundle {
	t.Helper()
	supervisor, err := proc.New(proc.Config{Shim: []string{worker.WorkerExe, "__worker", "shim"}})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, supervisor.Close()) })
	sandbox, err := worker.New(worker.Config{Exe: worker.WorkerExe, Proc: supervisor})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, sandbox.Close()) })
	scripts, err := script.New(script.Config{Dir: t.TempDir(), Proc: supervisor, Processes: 64, MemoryBytes: 128 << 20})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, scripts.Close()) })
	return hostileBundle{supervisor, sandbox, scripts}
}

func (b hostileBundle) engine(glueType string) runtime.Engine {
	for _, known := range b.sandbox.Types() {
		if known == glueType {
			return b.sandbox
		}
	}
	return b.scripts
}

// lacks says what this machine lacks for a case, "" for nothing.
func (b hostileBundle) lacks(c hostile) string {
	methods := b.proc.Methods()
	switch {
	case c.needs == boundProcesses && methods.Processes == "":
		return "nothing here bounds the number of processes"
	case c.needs == boundMemory && methods.Memory == "":
		return "nothing here bounds the memory of scripts"
	}
	if engine, ok := b.engine(c.src.Type).(*script.Engine); ok {
		for _, known := range engine.Types() {
			if known == c.src.Type {
				return ""
			}
		}
		return "no interpreter here for " + c.src.Type
	}
	return ""
}

// run runs a case. What cannot be prepared ends there.
func (b hostileBundle) run(ctx context.Context, t *testing.T, src runtime.Source, id int64) runtime.Result {
	t.Helper()
	program, err := b.engine(src.Type).Prepare(ctx, src)
	if invalid, ok := errors.AsType[*runtime.InvalidError](err); ok {
		return runtime.Result{Kind: runtime.Invalid, Message: invalid.Message}
	}
	if err != nil && ctx.Err() != nil {
		return runtime.Stopped(ctx, err.Error())
	}
	require.NoError(t, err)
	received := 0
	result := program.Run(ctx, runtime.Request{RunID: id, Log: func(line string) { received += len(line) + 1 }})
	require.NoError(t, program.Close())
	require.LessOrEqual(t, received, 12_000, "bytes of log")
	return result
}

// TestHostile runs one case at a time, since each is checked for what it leaves.
func TestHostile(t *testing.T) {
	b := setupHostile(t)
	for i, warm := range []runtime.Source{luaSource(`return 1`), jsSource(`1`), tsSource(`1`), wasmSource(command().Encode()), shellSource(`:`)} {
		require.Equal(t, runtime.Succeeded, b.run(t.Context(), t, warm, int64(i+1)).Kind)
	}
	b.requireQuiet(t, 0)
	slowest := beat(t, runExecutor(t, executortest.NewAdmin(t), b.sandbox, b.scripts).Addr())
	debug.FreeOSMemory()
	before := counts(t)

	cases := hostileCases()
	require.GreaterOrEqual(t, len(cases), 60)
	var notRun []string
	for i, c := range cases {
		id := int64(1_000_000 + i)
		t.Run(c.name, func(t *testing.T) {
			if lack := b.lacks(c); lack != "" {
				notRun = append(notRun, c.name+": "+lack)
				t.Skip(lack)
			}
			c.src.Limits.LogBytes = 10_000
			took := b.attempt(t, c, id)
			for try := 1; try < hostileTries && took >= c.timeout()+hostileBound; try++ {
				t.Logf("it took %v: tried again", took)
				took = b.attempt(t, c, id)
			}
			require.Less(t, took, c.timeout()+hostileBound)

			b.requireQuiet(t, id)
			requireChildren(t, before.children)
			debug.FreeOSMemory()
			after := counts(t)
			require.LessOrEqual(t, after.descriptors, before.descriptors+8) // connections of executor and admin come and go; a leak in each case would be far more
			require.Less(t, after.resident-before.resident, int64(hostileMemory))
		})
	}
	worst, late := slowest()
	t.Logf("the slowest beat took %v; the machine itself was up to %v late", worst, late)
	require.Less(t, worst, beatBound+beatTurns*late)
	t.Logf("%d hostile cases, %d NOT RUN", len(cases), len(notRun))
	for _, line := range notRun {
		t.Log("NOT RUN " + line)
	}
}

// attempt runs a case once and tells how long it took.
func (b hostileBundle) attempt(t *testing.T, c hostile, id int64) time.Duration {
	t.Helper()
	ctx, cancel := context.WithTimeoutCause(t.Context(), c.timeout(), runtime.ErrTimeout)
	defer cancel()
	started := time.Now()
	result := b.run(ctx, t, c.src, id)
	took := time.Since(started)
	require.Contains(t, c.kinds, result.Kind, result.Message)
	require.Contains(t, result.Message, c.message)
	return took
}

// requireQuiet waits until no process of a run is left: none that the supervisor knows,
// and none that carries the run's id in its environment.
func (b hostileBundle) requireQuiet(t *testing.T, id int64) {
	t.Helper()
	require.Eventually(t, func() bool { return b.proc.Running() == 0 }, 30*time.Second, time.Millisecond)
	environs, err := filepath.Glob("/proc/[0-9]*/environ")
	require.NoError(t, err)
	for _, path := range environs {
		environ, err := os.ReadFile(path)
		if err == nil { // else it has ended, or is another's
			require.NotContains(t, "\x00"+string(environ), fmt.Sprintf("\x00GW_RUN_ID=%d\x00", id), path)
		}
	}
}

// beat polls an executor's /beat every 50 ms until slowest is called, which gives the
// longest time that an answer took, and how late the machine woke this loop at worst.
func beat(t *testing.T, addr string) (slowest func() (worst, late time.Duration)) {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{}}
	ctx, cancel := context.WithCancel(t.Context())
	var polling sync.WaitGroup
	var worst, late time.Duration
	polling.Go(func() {
		for {
			const pause = 50 * time.Millisecond
			paused := time.Now()
			select {
			case <-ctx.Done():
				return
			case <-time.After(pause):
			}
			started := time.Now()
			late = max(late, started.Sub(paused)-pause)
			if err := beatOnce(t.Context(), client, addr); err != nil {
				t.Errorf("beat: %v", err)
				return
			}
			worst = max(worst, time.Since(started))
		}
	})
	return func() (time.Duration, time.Duration) {
		cancel()
		polling.Wait()
		client.CloseIdleConnections()
		return worst, late
	}
}

func beatOnce(ctx context.Context, client *http.Client, addr string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+addr+protocol.PathBeat, strings.NewReader("{}"))
	if err != nil {
		return err
	}
	req.Header.Set(protocol.HeaderToken, executortest.Token)
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	var answer protocol.Envelope
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil {
		return err
	}
	if answer.Code != protocol.CodeOK {
		return fmt.Errorf("answer %d %s", answer.Code, answer.Text())
	}
	return nil
}

// TestTenThousandRunsLeaveNothing runs the sandbox's languages in turn. What is left is
// counted while no program is open, since open ones have warm workers.
func TestTenThousandRunsLeaveNothing(t *testing.T) {
	const runs, atATime = 10_000, 4
	b := setupHostile(t)
	sources := []runtime.Source{luaSource(`return gw.param()`), jsSource(`gw.param()`), wasmSource(command().Encode())}
	round := func(n int) count {
		var programs []runtime.Program
		for _, src := range sources {
			program, err := b.sandbox.Prepare(t.Context(), src)
			require.NoError(t, err)
			programs = append(programs, program)
		}
		var wg sync.WaitGroup
		for w := range atATime {
			wg.Go(func() {
				for i := w; i < n; i += atATime {
					result := programs[i%len(programs)].Run(t.Context(), runtime.Request{Param: "p"})
					if result.Kind != runtime.Succeeded {
						t.Errorf("run %d: %+v", i, result)
						return
					}
				}
			})
		}
		wg.Wait()
		for _, program := range programs {
			require.NoError(t, program.Close())
		}
		require.Eventually(t, func() bool { return b.proc.Running() == 0 }, time.Minute, 10*time.Millisecond)
		debug.FreeOSMemory()
		return counts(t)
	}
	before := round(100)
	after := round(runs)
	require.Less(t, after.resident-before.resident, int64(hostileMemory))
	require.LessOrEqual(t, after.goroutines, before.goroutines+2, "those of the runtime come and go")
	requireChildren(t, before.children)
	require.Equal(t, before.descriptors, after.descriptors, "descriptors")
}
