package executor_test

import (
	"bufio"
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/executor"
	"github.com/gluewheel/gluewheel/executor/executortest"
	"github.com/gluewheel/gluewheel/executor/protocol"
)

// Environment of the child process.
const (
	childEnv = "GLUEWHEEL_TEST_CHILD" // its data directory
	adminEnv = "GLUEWHEEL_TEST_ADMIN"
)

// runChild is an executor process whose handlers note each begin in a file that
// survives it. "block" never ends by itself; "quick" does at once.
func runChild() {
	dir := os.Getenv(childEnv)
	e, err := executor.New(executor.Config{
		AppName: "app-test", AdminAddresses: []string{os.Getenv(adminEnv)}, Token: executortest.Token,
		DataDir: dir, Listen: "127.0.0.1:0", Log: slog.New(slog.DiscardHandler),
	})
	must(err)
	note := func(job *executor.Job) {
		f, err := os.OpenFile(begunFile(dir), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		must(err)
		_, err = fmt.Fprintln(f, job.RunID())
		must(err)
		must(f.Close())
	}
	must(e.Handle("quick", func(_ context.Context, job *executor.Job) error { note(job); return nil }))
	must(e.Handle("block", func(ctx context.Context, job *executor.Job) error {
		note(job)
		if _, err := os.Stat(filepath.Join(dir, "go-on")); err == nil {
			return nil
		}
		<-ctx.Done()
		return context.Cause(ctx)
	}))
	go func() {
		<-e.Ready()
		fmt.Println(e.Addr())
	}()
	must(e.Run(context.Background()))
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func begunFile(dir string) string { return filepath.Join(dir, "begun") }

// begunRuns counts how often each run has begun, over all processes.
func begunRuns(t *testing.T, dir string) map[string]int {
	t.Helper()
	raw, err := os.ReadFile(begunFile(dir))
	require.NoError(t, err)
	counts := make(map[string]int)
	for _, id := range strings.Fields(string(raw)) {
		counts[id]++
	}
	return counts
}

// child starts an executor process and gives its address and a way to kill it with -9.
func child(t *testing.T, dir, adminURL string) (addr string, kill func()) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"="+dir, adminEnv+"="+adminURL)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	killed := false
	kill = func() {
		if !killed {
			killed = true
			require.NoError(t, cmd.Process.Kill())
			require.Error(t, cmd.Wait(), "the process was killed")
		}
	}
	t.Cleanup(kill)
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	return strings.TrimSpace(line), kill
}

// TestExecutor_Kill9 kills an executor that has 20 queued triggers, runs in progress and
// unacknowledged results. After its restart each is explained, none has run twice, and
// none has vanished.
func TestExecutor_Kill9(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	admin := executortest.NewAdmin(t)
	admin.SetAway(true)
	addr, kill := child(t, dir, admin.URL)

	const (
		running, idempotent = 1, 2 // begun, never end
		queued              = 100  // behind the running one, 20 of them
		finished            = 200  // their results find no admin, 10 of them
		queuedN, finishedN  = int64(20), int64(10)
	)
	accept := func(triggers ...protocol.Trigger) {
		for _, r := range executortest.CallBatch(t, addr, triggers...).Results {
			require.EqualValues(t, protocol.CodeOK, r.Code, r.Msg)
		}
	}
	again := bean(2, idempotent, "block", "")
	again.Gluewheel = &protocol.TriggerX{Idempotent: true}
	accept(bean(1, running, "block", ""), again)
	for i := range finishedN {
		accept(bean(int32(10+i), finished+i, "quick", ""))
	}
	for i := range queuedN {
		accept(bean(1, queued+i, "quick", ""))
	}
	require.Eventually(t, func() bool { return len(begunRuns(t, dir)) == 2+int(finishedN) }, 30*time.Second, 5*time.Millisecond)
	kill()

	require.NoError(t, os.WriteFile(filepath.Join(dir, "go-on"), nil, 0o600))
	admin.SetAway(false)
	addr, kill = child(t, dir, admin.URL)

	lost := admin.Result(t, running)
	require.Equal(t, protocol.OutcomeLost, lost.Gluewheel.Outcome)
	require.Equal(t, protocol.ReasonLostRestart, lost.Gluewheel.Reason)
	require.Equal(t, protocol.MsgLostRestart, *lost.HandleMsg)
	require.Contains(t, *lost.Gluewheel.LogTail, protocol.MsgLostRestart)
	require.Equal(t, protocol.OutcomeSucceeded, admin.Result(t, idempotent).Gluewheel.Outcome)
	for i := range queuedN {
		require.Equal(t, protocol.OutcomeSucceeded, admin.Result(t, queued+i).Gluewheel.Outcome)
	}
	for i := range finishedN {
		outcome := admin.Result(t, finished+i).Gluewheel.Outcome
		require.Contains(t, []string{protocol.OutcomeSucceeded, protocol.OutcomeLost}, outcome)
	}

	// A repeated log id is known to the new process too.
	require.True(t, executortest.CallBatch(t, addr, bean(1, queued, "quick", "")).Results[0].Repeat)
	admin.Until(t, "beat that holds nothing", func() bool {
		r := admin.Registrations()
		return len(r) > 0 && r[0].Gluewheel.Protocol == 1
	})
	kill()
	counts := begunRuns(t, dir)
	require.Len(t, counts, 2+int(queuedN+finishedN))
	for id, n := range counts {
		want := 1
		if id == fmt.Sprint(idempotent) {
			want = 2
		}
		require.Equal(t, want, n, "run %s", id)
	}
	for i := range queuedN {
		require.Len(t, admin.Results(queued+i), 1)
	}
}

// TestExecutor_Kill9UnderLoad kills an executor at a random moment of a stream of short
// runs, several times over: what was accepted is reported exactly once and begins at most
// once.
func TestExecutor_Kill9UnderLoad(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	admin := executortest.NewAdmin(t)
	var accepted []int64
	next := int64(1)
	for round := range 4 {
		addr, kill := child(t, dir, admin.URL)
		for range 10 + 7*round {
			batch := make([]protocol.Trigger, 5)
			for i := range batch {
				batch[i] = bean(int32(next%7+1), next, "quick", "")
				next++
			}
			for _, r := range executortest.CallBatch(t, addr, batch...).Results {
				require.EqualValues(t, protocol.CodeOK, r.Code, r.Msg)
				accepted = append(accepted, int64(r.LogID))
			}
		}
		kill()
	}
	_, kill := child(t, dir, admin.URL)
	for _, id := range accepted {
		admin.Result(t, id)
	}
	kill()
	for id, n := range begunRuns(t, dir) {
		require.Equal(t, 1, n, "run %s", id)
	}
}
