package interop

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// status is an answer with a status line of its own.
func status(line, body string) string {
	return fmt.Sprintf("HTTP/1.1 %s\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n%s", line, len(body), body)
}

const page = "<!DOCTYPE html><html><head><title>nginx</title></head><body>welcome</body></html>"

// TestAdmin_MalformedExecutors: what answers nonsense costs one failed run, with a
// message that shows what came.
func TestAdmin_MalformedExecutors(t *testing.T) {
	t.Parallel()
	_, all := startAdmin(t)
	for i, c := range []struct{ name, answer, message string }{
		{"HTML", netty(page), "the answer is not the protocol's: <!DOCTYPE html>"},
		{"500", status("500 Internal Server Error", page), "HTTP status 500: <!DOCTYPE html>"},
		{"404", status("404 Not Found", ""), "HTTP status 404"},
		{"redirect", "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n", "HTTP status 302"},
		{"no content", "HTTP/1.1 204 No Content\r\n\r\n", "HTTP status 204"},
		{"array", netty(`[]`), "[]"},
		{"the Go client's array", netty(`[{"logId":1,"logDateTim":0,"executeResult":{"code":500,"msg":"There are tasks running"},"handleCode":500,"handleMsg":"There are tasks running"}]`), "There are tasks running"},
		{"empty body", netty(""), "the answer is empty"},
		{"blank body", netty(" \n "), "the answer is empty"},
		{"half an object", netty(`{"code":200,"ms`), "the answer is not the protocol's: {\"code\":200,\"ms"},
		{"a string", netty(`"ok"`), "the answer is not the protocol's: \"ok\""},
		{"null", netty(`null`), "the answer is not the protocol's: null"},
		{"binary", netty("\x00\xff\xfe\x01"), "the answer is not the protocol's"},
		{"code of another kind", netty(`{"code":{}}`), "the answer is not the protocol's"},
		{"refusal", netty(`{"code":500,"msg":"no room"}`), "no room"},
		{"message of another kind", netty(`{"code":500,"msg":{"a":1}}`), `{"a":1}`},
		{"no code", netty(`{}`), "the answer gives no reason: {}"},
		{"refusal without a message", netty(`{"code":500}`), `{"code":500}`},
		{"another protocol", "SSH-2.0-OpenSSH_9.2p1\r\n", "the answer is not HTTP"},
		{"code as a string", netty(`{"code":"500","msg":"quoted"}`), "quoted"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := newPeer(t, func(message) string { return c.answer })
			r := failsOnce(t, all.on(t), fmt.Sprintf("app-malformed-%d", i), p.url(), 5*time.Second)
			require.Contains(t, r.Message, c.message)
			require.Len(t, p.sent("/run"), 1, "asked once")
		})
	}
}

// failsOnce runs a job of a group with just this address, and wants one failed run.
func failsOnce(t *testing.T, c *rest, app, address string, within time.Duration) run {
	t.Helper()
	j := c.job(c.Group(app, address), "malformed", map[string]any{})
	r := c.ended(c.Trigger(j, map[string]any{}), within)
	require.Equal(t, "failed", r.State, r.Message)
	require.Len(t, c.runs(j), 1)
	return r
}

// TestAdmin_EndlessAnswers: answers that never end are given up on after a bounded read.
func TestAdmin_EndlessAnswers(t *testing.T) {
	t.Parallel()
	_, all := startAdmin(t)
	for i, c := range []struct{ name, head, piece string }{
		{"1 GB body", "HTTP/1.1 200 OK\r\nContent-Length: 1073741824\r\n\r\n", strings.Repeat("x", 1<<16)},
		{"chunks", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "10000\r\n" + strings.Repeat("x", 1<<16) + "\r\n"},
		{"until it closes", "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n", strings.Repeat("x", 1<<16)},
		{"headers", "HTTP/1.1 200 OK\r\n", "X-More: " + strings.Repeat("x", 1<<10) + "\r\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := newFlood(t, c.head, c.piece)
			r := failsOnce(t, all.on(t), fmt.Sprintf("app-endless-%d", i), p.url, 10*time.Second)
			require.Equal(t, "the answer is larger than any of the protocol's", r.Message)
			require.Less(t, p.written.Load(), int64(16<<20), "most of it was never read")
		})
	}
}

// flood is a peer that answers without end.
type flood struct {
	url     string
	written atomic.Int64 // bytes that were taken
}

func newFlood(t *testing.T, head, piece string) *flood {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	f := &flood{url: "http://" + l.Addr().String() + "/"}
	var serving sync.WaitGroup
	serving.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			serving.Go(func() { f.pour(conn, head, piece) })
		}
	})
	t.Cleanup(func() { l.Close(); serving.Wait() })
	return f
}

func (f *flood) pour(conn net.Conn, head, piece string) {
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(time.Minute)) // a TCP connection has deadlines
	_, err := conn.Read(make([]byte, 1<<16))
	for text := head; err == nil; text = piece {
		var n int
		n, err = io.WriteString(conn, text)
		f.written.Add(int64(n))
	}
}

// TestAdmin_StalledExecutors: executors that take a request and say nothing, or close,
// leave their runs unknown, which says so, and hold up nobody else.
func TestAdmin_StalledExecutors(t *testing.T) {
	t.Parallel()
	_, c := startAdmin(t)
	stalled := newStalledPeer(t)
	closing := newPeer(t, func(message) string { return "" })
	healthy := newPeer(t, func(message) string { return netty(`{"code":200}`) })
	block := map[string]any{"block_strategy": "SERIAL_EXECUTION"}
	bad := []int32{
		c.job(c.Group("app-stalled", stalled.url()), "stalled", block),
		c.job(c.Group("app-closing", closing.url()), "closing", block),
	}
	good := c.job(c.Group("app-healthy", healthy.url()), "healthy", block)

	var open []int64
	for range 20 {
		for _, j := range bad {
			open = append(open, c.Trigger(j, map[string]any{}))
		}
	}
	c.reaches(open[0], "unknown", 15*time.Second)
	c.reaches(open[1], "unknown", 15*time.Second)
	require.Equal(t, "no_answer", c.Run(open[0]).Reason)
	var took []time.Duration
	for range 5 {
		began := time.Now()
		c.reaches(c.Trigger(good, map[string]any{}), "running", 5*time.Second)
		took = append(took, time.Since(began))
	}
	require.Less(t, slices.Min(took), 2500*time.Millisecond, "stalled executors delay a healthy one: %v", took)
	for _, p := range []*peer{stalled, closing} {
		require.LessOrEqual(t, len(p.sent("/run")), 20, "no run is sent twice to who may have it")
	}
}

// TestAdmin_OversizedRequests: a request without measure is refused after a bounded read.
func TestAdmin_OversizedRequests(t *testing.T) {
	t.Parallel()
	addr, _ := startAdmin(t)
	d := &dialects[1]
	head := d.bare("/api/callback", "Content-Length: 1073741824\r\n", "[")
	written, m := pourInto(t, addr, head)
	require.NotContains(t, m.head[0], " 200 ", "%.2000s", m.body)
	require.Less(t, written, 128<<20, "most of it was never read")
	answers(t, addr, d.api("callback", `[]`), adminOK)
}

// pourInto sends a head and then blanks until the server has had enough.
func pourInto(t *testing.T, addr, head string) (written int, answer message) {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	require.NoError(t, err)
	defer conn.Close()
	require.NoError(t, conn.SetDeadline(time.Now().Add(time.Minute)))
	answered := make(chan message, 1)
	var reading sync.WaitGroup
	reading.Go(func() {
		m, err := readMessage(bufio.NewReader(conn))
		if err == nil {
			answered <- m
		}
		close(answered)
	})
	for text := head; err == nil; text = strings.Repeat(" ", 1<<16) {
		var n int
		n, err = io.WriteString(conn, text)
		written += n
	}
	reading.Wait()
	answer, ok := <-answered
	require.True(t, ok, "the server closed without an answer")
	return written, answer
}

// TestExecutor_MalformedAdmins: whatever an admin answers, results are kept and arrive
// once it has come to its senses.
func TestExecutor_MalformedAdmins(t *testing.T) {
	t.Parallel()
	huge := "HTTP/1.1 200 OK\r\nContent-Length: 1073741824\r\n\r\n" + strings.Repeat("x", 1<<21)
	for name, answer := range map[string]string{
		"HTML": tomcat(page), "500": status("500 Oops", page), "array": tomcat(`[]`), "empty body": tomcat(""),
		"no code": tomcat(`{}`), "refusal": tomcat(`{"code":500,"msg":"The access token is wrong."}`),
		"unreadable": tomcat(`{"code":500,"msg":"openapi invoke error: x"}`), "1 GB body": huge, "close": "",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var sane atomic.Bool
			p := newPeer(t, func(message) string {
				if sane.Load() {
					return tomcat(adminOK)
				}
				return answer
			})
			d := &dialects[1]
			e := startExecutor(t, "http://"+p.addr+d.base)
			answers(t, e.addr, d.post("/run", request{job: 1, log: 401, handler: "demo"}.body()), ok)
			p.next(t, d.base+"/api/callback", 1)
			answers(t, e.addr, d.beat(), ok)
			before := len(p.sent(d.base + "/api/callback"))
			sane.Store(true)
			last := p.next(t, d.base+"/api/callback", before+1)
			require.Contains(t, last.body, `"logId":401`)
			p.next(t, d.base+"/api/registry", 1)
		})
	}
}

// TestExecutor_OversizedRequests: the executor takes 5 MiB, as XXL-JOB's.
func TestExecutor_OversizedRequests(t *testing.T) {
	t.Parallel()
	d := &dialects[3]
	p := newPeer(t, d.admin)
	e := startExecutor(t, "http://"+p.addr)
	written, m := pourInto(t, e.addr, d.bare("/run", "Content-Length: 1073741824\r\n", "{"))
	require.Contains(t, m.body, "request error:")
	require.Less(t, written, 128<<20, "most of it was never read")
	answers(t, e.addr, d.beat(), ok)
}
