package execclient_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// peer is a raw TCP peer. It reads whole requests, keeps them, and lets serve write
// whatever it likes; serve returning false closes the connection.
type peer struct {
	net.Listener
	serve func(conn net.Conn, n int, r request) bool

	mu       sync.Mutex
	requests []request
	conns    []net.Conn
	wg       sync.WaitGroup
}

type request struct {
	path   string
	header http.Header
	body   string
}

func newPeer(t *testing.T, serve func(conn net.Conn, n int, r request) bool) *peer {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	p := &peer{Listener: l, serve: serve}
	p.wg.Go(p.accept)
	t.Cleanup(func() {
		l.Close()
		p.closeConns()
		p.wg.Wait()
	})
	return p
}

// answering is a peer that answers each request with the same status and body.
func answering(t *testing.T, status int, body string) *peer {
	t.Helper()
	return newPeer(t, func(conn net.Conn, _ int, _ request) bool {
		return answer(conn, status, body)
	})
}

func answer(conn net.Conn, status int, body string) bool {
	_, err := fmt.Fprintf(conn, "HTTP/1.1 %d X\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n%s", status, len(body), body)
	return err == nil
}

func (p *peer) accept() {
	for {
		conn, err := p.Accept()
		if err != nil {
			return
		}
		p.mu.Lock()
		p.conns = append(p.conns, conn)
		p.mu.Unlock()
		p.wg.Go(func() {
			defer conn.Close()
			p.read(conn)
		})
	}
}

func (p *peer) read(conn net.Conn) {
	br := bufio.NewReader(conn)
	for {
		r, err := http.ReadRequest(br)
		if err != nil {
			return
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		req := request{r.RequestURI, r.Header, string(body)}
		p.mu.Lock()
		p.requests = append(p.requests, req)
		n := len(p.requests)
		p.mu.Unlock()
		if !p.serve(conn, n, req) {
			return
		}
	}
}

func (p *peer) closeConns() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.conns {
		c.Close()
	}
	p.conns = nil
}

func (p *peer) got() []request {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]request(nil), p.requests...)
}

func (p *peer) url() string { return "http://" + p.Addr().String() }
