package interop

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/internal/resttest"
)

// message is an HTTP message as it crossed the wire.
type message struct {
	head []string // the first line and the headers, without line ends
	body string
}

// path is the request's, as sent.
func (m message) path() string { return strings.Split(m.head[0], " ")[1] }

// header gives a header's value, whatever the case of its name; ok tells it from none.
func (m message) header(name string) (value string, ok bool) {
	for _, line := range m.head[1:] {
		if key, value, _ := strings.Cut(line, ":"); strings.EqualFold(key, name) {
			return strings.TrimSpace(value), true
		}
	}
	return "", false
}

func readMessage(r *bufio.Reader) (message, error) {
	var m message
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			return m, err
		}
		if line = strings.TrimRight(line, "\r\n"); line == "" {
			break
		}
		m.head = append(m.head, line)
	}
	text, _ := m.header("Content-Length")
	if text == "" {
		return m, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		return m, err
	}
	body := make([]byte, n)
	_, err = io.ReadFull(r, body)
	m.body = string(body)
	return m, err
}

// exchange sends a request as it stands and reads the answer.
func exchange(t *testing.T, addr, request string) message {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	require.NoError(t, err)
	defer conn.Close()
	require.NoError(t, conn.SetDeadline(time.Now().Add(time.Minute)))
	_, err = io.WriteString(conn, request)
	require.NoError(t, err)
	m, err := readMessage(bufio.NewReader(conn))
	require.NoError(t, err)
	return m
}

// answers sends a request and wants HTTP 200, JSON by its type or not, and just this body.
func answers(t *testing.T, addr, request, want string) {
	t.Helper()
	m := exchange(t, addr, request)
	require.Equal(t, "HTTP/1.1 200 OK", m.head[0], "%.2000s", m.body)
	require.Equal(t, want, m.body, "%.2000s", request)
}

// peer is a listener that plays somebody else's node: it keeps what it is sent, and
// answers what a test says.
type peer struct {
	addr   string
	answer func(m message) string // the whole answer; "" closes the connection

	done chan struct{} // closed when the test ends

	mu    sync.Mutex
	seen  []message
	conns []net.Conn
}

func newPeer(t *testing.T, answer func(m message) string) *peer {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	p := &peer{addr: l.Addr().String(), answer: answer, done: make(chan struct{})}
	var serving sync.WaitGroup
	serving.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			serving.Go(func() { p.serve(conn) })
		}
	})
	t.Cleanup(func() {
		l.Close()
		close(p.done)
		p.hangUp()
		serving.Wait()
	})
	return p
}

func (p *peer) url() string { return "http://" + p.addr + "/" }

func (p *peer) serve(conn net.Conn) {
	defer conn.Close()
	p.mu.Lock()
	p.conns = append(p.conns, conn)
	p.mu.Unlock()
	for r := bufio.NewReader(conn); ; {
		m, err := readMessage(r)
		if err != nil {
			return
		}
		p.mu.Lock()
		p.seen = append(p.seen, m)
		p.mu.Unlock()
		answer := p.answer(m)
		if answer == "" {
			return
		}
		if _, err := io.WriteString(conn, answer); err != nil {
			return
		}
	}
}

// hangUp ends every connection, those that stall too.
func (p *peer) hangUp() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.conns {
		c.Close()
	}
}

// sent gives the requests for a path so far.
func (p *peer) sent(path string) []message {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(p.seen), func(m message) bool { return m.path() != path })
}

// next waits for the nth request for a path, from 1, and gives it.
func (p *peer) next(t *testing.T, path string, n int) message {
	t.Helper()
	eventually(t, 10*time.Second, func() bool { return len(p.sent(path)) >= n }, "request %d for %s", n, path)
	return p.sent(path)[n-1]
}

// newStalledPeer takes requests and never says anything.
func newStalledPeer(t *testing.T) *peer {
	t.Helper()
	var p *peer
	ready := make(chan struct{})
	p = newPeer(t, func(message) string { <-ready; <-p.done; return "" })
	close(ready)
	return p
}

// netty is an answer with the head that XXL-JOB's executors write: JSON whose type says
// that it is a page.
func netty(body string) string {
	return fmt.Sprintf("HTTP/1.1 200 OK\r\ncontent-type: text/html;charset=UTF-8\r\ncontent-length: %d\r\nconnection: keep-alive\r\n\r\n%s", len(body), body)
}

// tomcat is an answer of XXL-JOB's admins.
func tomcat(body string) string {
	return fmt.Sprintf("HTTP/1.1 200 \r\nContent-Type: application/json\r\nContent-Length: %d\r\nDate: Sat, 21 Nov 2026 05:00:00 GMT\r\nKeep-Alive: timeout=60\r\nConnection: keep-alive\r\n\r\n%s", len(body), body)
}

// patience is how many times longer than on a machine at rest something may take on one
// that runs other tests as well.
const patience = 6

// eventually polls cond, and fails with what it waited for. A machine at rest needs less
// than within.
func eventually(t *testing.T, within time.Duration, cond func() bool, what string, args ...any) {
	t.Helper()
	resttest.Eventually(t, within*patience, cond, what, args...)
}
