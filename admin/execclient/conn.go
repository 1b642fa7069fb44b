package execclient

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"syscall"
	"time"

	"github.com/valyala/fasthttp"
)

// unsentError wraps what kept a request from being written at all.
type unsentError struct{ err error }

func (e *unsentError) Error() string { return e.err.Error() }
func (e *unsentError) Unwrap() error { return e.err }

// errStale: the peer closed a kept connection before this request was written to it.
var errStale = errors.New("connection was closed by the executor")

// errNotHTTP: what listens there speaks another protocol.
var errNotHTTP = errors.New("the answer is not HTTP")

// malformed says what is wrong with an answer that came and is none of the protocol's;
// "" when err is something else.
func malformed(err error) string {
	_, endless := errors.AsType[*fasthttp.ErrSmallBuffer](err) // of headers
	switch {
	case endless || errors.Is(err, fasthttp.ErrBodyTooLarge):
		return "the answer is larger than any of the protocol's"
	case errors.Is(err, errNotHTTP):
		return errNotHTTP.Error()
	default:
		return ""
	}
}

// unsent reports whether err means that not one byte of the request was written.
func unsent(err error) bool {
	_, ok := errors.AsType[*unsentError](err)
	return ok || errors.Is(err, fasthttp.ErrNoFreeConns)
}

// allowing asks allow about each address that a host name resolved to.
func allowing(allow func(network, address string) error) func(context.Context, string, string, syscall.RawConn) error {
	return func(_ context.Context, network, address string, _ syscall.RawConn) error {
		return allow(network, address)
	}
}

// dial makes connections that know whether a request was written. The TLS handshake
// is part of dialling: when it fails, no request has left.
func (c *Client) dial(serverName string, secure bool) fasthttp.DialFuncWithTimeout {
	return func(addr string, timeout time.Duration) (net.Conn, error) {
		if timeout <= 0 || timeout > c.cfg.Timeout {
			timeout = c.cfg.Timeout
		}
		ctx, cancel := context.WithTimeout(context.Background(), timeout)
		defer cancel()
		raw, err := c.dialer.DialContext(ctx, "tcp", addr)
		if err != nil {
			return nil, &unsentError{err}
		}
		if !secure {
			return &conn{Conn: raw, raw: raw}, nil
		}
		cfg := c.cfg.TLS.Clone()
		if cfg == nil {
			cfg = &tls.Config{MinVersion: tls.VersionTLS12}
		}
		if cfg.ServerName == "" {
			cfg.ServerName = serverName
		}
		secured := tls.Client(raw, cfg)
		if err := secured.HandshakeContext(ctx); err != nil {
			raw.Close()
			return nil, &unsentError{err}
		}
		return &secureConn{conn{Conn: secured, raw: raw, secure: true}, secured}, nil
	}
}

// conn tells a write that failed before its first byte from one that failed later.
// fasthttp uses a connection for one request at a time.
type conn struct {
	net.Conn
	raw    net.Conn // the TCP connection
	secure bool
	wrote  bool // a byte of the present request has been written
	kept   bool // an answer was read: the next write begins a new request
	alien  bool // what was read does not begin as HTTP does
}

func (c *conn) Read(b []byte) (int, error) {
	if c.alien {
		return 0, errNotHTTP
	}
	n, err := c.Conn.Read(b)
	if n == 0 {
		return n, err
	}
	const opening = "HTTP/"
	if m := min(n, len(opening)); !c.kept && string(b[:m]) != opening[:m] {
		c.alien = true
		return 1, nil // fasthttp takes an error before the first byte for a closed connection
	}
	c.kept = true
	return n, err
}

func (c *conn) Write(b []byte) (int, error) {
	if c.kept {
		c.kept, c.wrote = false, false
		if closedByPeer(c.raw, c.secure) {
			return 0, &unsentError{errStale}
		}
	}
	n, err := c.Conn.Write(b)
	c.wrote = c.wrote || n > 0
	if err != nil && !c.wrote {
		return n, &unsentError{err}
	}
	return n, err
}

// secureConn has the method by which fasthttp sees that TLS stands already.
type secureConn struct {
	conn
	tls *tls.Conn
}

func (c *secureConn) Handshake() error { return c.tls.Handshake() }
