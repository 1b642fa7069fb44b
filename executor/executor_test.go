package executor_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/executor"
	"github.com/gluewheel/gluewheel/executor/executortest"
	"github.com/gluewheel/gluewheel/executor/protocol"
	"github.com/gluewheel/gluewheel/glue"
)

// bundle is a running executor with an admin beside it.
type bundle struct {
	*executor.Executor
	admin *executortest.Admin
	stop  func()

	mu    sync.Mutex
	gates map[int64]chan struct{}
	begun map[int64]chan struct{}
}

func setup(t *testing.T, change func(*executor.Config)) *bundle {
	t.Helper()
	b := &bundle{
		admin: executortest.NewAdmin(t),
		gates: make(map[int64]chan struct{}), begun: make(map[int64]chan struct{}),
	}
	b.open(t, t.TempDir(), change)
	return b
}

func (b *bundle) open(t *testing.T, dir string, change func(*executor.Config)) {
	t.Helper()
	cfg := executor.Config{
		AppName: "app-test", AdminAddresses: []string{b.admin.URL}, Token: executortest.Token,
		DataDir: dir, Listen: "127.0.0.1:0", DrainTimeout: 5 * time.Second, Location: time.UTC, Log: slog.New(slog.DiscardHandler),
	}
	if change != nil {
		change(&cfg)
	}
	var err error
	b.Executor, err = executor.New(cfg)
	require.NoError(t, err)
	for name, h := range b.handlers() {
		require.NoError(t, b.Handle(name, h))
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- b.Run(ctx) }()
	b.stop = sync.OnceFunc(func() {
		cancel()
		require.NoError(t, <-done)
	})
	t.Cleanup(b.stop)
	select {
	case <-b.Ready():
	case err := <-done:
		require.NoError(t, err)
	}
}

func (b *bundle) handlers() map[string]executor.Handler {
	return map[string]executor.Handler{
		"hello": func(_ context.Context, job *executor.Job) error {
			job.Logf("hello %s", job.Param())
			job.Log().Info("as a record", "run", job.RunID())
			job.Progress(100, "done")
			index, total := job.Shard()
			job.SetResult(fmt.Sprintf("shard %d of %d, attempt %d, planned %s", index, total, job.Attempt(), job.FireAt().Format(time.RFC3339Nano)))
			return nil
		},
		"fail":  func(_ context.Context, job *executor.Job) error { return errors.New(job.Param()) },
		"panic": func(context.Context, *executor.Job) error { panic("no way") },
		"wait":  b.wait,
	}
}

// wait runs until the test lets the run go.
func (b *bundle) wait(ctx context.Context, job *executor.Job) error {
	close(b.gate(b.begun, job.RunID()))
	job.Logf("waiting")
	select {
	case <-b.gate(b.gates, job.RunID()):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (b *bundle) gate(gates map[int64]chan struct{}, id int64) chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	if gates[id] == nil {
		gates[id] = make(chan struct{})
	}
	return gates[id]
}

func (b *bundle) release(id int64) { close(b.gate(b.gates, id)) }

func (b *bundle) awaitBegun(id int64) { <-b.gate(b.begun, id) }

func (b *bundle) run(t *testing.T, tr protocol.Trigger) *protocol.Envelope {
	t.Helper()
	return executortest.Call(t, b.Addr(), protocol.PathRun, tr)
}

func (b *bundle) readLog(t *testing.T, id int64, from int) protocol.LogResult {
	t.Helper()
	e := executortest.Call(t, b.Addr(), protocol.PathLog, protocol.LogRequest{
		LogID: protocol.Int(id), LogDateTim: plannedMS, FromLineNum: protocol.Int(from),
	})
	require.EqualValues(t, protocol.CodeOK, e.Code)
	var r protocol.LogResult
	require.NoError(t, json.Unmarshal(e.Payload(), &r))
	return r
}

const plannedMS = 1_763_700_000_123

func bean(job int32, id int64, handler, param string) protocol.Trigger {
	return protocol.Trigger{
		JobID: protocol.Int(job), LogID: protocol.Int(id), ExecutorHandler: handler, ExecutorParams: param,
		BlockStrategy: protocol.BlockSerial, GlueType: string(glue.Bean), LogDateTimeMS: plannedMS, BroadcastTotal: 1,
	}
}

func TestExecutor_RunsAHandler(t *testing.T) {
	t.Parallel()
	b := setup(t, nil)
	tr := bean(1, 101, "hello", "world")
	tr.BroadcastIndex, tr.BroadcastTotal = 1, 3
	tr.Gluewheel = &protocol.TriggerX{Epoch: 1, Attempt: 2}
	e := b.run(t, tr)
	require.EqualValues(t, protocol.CodeOK, e.Code)
	require.Equal(t, protocol.MsgSuccess, e.Text())

	cb := b.admin.Result(t, 101)
	require.EqualValues(t, protocol.CodeOK, cb.HandleCode)
	require.Equal(t, "shard 1 of 3, attempt 2, planned 2025-11-21T04:40:00.123Z", *cb.HandleMsg)
	require.Equal(t, protocol.OutcomeSucceeded, cb.Gluewheel.Outcome)
	require.Equal(t, protocol.ReasonOK, cb.Gluewheel.Reason)
	require.EqualValues(t, plannedMS, cb.LogDateTim)
	require.LessOrEqual(t, cb.Gluewheel.StartedMS, cb.Gluewheel.EndedMS)
	require.Nil(t, cb.Gluewheel.LogTail, "only failed runs bring their log")

	log := b.readLog(t, 101, 1)
	require.True(t, log.IsEnd)
	require.EqualValues(t, 7, log.ToLineNum)
	lines := strings.Split(log.LogContent, "\n")
	require.Regexp(t, `^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} ----------- gluewheel job execute start`, lines[0])
	require.Contains(t, lines[1], "Param:world")
	require.Contains(t, lines[2], "hello world")
	require.Contains(t, lines[3], `level=INFO msg="as a record" run=101`)
	require.Contains(t, lines[4], "progress 100% done")
	require.Contains(t, lines[6], "handleCode=200")
}

func TestExecutor_Outcomes(t *testing.T) {
	t.Parallel()
	b := setup(t, nil)
	cases := map[string]struct {
		trigger         protocol.Trigger
		code            int
		message         string
		outcome, reason string
		tail            string
	}{
		"an error": {bean(1, 1, "fail", "boom"), 500, "boom", "failed", "handler_failed", "handleMsg=boom"},
		"a panic":  {bean(2, 2, "panic", ""), 500, "handler [panic] panicked: no way", "failed", "handler_failed", "goroutine"},
		"a timeout": {
			func() protocol.Trigger { tr := bean(3, 3, "wait", ""); tr.TimeoutS = 1; return tr }(),
			502, "job execute timeout ", "timed_out", "timeout", "waiting",
		},
		"a long message": {
			bean(4, 4, "fail", strings.Repeat("é", protocol.MaxMessage+1)),
			500, strings.Repeat("é", protocol.MaxMessage) + "...", "failed", "handler_failed", "é",
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.EqualValues(t, protocol.CodeOK, b.run(t, c.trigger).Code)
			cb := b.admin.Result(t, int64(c.trigger.LogID))
			require.EqualValues(t, c.code, cb.HandleCode)
			require.Equal(t, c.message, *cb.HandleMsg)
			require.Equal(t, c.outcome, cb.Gluewheel.Outcome)
			require.Equal(t, c.reason, cb.Gluewheel.Reason)
			require.NotNil(t, cb.Gluewheel.LogTail)
			require.Contains(t, *cb.Gluewheel.LogTail, c.tail)
			require.LessOrEqual(t, len(*cb.Gluewheel.LogTail), protocol.MaxLogTail)
		})
	}
}

func TestExecutor_Refusals(t *testing.T) {
	t.Parallel()
	b := setup(t, func(c *executor.Config) { c.AllowTypes = []glue.Type{glue.Bean, glue.Lua} })
	typed := func(kind string) protocol.Trigger { tr := bean(1, 7, "", ""); tr.GlueType = kind; return tr }
	cases := map[string]struct {
		trigger protocol.Trigger
		want    string
	}{
		"unknown handler":  {bean(1, 7, "nobody", ""), "job handler [nobody] not found."},
		"unknown type":     {typed("GLUE_COBOL"), "glueType[GLUE_COBOL] is not valid."},
		"type not allowed": {typed("GLUE_SHELL"), "fail, current glue type [GLUE(Shell)] not supported."},
		"no engine":        {typed("GLUE_LUA"), "glueType[GLUE_LUA] is not valid."},
		"no log id":        {bean(1, 0, "hello", ""), "request error:jobId and logId are required"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := b.run(t, c.trigger)
			require.EqualValues(t, protocol.CodeFail, e.Code)
			require.Equal(t, c.want, e.Text())
		})
	}
}

func TestExecutor_RepeatIsAnsweredButNotRun(t *testing.T) {
	t.Parallel()
	b := setup(t, nil)
	tr := bean(1, 1, "hello", "")
	answer := executortest.CallBatch(t, b.Addr(), tr, tr, bean(1, 2, "nobody", ""), bean(2, 3, "hello", ""))
	require.Equal(t, []protocol.BatchResult{
		{LogID: 1, Code: 200},
		{LogID: 1, Code: 200, Repeat: true},
		{LogID: 2, Code: 500, Msg: "job handler [nobody] not found."},
		{LogID: 3, Code: 200},
	}, answer.Results)
	b.admin.Result(t, 1)
	b.admin.Result(t, 3)

	again := executortest.CallBatch(t, b.Addr(), tr)
	require.EqualValues(t, protocol.CodeOK, again.Results[0].Code)
	require.True(t, again.Results[0].Repeat)
	require.EqualValues(t, protocol.CodeOK, b.run(t, tr).Code)
	b.stop()
	require.Len(t, b.admin.Results(1), 1)
}

func TestExecutor_DiscardLater(t *testing.T) {
	t.Parallel()
	b := setup(t, nil)
	first, second := bean(1, 1, "wait", ""), bean(1, 2, "wait", "")
	first.BlockStrategy, second.BlockStrategy = protocol.BlockDiscard, protocol.BlockDiscard
	require.EqualValues(t, protocol.CodeOK, b.run(t, first).Code)
	require.Equal(t, protocol.MsgDiscardLater, b.run(t, second).Text())
	require.Equal(t, protocol.MsgBusy, executortest.Call(t, b.Addr(), protocol.PathIdleBeat, protocol.IdleBeat{JobID: 1}).Text())
	require.EqualValues(t, protocol.CodeOK, executortest.Call(t, b.Addr(), protocol.PathIdleBeat, protocol.IdleBeat{JobID: 2}).Code)
	b.release(1)
	b.admin.Result(t, 1)

	b.release(2)
	b.admin.Until(t, "second try accepted", func() bool { return b.run(t, second).Code == protocol.CodeOK })
	b.admin.Result(t, 2)
}

func TestExecutor_Kill(t *testing.T) {
	t.Parallel()
	b := setup(t, nil)
	for id := range int64(3) {
		require.EqualValues(t, protocol.CodeOK, b.run(t, bean(1, id+1, "wait", "")).Code)
	}
	b.awaitBegun(1)
	waiting := b.readLog(t, 2, 1)
	require.False(t, waiting.IsEnd, "a trigger that waits has no log yet")
	require.Empty(t, waiting.LogContent)

	e := executortest.Call(t, b.Addr(), protocol.PathKill, protocol.Kill{JobID: 1, LogID: 2})
	require.Nil(t, e.Payload())
	require.Equal(t, "scheduling center kill job. [job not executed, in the job queue, killed.]", *b.admin.Result(t, 2).HandleMsg)
	require.Empty(t, b.admin.Results(1), "only the run that was named")

	executortest.Call(t, b.Addr(), protocol.PathKill, protocol.Kill{JobID: 1})
	running := b.admin.Result(t, 1)
	require.Equal(t, "scheduling center kill job. [job running, killed]", *running.HandleMsg)
	require.EqualValues(t, protocol.CodeFail, running.HandleCode)
	require.Equal(t, protocol.OutcomeKilled, running.Gluewheel.Outcome)
	require.Equal(t, protocol.ReasonKilled, running.Gluewheel.Reason)
	require.Equal(t, "scheduling center kill job. [job not executed, in the job queue, killed.]", *b.admin.Result(t, 3).HandleMsg)

	none := executortest.Call(t, b.Addr(), protocol.PathKill, protocol.Kill{JobID: 99})
	require.Equal(t, `"job thread already killed."`, string(none.Payload()))
	missing := b.readLog(t, 999, 1)
	require.True(t, missing.IsEnd)
	require.Equal(t, protocol.MsgNoLogFile, missing.LogContent)
}

func TestExecutor_CoverEarly(t *testing.T) {
	t.Parallel()
	b := setup(t, nil)
	require.EqualValues(t, protocol.CodeOK, b.run(t, bean(1, 1, "wait", "")).Code)
	b.awaitBegun(1)
	second := bean(1, 2, "hello", "")
	second.BlockStrategy = protocol.BlockCover
	require.EqualValues(t, protocol.CodeOK, b.run(t, second).Code)
	first := b.admin.Result(t, 1)
	require.Equal(t, "block strategy effect：Cover Early [job running, killed]", *first.HandleMsg)
	require.Equal(t, protocol.ReasonCoverEarly, first.Gluewheel.Reason)
	require.EqualValues(t, protocol.CodeOK, b.admin.Result(t, 2).HandleCode)
}

func TestExecutor_Registers(t *testing.T) {
	t.Parallel()
	b := setup(t, func(c *executor.Config) { c.Version, c.Notes = "1.2.3", []string{"no cgroup"} })
	b.admin.Until(t, "registration", func() bool { return len(b.admin.Registrations()) > 0 })
	r := b.admin.Registrations()[0]
	require.Equal(t, protocol.RegistryGroup, r.Group)
	require.Equal(t, "app-test", r.Key)
	require.Equal(t, "http://"+b.Addr()+"/", r.Value)
	require.Equal(t, b.Address(), r.Value)
	x := r.Gluewheel
	require.Equal(t, 1, x.Protocol)
	require.NotEmpty(t, x.InstanceID)
	require.NotEmpty(t, x.BootID)
	require.Equal(t, []string{"BEAN"}, x.Engines)
	require.Equal(t, []string{"fail", "hello", "panic", "wait"}, x.Handlers)
	require.Equal(t, "1.2.3", x.Version)
	require.Equal(t, []string{"no cgroup"}, x.Notes)
	require.Empty(t, x.Held)
	b.stop()
	require.Equal(t, r.Value, b.admin.Removals()[0].Value)
}

func TestExecutor_RegistersSoonAfterTheAdminIsBack(t *testing.T) {
	t.Parallel()
	b := &bundle{
		admin: executortest.NewAdmin(t),
		gates: make(map[int64]chan struct{}), begun: make(map[int64]chan struct{}),
	}
	b.admin.SetAway(true)
	b.open(t, t.TempDir(), nil)
	require.EqualValues(t, protocol.CodeOK, b.run(t, bean(1, 1, "wait", "")).Code, "it works without an admin")
	b.awaitBegun(1)
	b.admin.SetAway(false)
	b.admin.Until(t, "registration", func() bool { return len(b.admin.Registrations()) > 0 })
	require.Equal(t, []int64{1}, b.admin.Registrations()[0].Gluewheel.Held)
	b.release(1)
}

func TestExecutor_StopDrainsThenKills(t *testing.T) {
	t.Parallel()
	b := setup(t, func(c *executor.Config) { c.DrainTimeout = -1 })
	require.EqualValues(t, protocol.CodeOK, b.run(t, bean(1, 1, "wait", "")).Code)
	require.EqualValues(t, protocol.CodeOK, b.run(t, bean(1, 2, "wait", "")).Code)
	b.awaitBegun(1)
	b.stop()
	require.Equal(t, "web container destroy and kill the job. [job running, killed]", *b.admin.Result(t, 1).HandleMsg)
	require.Equal(t, protocol.ReasonShutdown, b.admin.Result(t, 1).Gluewheel.Reason)
	require.Equal(t, "web container destroy and kill the job. [job not executed, in the job queue, killed.]", *b.admin.Result(t, 2).HandleMsg)
}

func TestExecutor_StopLetsRunsEnd(t *testing.T) {
	t.Parallel()
	b := setup(t, nil)
	require.EqualValues(t, protocol.CodeOK, b.run(t, bean(1, 1, "wait", "")).Code)
	b.awaitBegun(1)
	var stopped sync.WaitGroup
	stopped.Go(b.stop)
	b.admin.Until(t, "removal", func() bool { return len(b.admin.Removals()) > 0 })
	require.Equal(t, protocol.MsgStopping, b.run(t, bean(1, 2, "hello", "")).Text())
	b.release(1)
	stopped.Wait()
	require.EqualValues(t, protocol.CodeOK, b.admin.Result(t, 1).HandleCode)
}

func TestExecutor_AdminAwayResultsArriveOnceLater(t *testing.T) {
	t.Parallel()
	b := setup(t, nil)
	b.admin.Until(t, "registration", func() bool { return len(b.admin.Registrations()) > 0 })
	b.admin.SetAway(true)
	const n = 300
	for id := range int64(n) {
		require.EqualValues(t, protocol.CodeOK, b.run(t, bean(int32(id+1), id+1, "hello", "")).Code)
	}
	require.Empty(t, b.admin.Results(1))
	b.admin.SetAway(false)
	for id := range int64(n) {
		require.EqualValues(t, protocol.CodeOK, b.admin.Result(t, id+1).HandleCode)
	}
	b.stop()
	for id := range int64(n) {
		require.Len(t, b.admin.Results(id+1), 1)
	}
}

func TestExecutor_ResultsSurviveAStopWithoutAdmin(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	b := setup(t, func(c *executor.Config) { c.DataDir = dir })
	b.admin.Until(t, "registration", func() bool { return len(b.admin.Registrations()) == 1 })
	b.admin.SetAway(true)
	require.EqualValues(t, protocol.CodeOK, b.run(t, bean(1, 1, "fail", "boom")).Code)
	b.stop()
	require.Empty(t, b.admin.Results(1))
	b.admin.SetAway(false)

	b.open(t, dir, nil)
	cb := b.admin.Result(t, 1)
	require.Equal(t, "boom", *cb.HandleMsg)
	require.Contains(t, *cb.Gluewheel.LogTail, "boom")
	require.True(t, executortest.CallBatch(t, b.Addr(), bean(1, 1, "fail", "boom")).Results[0].Repeat)
	b.admin.Until(t, "second registration", func() bool { return len(b.admin.Registrations()) == 2 })
	b.stop()
	require.NotEmpty(t, b.admin.Results(1), "twice, if the stop came between the admin and its answer")
	first, second := b.admin.Registrations()[0].Gluewheel, b.admin.Registrations()[1].Gluewheel
	require.Equal(t, first.InstanceID, second.InstanceID)
	require.NotEqual(t, first.BootID, second.BootID)
	require.Empty(t, second.Held, "results are delivered before the registration")
}

func TestExecutor_DialectC(t *testing.T) {
	t.Parallel()
	b := setup(t, nil)
	b.admin.SetWrapped()
	e := executortest.Call(t, b.Addr(), protocol.PathTrigger, bean(1, 1, "hello", ""))
	require.EqualValues(t, protocol.CodeOK, e.Code)
	require.EqualValues(t, plannedMS, b.admin.Result(t, 1).LogDateTime)
}

func TestExecutor_OneProcessADirectory(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	b := setup(t, func(c *executor.Config) { c.DataDir = dir })
	second, err := executor.New(executor.Config{
		AppName: "app-test", AdminAddresses: []string{b.admin.URL}, Token: "t", DataDir: dir, Listen: "127.0.0.1:0",
		Log: slog.New(slog.DiscardHandler),
	})
	require.NoError(t, err)
	require.ErrorContains(t, second.Run(t.Context()), "data directory is in use by another executor process")
	require.ErrorIs(t, second.Run(t.Context()), executor.ErrRunning)
}

func TestNew_NamesWhatIsMissing(t *testing.T) {
	t.Parallel()
	good := executor.Config{AppName: "a", AdminAddresses: []string{"http://127.0.0.1:1"}, Token: "t", DataDir: "d"}
	cases := map[string]func(*executor.Config){
		"AppName":        func(c *executor.Config) { c.AppName = "" },
		"AdminAddresses": func(c *executor.Config) { c.AdminAddresses = nil },
		"Token":          func(c *executor.Config) { c.Token = "" },
		"DataDir":        func(c *executor.Config) { c.DataDir = "" },
		"Listen":         func(c *executor.Config) { c.Listen = "9999" },
		"Address":        func(c *executor.Config) { c.Address = "10.0.0.1:9999" },
		"AllowTypes":     func(c *executor.Config) { c.AllowTypes = []glue.Type{"LUA"} },
		"MaxConcurrent":  func(c *executor.Config) { c.MaxConcurrent = -1 },
		"QueueDepth":     func(c *executor.Config) { c.QueueDepth = -1 },
	}
	for field, spoil := range cases {
		t.Run(field, func(t *testing.T) {
			t.Parallel()
			cfg := good
			spoil(&cfg)
			_, err := executor.New(cfg)
			require.ErrorContains(t, err, field)
		})
	}
}

func TestHandle_RefusesDuplicatesAndNothing(t *testing.T) {
	t.Parallel()
	e, err := executor.New(executor.Config{AppName: "a", AdminAddresses: []string{"http://127.0.0.1:1"}, Token: "t", DataDir: "d"})
	require.NoError(t, err)
	h := func(context.Context, *executor.Job) error { return nil }
	require.NoError(t, e.Handle("x", h))
	require.ErrorContains(t, e.Handle("x", h), "registered already")
	require.Error(t, e.Handle("y", nil))
}

// TestExecutor_StopsRightAfterItsStart: its server may not even have begun to listen.
func TestExecutor_StopsRightAfterItsStart(t *testing.T) {
	t.Parallel()
	for range 30 {
		setup(t, func(c *executor.Config) { c.AdminAddresses = []string{"http://127.0.0.1:1"} }).stop()
	}
}
