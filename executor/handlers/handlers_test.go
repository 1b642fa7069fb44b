package handlers_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/gluewheel/gluewheel/executor"
	"github.com/gluewheel/gluewheel/executor/executortest"
	"github.com/gluewheel/gluewheel/executor/handlers"
	"github.com/gluewheel/gluewheel/executor/protocol"
	"github.com/gluewheel/gluewheel/runtime/egress"
	"github.com/gluewheel/gluewheel/runtime/proc"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.updateServerDate.func1"), goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.(*workerPool).Start.func2"))
}

// bundle is an executor with the handlers, driven over the wire.
type bundle struct {
	t     *testing.T
	admin *executortest.Admin
	exec  *executor.Executor
	next  int64
}

var loopback = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}

func setup(t *testing.T, cfg handlers.Config) *bundle {
	t.Helper()
	b := &bundle{t: t, admin: executortest.NewAdmin(t)}
	var err error
	b.exec, err = executor.New(executor.Config{
		AppName: "app-test", AdminAddresses: []string{b.admin.URL}, Token: executortest.Token,
		DataDir: t.TempDir(), Listen: "127.0.0.1:0", Log: slog.New(slog.DiscardHandler),
	})
	require.NoError(t, err)
	cfg.Log = slog.New(slog.DiscardHandler)
	h, err := handlers.Register(b.exec, cfg)
	require.NoError(t, err)
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- b.exec.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		require.NoError(t, <-ended)
		h.Close()
	})
	select {
	case <-b.exec.Ready():
	case err := <-ended:
		require.NoError(t, err)
	}
	return b
}

func newSupervisor(t *testing.T) *proc.Supervisor {
	t.Helper()
	s, err := proc.New(proc.Config{Log: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

func (b *bundle) post(path string, in any) *protocol.Envelope {
	b.t.Helper()
	return executortest.Call(b.t, b.exec.Addr(), path, in)
}

type ran struct {
	code     int
	msg, log string
}

func (b *bundle) trigger(handler, param string, change func(*protocol.Trigger)) protocol.Trigger {
	b.t.Helper()
	b.next++
	t := protocol.Trigger{
		JobID: protocol.Int(b.next), ExecutorHandler: handler, ExecutorParams: param, LogID: protocol.Int(b.next),
		LogDateTimeMS: protocol.Int(time.Now().UnixMilli()), GlueType: "BEAN", BroadcastTotal: 1,
	}
	if change != nil {
		change(&t)
	}
	require.Equal(b.t, protocol.Int(200), b.post(protocol.PathRun, t).Code)
	return t
}

// run triggers a handler and waits for its result and log.
func (b *bundle) run(handler, param string, change func(*protocol.Trigger)) ran {
	b.t.Helper()
	t := b.trigger(handler, param, change)
	code, msg := func() (int, string) { cb := b.admin.Result(b.t, int64(t.LogID)); return cb.Result() }()
	var log protocol.LogResult
	e := b.post(protocol.PathLog, protocol.LogRequest{LogDateTime: t.LogDateTimeMS, LogID: t.LogID, FromLineNum: 1})
	require.NoError(b.t, json.Unmarshal(e.Payload(), &log))
	return ran{code, msg, log.LogContent}
}

func TestSharding(t *testing.T) {
	t.Parallel()
	b := setup(t, handlers.Config{})
	r := b.run("shardingJobHandler", "", func(t *protocol.Trigger) { t.BroadcastIndex, t.BroadcastTotal = 1, 3 })
	require.Equal(t, 200, r.code, r.msg)
	require.Contains(t, r.log, "index 1 of total 3")
	require.Contains(t, r.log, "shard 0: ignored")
	require.Contains(t, r.log, "shard 1: hit")
}

func TestDemo_EndsWithItsTimeout(t *testing.T) {
	t.Parallel()
	b := setup(t, handlers.Config{})
	r := b.run("demoJobHandler", "p", func(t *protocol.Trigger) { t.TimeoutS = 1 })
	require.Equal(t, 502, r.code, r.msg)
	require.Contains(t, r.log, `the parameter is "p"`)
	require.Contains(t, r.log, "beat at: 0")
}

// echo answers with what it was asked; /status/503 with that status.
func echo(w http.ResponseWriter, r *http.Request) {
	if text, ok := strings.CutPrefix(r.URL.Path, "/status/"); ok {
		status, _ := strconv.Atoi(text)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, "no luck")
		return
	}
	if r.URL.Path == "/slow" {
		<-r.Context().Done()
		return
	}
	body, _ := io.ReadAll(r.Body)
	_, _ = fmt.Fprintf(w, "%s|%s|%s|%s|%s|%s", r.Method, r.Header.Get("Content-Type"), r.Header.Get("Authorization"), r.Header.Get("Cookie"), r.Header.Get("X-A"), body)
}

func TestHTTP(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(echo))
	t.Cleanup(server.Close)
	b := setup(t, handlers.Config{HTTP: egress.Policy{Networks: loopback}})
	for _, c := range []struct {
		name, param string
		code        int
		msg         string
	}{
		{"JSON", `{"url":"URL/"}`, 200, "GET|||||"},
		{"JSON, all", `{"url":"URL/","method":"post","contentType":"text/plain","headers":{"x-a":"b"},"cookies":{"c":"d"},"timeout":2000,"data":"body","auth":"Bearer t"}`, 200, "POST|text/plain|Bearer t|c=d|b|body"},
		{"JSON, form", `{"url":"URL/","method":"POST","form":{"a":"1 2"}}`, 200, "POST|application/x-www-form-urlencoded||||a=1+2"},
		{"JSON, both bodies", `{"url":"URL/","data":"x","form":{"a":"1"}}`, 500, "data and form exclude each other"},
		{"lines", "url: URL/x\nmethod: post\ndata: one\ntwo", 200, "POST|application/json; charset=UTF-8||||one\ntwo"},
		{"lines, url alone", "url: URL/", 200, "GET|||||"},
		{"lines of Windows", "url: URL/\r\nmethod: PUT\r\ndata: x", 200, "PUT|application/json; charset=UTF-8||||x"},
		{"nothing", " ", 500, "param invalid"},
		{"no url", `{"method":"GET"}`, 500, "url is missing"},
		{"another word", "uri: URL/", 500, `"uri" is none of url:, method: and data:`},
		{"no JSON", `{"url":`, 500, "param invalid"},
		{"no address", `{"url":"/etc/passwd"}`, 500, "url is not an http address"},
		{"another scheme", `{"url":"file://h/etc/passwd"}`, 500, "only http and https are there"},
		{"another method", `{"url":"URL/","method":"CONNECT"}`, 500, `method "CONNECT"`},
		{"a failure", `{"url":"URL/status/503"}`, 500, "HTTP status 503: no luck"},
		{"created", `{"url":"URL/status/201"}`, 200, "no luck"},
		{"its own timeout", `{"url":"URL/slow","timeout":50}`, 500, "no answer within 50ms"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := b.run("httpJobHandler", strings.ReplaceAll(c.param, "URL", server.URL), nil)
			require.Equal(t, c.code, r.code, r.msg)
			require.Contains(t, r.msg, c.msg)
		})
	}
}

func TestHTTP_ReachesWhatItMay(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(echo))
	t.Cleanup(server.Close)
	b := setup(t, handlers.Config{})
	for _, address := range []string{server.URL, "http://169.254.169.254/latest/meta-data", "http://10.0.0.1/", "http://[::1]/", "http://localhost:1/"} {
		r := b.run("httpJobHandler", `{"url":"`+address+`"}`, nil)
		require.Equal(t, 500, r.code)
		require.Contains(t, r.msg, "not a public one", address)
	}
	b = setup(t, handlers.Config{HTTP: egress.Policy{Networks: loopback, Hosts: []string{"example.com"}}})
	r := b.run("httpJobHandler", `{"url":"`+server.URL+`"}`, nil)
	require.Equal(t, 500, r.code)
	require.Contains(t, r.msg, "does not allow it")
}

func TestCommand_IsOffByDefault(t *testing.T) {
	t.Parallel()
	b := setup(t, handlers.Config{})
	e := b.post(protocol.PathRun, protocol.Trigger{JobID: 1, LogID: 1, GlueType: "BEAN", ExecutorHandler: "commandJobHandler", ExecutorParams: "id"})
	require.Equal(t, protocol.Int(500), e.Code)
	require.Equal(t, "job handler [commandJobHandler] not found.", e.Text())
}

func TestCommand(t *testing.T) {
	t.Parallel()
	b := setup(t, handlers.Config{Command: newSupervisor(t)})
	script := filepath.Join(t.TempDir(), "script")
	require.NoError(t, os.WriteFile(script, []byte("#!/bin/sh\necho \"out $# $1\"\necho err >&2\nexit $2\n"), 0o700))
	for _, c := range []struct {
		name, param string
		code        int
		msg, log    string
	}{
		{"success", script + " a 0", 200, "ended well", "out 2 a"},
		{"split at blanks, no shell", script + "  $HOME;id  0", 200, "", "out 2 $HOME;id"},
		{"failure", script + " a 3", 500, "command exit value(3) is failed", "err"},
		{"nothing", " ", 500, "command empty", ""},
		{"no such program", "/no/such/program", 500, "find the command", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := b.run("commandJobHandler", c.param, nil)
			require.Equal(t, c.code, r.code, r.msg)
			require.Contains(t, r.msg, c.msg)
			require.Contains(t, r.log, c.log)
		})
	}
}

func TestCommand_EndsWithItsRun(t *testing.T) {
	t.Parallel()
	b := setup(t, handlers.Config{Command: newSupervisor(t)})
	script := filepath.Join(t.TempDir(), "script")
	require.NoError(t, os.WriteFile(script, []byte("#!/bin/sh\ntrap '' TERM\necho $$\nwhile :; do sleep 1; done\n"), 0o700))
	r := b.run("commandJobHandler", script, func(t *protocol.Trigger) { t.TimeoutS = 1 })
	require.Equal(t, 502, r.code, r.msg)
	require.NotContains(t, r.msg, "still running")
}
