package executor_test

import (
	"context"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/executor"
	"github.com/gluewheel/gluewheel/executor/executortest"
	"github.com/gluewheel/gluewheel/executor/protocol"
	"github.com/gluewheel/gluewheel/glue"
	"github.com/gluewheel/gluewheel/runtime"
)

// echoEngine runs any text: it logs and returns it. Some texts have a meaning of their own.
type echoEngine struct {
	release chan struct{} // lets "wait…" go on
	open    atomic.Int32  // programs
}

func (e *echoEngine) Types() []string { return []string{string(glue.Lua), string(glue.WASM)} }

func (e *echoEngine) Close() error { return nil }

func (e *echoEngine) Prepare(_ context.Context, src runtime.Source) (runtime.Program, error) {
	if string(src.Code) == "invalid" {
		return nil, &runtime.InvalidError{Line: 3, Message: "line 3: unexpected symbol"}
	}
	e.open.Add(1)
	return &echoProgram{engine: e, src: src}, nil
}

type echoProgram struct {
	engine *echoEngine
	src    runtime.Source
}

func (p *echoProgram) Run(ctx context.Context, req runtime.Request) runtime.Result {
	text := string(p.src.Code)
	req.Log(text)
	switch {
	case text == "panic":
		panic("engine bug")
	case text == "memory":
		return runtime.Result{Kind: runtime.OutOfMemory, Message: "over 64 MiB"}
	case text == "liar":
		<-ctx.Done()
		return runtime.Result{Kind: runtime.Failed, Message: "script exit value(-1) is failed"}
	case strings.HasPrefix(text, "wait"):
		select {
		case <-p.engine.release:
		case <-ctx.Done():
			return runtime.Stopped(ctx, "")
		}
	}
	return runtime.Result{Kind: runtime.Succeeded, Message: "ran " + text, Usage: runtime.Usage{PeakBytes: 5}}
}

func (p *echoProgram) Close() error {
	p.engine.open.Add(-1)
	return nil
}

func setupLive(t *testing.T) (*bundle, *echoEngine) {
	t.Helper()
	engine := &echoEngine{release: make(chan struct{})}
	return setup(t, func(c *executor.Config) { c.Engines = []runtime.Engine{engine} }), engine
}

func live(job int32, id int64, stamp int64, source string) protocol.Trigger {
	tr := bean(job, id, "", "")
	tr.GlueType, tr.GlueSource, tr.GlueUpdateMS = string(glue.Lua), source, protocol.Int(stamp)
	return tr
}

// TestExecutor_HotReload publishes a new version while the old one runs.
func TestExecutor_HotReload(t *testing.T) {
	t.Parallel()
	b, engine := setupLive(t)
	first, second := live(1, 1, 10, "wait for me"), live(1, 2, 11, "new text")
	require.EqualValues(t, protocol.CodeOK, b.run(t, first).Code)
	require.EqualValues(t, protocol.CodeOK, b.run(t, second).Code)
	require.Empty(t, b.admin.Results(1), "the run in progress is untouched")
	close(engine.release)
	require.Equal(t, "ran wait for me", *b.admin.Result(t, 1).HandleMsg)
	require.Equal(t, "ran new text", *b.admin.Result(t, 2).HandleMsg)
	require.EqualValues(t, 5, b.admin.Result(t, 2).Gluewheel.PeakBytes)
	b.stop()
	require.Zero(t, engine.open.Load(), "programs still open")
}

func TestExecutor_LiveOutcomes(t *testing.T) {
	t.Parallel()
	b, _ := setupLive(t)
	cases := map[string]struct {
		source          string
		code            int
		message         string
		outcome, reason string
	}{
		"invalid code":                 {"invalid", 500, "line 3: unexpected symbol", "failed", "bad_version"},
		"engine panics":                {"panic", 500, "engine panicked: engine bug", "failed", "host_error"},
		"out of memory":                {"memory", 500, "over 64 MiB", "failed", "out_of_memory"},
		"the supervisor's word counts": {"liar", 502, "job execute timeout ", "timed_out", "timeout"},
	}
	id := int64(0)
	for name, c := range cases {
		id++
		tr := live(int32(id), id, 1, c.source)
		tr.TimeoutS = 1
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.EqualValues(t, protocol.CodeOK, b.run(t, tr).Code)
			cb := b.admin.Result(t, int64(tr.LogID))
			require.EqualValues(t, c.code, cb.HandleCode)
			require.Equal(t, c.message, *cb.HandleMsg)
			require.Equal(t, c.outcome, cb.Gluewheel.Outcome)
			require.Equal(t, c.reason, cb.Gluewheel.Reason)
		})
	}
}

func TestExecutor_FetchesModules(t *testing.T) {
	t.Parallel()
	b, _ := setupLive(t)
	module := func(id int64, digest string) protocol.Trigger {
		tr := live(1, id, 0, "")
		tr.GlueType = string(glue.WASM)
		tr.Gluewheel = &protocol.TriggerX{
			Epoch: 4, Version: 2, Digest: digest, Artifact: true, Manifest: []byte(`{"memory_bytes":1000}`),
		}
		return tr
	}
	digest := glue.Digest([]byte("the module"))
	b.admin.AddModule(digest, []byte("the module"))
	answer := executortest.CallBatch(t, b.Addr(), module(1, digest), module(2, glue.Digest([]byte("nobody has it"))))
	require.EqualValues(t, protocol.CodeOK, answer.Results[0].Code)
	require.Equal(t, "ran the module", *b.admin.Result(t, 1).HandleMsg)

	missing := b.admin.Result(t, 2)
	require.Equal(t, protocol.OutcomeFailed, missing.Gluewheel.Outcome)
	require.Contains(t, *missing.HandleMsg, "HTTP status 404")
	require.Contains(t, *missing.Gluewheel.LogTail, "fetch module "+glue.Digest([]byte("nobody has it")))

	garbled := module(3, digest)
	garbled.Gluewheel.Manifest = []byte(`{"memory_bytes":"many"}`)
	require.EqualValues(t, protocol.CodeOK, b.run(t, garbled).Code)
	require.Equal(t, protocol.ReasonBadVersion, b.admin.Result(t, 3).Gluewheel.Reason)
}

// servedEngine runs a program that uses what the admin offers to guests.
type servedEngine struct{ echoEngine }

func (e *servedEngine) Prepare(context.Context, runtime.Source) (runtime.Program, error) {
	return servedProgram{}, nil
}

type servedProgram struct{}

func (servedProgram) Close() error { return nil }

func (servedProgram) Run(ctx context.Context, req runtime.Request) runtime.Result {
	if req.Services.KV == nil || req.Services.Secret == nil {
		return runtime.Result{Kind: runtime.Failed, Message: "no services"}
	}
	found, err := req.Services.KV(ctx, runtime.KVRequest{Op: runtime.KVGet, Key: "k"})
	if err != nil {
		return runtime.Result{Kind: runtime.Failed, Message: err.Error()}
	}
	secret, err := req.Services.Secret(ctx, "API_KEY")
	if err != nil {
		return runtime.Result{Kind: runtime.Failed, Message: err.Error()}
	}
	return runtime.Result{
		Kind: runtime.Succeeded, Message: string(found.Value) + " " + strconv.Itoa(len(secret)),
		Usage: runtime.Usage{Wall: 1500 * time.Millisecond, CPU: 20 * time.Millisecond, PeakBytes: 5, LogBytes: 6, HostCalls: 2},
	}
}

func TestExecutor_ServesGuestsAndTellsTheirUsage(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	b := setup(t, func(c *executor.Config) {
		c.Engines = []runtime.Engine{&servedEngine{}}
		c.DataDir = dir
	})
	var mu sync.Mutex
	var asked []string
	answer := func(body string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			request, _ := io.ReadAll(r.Body)
			mu.Lock()
			asked = append(asked, string(request))
			mu.Unlock()
			_, _ = io.WriteString(w, body)
		}
	}
	b.admin.Handle(protocol.PathKV, answer(`{"found":true,"value":"dg=="}`))
	b.admin.Handle(protocol.PathSecret, answer(`{"value":"hunter2"}`))

	ours := live(1, 1, 1, "x")
	ours.Gluewheel = &protocol.TriggerX{Epoch: 4, Version: 2}
	for _, r := range executortest.CallBatch(t, b.Addr(), ours).Results {
		require.EqualValues(t, protocol.CodeOK, r.Code, r.Msg)
	}
	cb := b.admin.Result(t, 1)
	require.Equal(t, "v 7", *cb.HandleMsg)
	require.Equal(t, []string{
		`{"run_id":1,"epoch":4,"op":"get","key":"k"}`, `{"run_id":1,"epoch":4,"name":"API_KEY"}`,
	}, asked)
	x := cb.Gluewheel
	require.Equal(t, []int64{1500, 20, 5, 6, 2}, []int64{x.WallMS, x.CPUMS, x.PeakBytes, x.LogBytes, x.HostCalls})

	require.EqualValues(t, protocol.CodeOK, b.run(t, live(2, 2, 1, "x")).Code)
	require.Equal(t, "no services", *b.admin.Result(t, 2).HandleMsg, "XXL-JOB's admin offers none")
	b.stop()
	requireNowhere(t, dir, "hunter2")
}

// requireNowhere looks for text in all files below dir.
func requireNowhere(t *testing.T, dir, text string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		require.NotContains(t, string(content), text, path)
		return err
	}))
}

// lacking runs nothing, and can say why.
type lacking struct{ echoEngine }

func (*lacking) Types() []string { return nil }

func (*lacking) Missing(glueType string) string {
	if glueType == "GLUE_PHP" {
		return "php is not installed on this executor"
	}
	return ""
}

func TestExecutor_NamesTheMissingInterpreter(t *testing.T) {
	t.Parallel()
	b := setup(t, func(c *executor.Config) { c.Engines = []runtime.Engine{&lacking{}} })
	php := live(1, 1, 1, "<?php")
	php.GlueType = "GLUE_PHP"
	require.Equal(t, "glueType[GLUE_PHP] is not valid. php is not installed on this executor", b.run(t, php).Text())
	php.GlueType = "GLUE_GROOVY"
	require.Equal(t, "glueType[GLUE_GROOVY] is not valid.", b.run(t, php).Text())
}
