//go:build long

package e2e

import (
	"bufio"
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/executor"
	"github.com/gluewheel/gluewheel/runtime"
	"github.com/gluewheel/gluewheel/runtime/worker"
)

// executorEnv, when set, makes the test binary an executor process.
const executorEnv = "GLUEWHEEL_E2E_EXECUTOR"

// runExecutor is the executor process: one handler, "witness", which appends a line
// at its start and one at its end to a file that no database touches. Its parameter is
// how long it takes, such as "200ms"; empty is at once.
func runExecutor() int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	lua, err := worker.New(worker.Config{
		Exe: os.Getenv("E2E_BINARY"), CacheDir: filepath.Join(os.Getenv("E2E_DATA"), "compiled"), Log: log,
	})
	if err != nil {
		log.Error("make worker engine", "err", err)
		return 1
	}
	defer lua.Close()
	e, err := executor.New(executor.Config{
		AppName:        appName,
		AdminAddresses: strings.Split(os.Getenv("E2E_ADMINS"), ","),
		Token:          token,
		Listen:         os.Getenv("E2E_LISTEN"),
		DataDir:        os.Getenv("E2E_DATA"),
		Engines:        []runtime.Engine{lua},
		Log:            log,
	})
	if err != nil {
		log.Error("make executor", "err", err)
		return 1
	}
	witness, err := os.OpenFile(os.Getenv("E2E_WITNESS"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		log.Error("open witness", "err", err)
		return 1
	}
	defer witness.Close()
	if err := e.Handle("witness", func(ctx context.Context, j *executor.Job) error {
		return witnessed(ctx, witness, j)
	}); err != nil {
		log.Error("register handler", "err", err)
		return 1
	}
	if err := e.Run(ctx); err != nil {
		log.Error("run executor", "err", err)
		return 1
	}
	return 0
}

func witnessed(ctx context.Context, f *os.File, j *executor.Job) error {
	fmt.Fprintf(f, "start %d %d %d\n", j.RunID(), j.ID(), time.Now().UnixMilli())
	defer func() { fmt.Fprintf(f, "end %d %d %d\n", j.RunID(), j.ID(), time.Now().UnixMilli()) }()
	if j.Param() == "" {
		return nil
	}
	d, err := time.ParseDuration(j.Param())
	if err != nil {
		return err
	}
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(d):
		return nil
	}
}

// exec is one executor process and what it witnessed.
type execProc struct {
	*proc
	c       *cluster
	name    string
	addr    string
	dir     string
	witness string
	admins  []string
}

// startExecutor starts an executor that knows the given admins and waits for its
// registration.
func (c *cluster) startExecutor(name string, admins ...*admin) *execProc {
	c.t.Helper()
	dir := c.t.TempDir()
	e := &execProc{c: c, name: name, addr: freeAddr(c.t), dir: dir, witness: filepath.Join(dir, "witness")}
	for _, a := range admins {
		e.admins = append(e.admins, a.base())
	}
	e.restart()
	return e
}

// restart starts the process (again) on the same data and address.
func (e *execProc) restart() {
	e.c.t.Helper()
	self, err := os.Executable()
	require.NoError(e.c.t, err)
	e.proc = startProc(e.c.t, e.name, self, nil, []string{
		executorEnv + "=1",
		"E2E_BINARY=" + binary,
		"E2E_ADMINS=" + strings.Join(e.admins, ","),
		"E2E_LISTEN=" + e.addr,
		"E2E_DATA=" + filepath.Join(e.dir, "data"),
		"E2E_WITNESS=" + e.witness,
	})
	started := time.Now().Add(-time.Second)
	eventually(e.c.t, 30*time.Second, func() bool {
		return e.c.count(`SELECT count(*) FROM executor_node WHERE address LIKE '%' || $1 || '%' AND heartbeat_at > $2`, e.addr, started) == 1
	}, "%s registers", e.name)
}

// starts counts the starts of each run.
func starts(t *testing.T, execs ...*execProc) map[int64]int {
	t.Helper()
	out := map[int64]int{}
	for _, e := range execs {
		for _, l := range e.lines() {
			if l.what == "start" {
				out[l.run]++
			}
		}
	}
	return out
}

type witnessLine struct {
	what string
	run  int64
	job  int32
	ms   int64
}

func (e *execProc) lines() []witnessLine {
	f, err := os.Open(e.witness)
	if os.IsNotExist(err) {
		return nil
	}
	require.NoError(e.c.t, err)
	defer f.Close()
	var out []witnessLine
	for s := bufio.NewScanner(f); s.Scan(); {
		var l witnessLine
		_, err := fmt.Sscan(s.Text(), &l.what, &l.run, &l.job, &l.ms)
		require.NoError(e.c.t, err, s.Text())
		out = append(out, l)
	}
	return out
}

// requireOncePerRun fails when a run was started twice.
func requireOncePerRun(t *testing.T, execs ...*execProc) {
	t.Helper()
	for run, n := range starts(t, execs...) {
		require.Equal(t, 1, n, "run %d started %d times", run, n)
	}
}
