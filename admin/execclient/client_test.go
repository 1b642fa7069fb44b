package execclient_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/admin/execclient"
	"github.com/gluewheel/gluewheel/admin/job"
	"github.com/gluewheel/gluewheel/executor/protocol"
)

func newClient(t *testing.T, edit ...func(*execclient.Config)) *execclient.Client {
	t.Helper()
	cfg := execclient.Config{Token: "tok", Timeout: 30 * time.Second}
	for _, e := range edit {
		e(&cfg)
	}
	c := execclient.New(cfg)
	t.Cleanup(c.Close)
	return c
}

func hasty(c *execclient.Config) { c.Timeout = 3 * time.Second }

func trigger(id int64) *protocol.Trigger {
	return &protocol.Trigger{JobID: 1, LogID: protocol.Int(id), GlueType: "BEAN", ExecutorHandler: "demo"}
}

func TestRun_UnderstandsEveryAnswer(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		status  int
		body    string
		verdict job.Verdict
		text    string // contained
		repeat  bool
	}{
		{"2.x", 200, `{"code":200}`, job.Accepted, "", false},
		{"3.x", 200, `{"code":200,"msg":"Success"}`, job.Accepted, "Success", false},
		{"hybrid", 200, `{"code":200,"msg":null,"content":null,"data":null}`, job.Accepted, "", false},
		{"code as a string", 200, ` {"code":"200"} `, job.Accepted, "", false},
		{"repeat, 3.x", 200, `{"code":500,"msg":"repeat trigger job, logId:7"}`, job.Accepted, "repeat", true},
		{"repeat, 2.x", 200, `{"code":500,"msg":"repeate trigger job, logId:7"}`, job.Accepted, "repeate", true},
		{"refused", 200, `{"code":500,"msg":"block strategy effect：Discard Later"}`, job.Refused, "Discard Later", false},
		{"msg is no text", 200, `{"code":500,"msg":{"a":1}}`, job.Refused, `{"a":1}`, false},
		{"Go client", 200, `[{"logId":1,"executeResult":{"code":500,"msg":"There are tasks running"},"handleCode":500,"handleMsg":"There are tasks running"}]`, job.Refused, "There are tasks running", false},
		{"other array", 200, `[1,2]`, job.Refused, "[1,2]", false},
		{"empty", 200, ``, job.Refused, "empty", false},
		{"page", 200, `<html>hello</html>`, job.Refused, "hello", false},
		{"text", 200, `"ok"`, job.Refused, "ok", false},
		{"error page", 500, `<h1>Whitelabel</h1>`, job.Refused, "500: <h1>Whitelabel", false},
		{"not found", 404, ``, job.Refused, "404", false},
		{"a gateway that gave up", 504, `late`, job.NoAnswer, "504", false},
		{"a gateway without an answer", 502, ``, job.NoAnswer, "502", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := answering(t, c.status, c.body)
			out := newClient(t).Run(t.Context(), job.Target{Address: p.url()}, trigger(7))
			require.Equal(t, c.verdict, out.Verdict, out.Text)
			require.Contains(t, out.Text, c.text)
			require.Equal(t, c.repeat, out.Repeat)
			require.Len(t, p.got(), 1)
		})
	}
}

func TestRun_SendsWhatExecutorsExpect(t *testing.T) {
	t.Parallel()
	p := answering(t, 200, `{"code":200}`)
	c := newClient(t)
	for _, address := range []string{p.url(), p.url() + "/"} {
		out := c.Run(t.Context(), job.Target{Address: address, AppName: "app"}, trigger(7))
		require.Equal(t, job.Accepted, out.Verdict)
	}
	for _, r := range p.got() {
		require.Equal(t, "/run", r.path, "with and without trailing slash")
		require.Equal(t, []string{"tok"}, r.header["Xxl-Job-Access-Token"])
		require.Equal(t, []string{"app"}, r.header["Xxl-Job-Appname"])
		require.Equal(t, protocol.ContentType, r.header.Get("Content-Type"))
		require.Contains(t, r.body, `"logId":7`)
		require.NotContains(t, r.body, "gluewheel")
	}
}

// The peer that DESIGN names: it reads the request and closes the socket.
func TestRun_IsSentOnceToAPeerThatReadsAndCloses(t *testing.T) {
	t.Parallel()
	p := newPeer(t, func(net.Conn, int, request) bool { return false })
	out := newClient(t).Run(t.Context(), job.Target{Address: p.url()}, trigger(7))
	require.Equal(t, job.NoAnswer, out.Verdict)
	require.Len(t, p.got(), 1)
}

func TestRun_IsSentOnceOnAKeptConnectionThatClosesUnderIt(t *testing.T) {
	t.Parallel()
	p := newPeer(t, func(conn net.Conn, n int, _ request) bool {
		return n == 1 && answer(conn, 200, `{"code":200}`)
	})
	c := newClient(t)
	require.Equal(t, job.Accepted, c.Run(t.Context(), job.Target{Address: p.url()}, trigger(1)).Verdict)
	require.Equal(t, job.NoAnswer, c.Run(t.Context(), job.Target{Address: p.url()}, trigger(2)).Verdict)
	require.Len(t, p.got(), 2)
}

// A restarted executor leaves kept connections behind that are closed already.
func TestRun_DialsAnewWhenTheKeptConnectionIsClosed(t *testing.T) {
	t.Parallel()
	p := answering(t, 200, `{"code":200}`)
	c := newClient(t)
	for id := range int64(5) {
		out := c.Run(t.Context(), job.Target{Address: p.url()}, trigger(id))
		require.Equal(t, job.Accepted, out.Verdict, out.Text)
		p.closeConns()
	}
	require.Len(t, p.got(), 5)
}

func TestRun_IncompleteAnswers(t *testing.T) {
	t.Parallel()
	for name, serve := range map[string]func(net.Conn, int, request) bool{
		"cut headers": func(c net.Conn, _ int, _ request) bool { _, _ = c.Write([]byte("HTTP/1.1 200")); return false },
		"cut body": func(c net.Conn, _ int, _ request) bool {
			_, _ = c.Write([]byte("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"))
			return false
		},
		"silence": func(net.Conn, int, request) bool { return true },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPeer(t, serve)
			out := newClient(t, hasty).Run(t.Context(), job.Target{Address: p.url()}, trigger(7))
			require.Equal(t, job.NoAnswer, out.Verdict, out.Text)
			require.Len(t, p.got(), 1)
		})
	}
}

func TestRun_BoundsTheAnswer(t *testing.T) {
	t.Parallel()
	p := newPeer(t, func(conn net.Conn, _ int, _ request) bool {
		_, err := conn.Write([]byte("HTTP/1.1 200 OK\r\nContent-Length: 1073741824\r\n\r\n"))
		for chunk := make([]byte, 64<<10); err == nil; {
			_, err = conn.Write(chunk)
		}
		return false
	})
	out := newClient(t).Run(t.Context(), job.Target{Address: p.url()}, trigger(7))
	require.NotEqual(t, job.Accepted, out.Verdict)
	require.NotEqual(t, job.Unreachable, out.Verdict)
	require.Len(t, p.got(), 1)
}

func TestRun_NothingIsSentTo(t *testing.T) {
	t.Parallel()
	forbidden := func(c *execclient.Config) {
		c.Allow = func(string, string) error { return errors.New("not this one") }
	}
	for _, c := range []struct {
		name, address, text string
		edit                func(*execclient.Config)
	}{
		{"a closed port", "http://127.0.0.1:1", "refused", hasty},
		{"another scheme", "ftp://127.0.0.1:1", "http:// or https://", hasty},
		{"no host", "http://", "http:// or https://", hasty},
		{"a bare host", "127.0.0.1:9999", "http:// or https://", hasty},
		{"an address that the policy forbids", "http://127.0.0.1:9", "not this one", forbidden},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			out := newClient(t, c.edit).Run(t.Context(), job.Target{Address: c.address}, trigger(7))
			require.Equal(t, job.Unreachable, out.Verdict)
			require.Contains(t, out.Text, c.text)
		})
	}
}

func TestRun_AfterItsContextSendsNothing(t *testing.T) {
	t.Parallel()
	p := answering(t, 200, `{"code":200}`)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	out := newClient(t).Run(ctx, job.Target{Address: p.url()}, trigger(7))
	require.Equal(t, job.Unreachable, out.Verdict)
	require.Empty(t, p.got())
}

func TestRun_TLS(t *testing.T) {
	t.Parallel()
	srv := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`{"code":200}`)) }))
	defer srv.Close()
	roots := x509.NewCertPool()
	roots.AddCert(srv.Certificate())
	trusting := newClient(t, func(c *execclient.Config) { c.TLS = &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12} })
	for id := range int64(3) {
		out := trusting.Run(t.Context(), job.Target{Address: srv.URL}, trigger(id))
		require.Equal(t, job.Accepted, out.Verdict, out.Text)
	}
	out := newClient(t).Run(t.Context(), job.Target{Address: srv.URL}, trigger(7))
	require.Equal(t, job.Unreachable, out.Verdict, "no request leaves before the handshake")
}

// 3.5 calls /run /trigger: found out once, and remembered.
func TestRun_FindsThePathOfDialectC(t *testing.T) {
	t.Parallel()
	p := newPeer(t, func(conn net.Conn, _ int, r request) bool {
		if r.path != "/trigger" {
			return answer(conn, 200, `{"code":500,"msg":"invalid request, uri-mapping(`+r.path+`) not found."}`)
		}
		return answer(conn, 200, `{"code":200,"msg":"Success"}`)
	})
	c := newClient(t)
	for id := range int64(2) {
		require.Equal(t, job.Accepted, c.Run(t.Context(), job.Target{Address: p.url()}, trigger(id)).Verdict)
	}
	require.Equal(t, job.Accepted, newClient(t).Run(t.Context(), job.Target{Address: p.url(), Dialect: job.DialectC}, trigger(3)).Verdict)
	var paths []string
	for _, r := range p.got() {
		paths = append(paths, r.path)
	}
	require.Equal(t, []string{"/run", "/trigger", "/trigger", "/trigger"}, paths)
}

func TestRunBatch(t *testing.T) {
	t.Parallel()
	p := answering(t, 200, `{"code":200,"results":[
		{"logId":2,"code":500,"msg":"job handler [x] not found."},{"logId":1,"code":200,"repeat":true}]}`)
	ours := job.Target{Address: p.url(), Dialect: job.DialectGluewheel}
	out := newClient(t).RunBatch(t.Context(), ours, []protocol.Trigger{*trigger(1), *trigger(2), *trigger(3)})
	require.Equal(t, []job.Outcome{
		{Verdict: job.Accepted, Code: 200, Repeat: true},
		{Verdict: job.Refused, Code: 500, Text: "job handler [x] not found."},
		{Verdict: job.NoAnswer, Text: "the answer leaves this run out"},
	}, out)
	require.Equal(t, "/gw/run", p.got()[0].path)
}

func TestRunBatch_ServesAnExecutorWithoutBatches(t *testing.T) {
	t.Parallel()
	p := newPeer(t, func(conn net.Conn, _ int, r request) bool {
		if r.path != "/run" {
			return answer(conn, 200, `{"code":500,"msg":"invalid request, uri-mapping(`+r.path+`) not found."}`)
		}
		return answer(conn, 200, `{"code":200}`)
	})
	out := newClient(t).RunBatch(t.Context(), job.Target{Address: p.url(), Dialect: job.DialectGluewheel}, []protocol.Trigger{*trigger(1), *trigger(2)})
	require.Equal(t, []job.Verdict{job.Accepted, job.Accepted}, []job.Verdict{out[0].Verdict, out[1].Verdict})
	require.Len(t, p.got(), 3)
}

func TestKill_NamesTheRunOnlyToOurs(t *testing.T) {
	t.Parallel()
	p := answering(t, 200, `{"code":200}`)
	c := newClient(t)
	require.Equal(t, job.Accepted, c.Kill(t.Context(), job.Target{Address: p.url()}, 5, 77).Verdict)
	require.Equal(t, job.Accepted, c.Kill(t.Context(), job.Target{Address: p.url(), Dialect: job.DialectGluewheel}, 5, 77).Verdict)
	require.JSONEq(t, `{"jobId":5}`, p.got()[0].body)
	require.JSONEq(t, `{"jobId":5,"logId":77}`, p.got()[1].body)
}

func TestBeats(t *testing.T) {
	t.Parallel()
	p := newPeer(t, func(conn net.Conn, _ int, r request) bool {
		if r.path == "/idleBeat" {
			return answer(conn, 200, `{"code":500,"msg":"job thread is running or has trigger queue."}`)
		}
		return answer(conn, 200, `{"code":200}`)
	})
	c := newClient(t)
	require.Equal(t, job.Accepted, c.Beat(t.Context(), job.Target{Address: p.url()}).Verdict)
	require.Equal(t, job.Refused, c.IdleBeat(t.Context(), job.Target{Address: p.url()}, 5).Verdict)
	require.Empty(t, p.got()[0].body)
	require.JSONEq(t, `{"jobId":5}`, p.got()[1].body)
}

func TestLog_ReadsEveryDialect(t *testing.T) {
	t.Parallel()
	at := time.UnixMilli(1586629003729)
	for name, member := range map[string]string{"2.x": "content", "3.x": "data"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := answering(t, 200, `{"code":200,"`+member+`":{"fromLineNum":3,"toLineNum":4,"logContent":"a\nb\n","isEnd":false}}`)
			piece, err := newClient(t).Log(t.Context(), job.Target{Address: p.url()}, 9, at, 3)
			require.NoError(t, err)
			require.Equal(t, job.LogPiece{FromLine: 3, ToLine: 4, Content: "a\nb\n"}, piece)
			require.JSONEq(t, `{"logDateTim":1586629003729,"logDateTime":1586629003729,"logId":9,"fromLineNum":3}`, p.got()[0].body)
		})
	}
}

func TestLog_SaysWhyThereIsNone(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"refused": `{"code":500,"msg":"The access token is wrong."}`, "no payload": `{"code":200}`, "a list": `[1]`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := answering(t, 200, body)
			_, err := newClient(t).Log(t.Context(), job.Target{Address: p.url()}, 9, time.Now(), 1)
			require.ErrorContains(t, err, "read log of run 9")
		})
	}
	long := answering(t, 200, `{"code":200,"data":{"logContent":"`+strings.Repeat("x", 1<<20)+`"}}`)
	_, err := newClient(t, func(c *execclient.Config) { c.MaxLog = 1 << 16 }).Log(t.Context(), job.Target{Address: long.url()}, 9, time.Now(), 1)
	require.Error(t, err, "a log is bounded")
}
