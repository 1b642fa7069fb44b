package egress

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/gluewheel/gluewheel/runtime"
)

// ErrDenied is the error of a request that the policy forbids.
var ErrDenied = errors.New("not granted to this version")

const (
	maxRedirects   = 5
	maxHeaderBytes = 64 << 10
	dialTimeout    = 5 * time.Second
	idleTimeout    = 30 * time.Second
	idlePerHost    = 2
)

// Policy is what the operator of an executor allows. The zero value allows requests to
// public addresses that a version was granted.
type Policy struct {
	// Hosts are those that versions may be granted, as in [runtime.Grants]; "*" is any.
	// Default any; an empty list, which is not nil, is none.
	Hosts []string
	// Networks are those beside the public one that may be reached; default none.
	Networks []netip.Prefix
	// Timeout bounds a request with its redirects and its answer; default 30 s.
	Timeout time.Duration
	// MaxBytes bounds the body of an answer; default 4 MiB.
	MaxBytes int64
}

// Client makes requests under one policy. Its methods may be called concurrently.
type Client struct {
	policy    Policy
	transport *http.Transport
}

// New makes a Client.
func New(policy Policy) *Client {
	policy.Timeout = cmp.Or(policy.Timeout, 30*time.Second)
	policy.MaxBytes = cmp.Or(policy.MaxBytes, 4<<20)
	c := &Client{policy: policy}
	dialer := &net.Dialer{Timeout: dialTimeout, Control: c.checkDial}
	c.transport = &http.Transport{
		DialContext:            dialer.DialContext,
		TLSHandshakeTimeout:    dialTimeout,
		MaxResponseHeaderBytes: maxHeaderBytes,
		MaxIdleConnsPerHost:    idlePerHost,
		IdleConnTimeout:        idleTimeout,
	}
	return c
}

// Close lets idle connections go.
func (c *Client) Close() { c.transport.CloseIdleConnections() }

// Do makes a request for a version with these grants. Any status is an answer.
func (c *Client) Do(ctx context.Context, grants runtime.Grants, req runtime.HTTPRequest) (runtime.HTTPResponse, error) {
	timeout := c.policy.Timeout
	if req.TimeoutMS > 0 {
		timeout = min(timeout, time.Duration(req.TimeoutMS)*time.Millisecond)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, timeout, fmt.Errorf("no answer within %v", timeout))
	defer cancel()
	resp, err := c.do(ctx, grants, req)
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return resp, err
}

func (c *Client) do(ctx context.Context, grants runtime.Grants, r runtime.HTTPRequest) (runtime.HTTPResponse, error) {
	req, err := newRequest(ctx, r)
	if err != nil {
		return runtime.HTTPResponse{}, err
	}
	if err := c.checkURL(grants, req.URL); err != nil {
		return runtime.HTTPResponse{}, err
	}
	client := &http.Client{Transport: c.transport, CheckRedirect: func(next *http.Request, via []*http.Request) error {
		if len(via) > maxRedirects {
			return fmt.Errorf("more than %d redirects", maxRedirects)
		}
		return c.checkURL(grants, next.URL)
	}}
	resp, err := client.Do(req)
	if err != nil {
		return runtime.HTTPResponse{}, unwrapURL(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, c.policy.MaxBytes+1))
	if err != nil {
		return runtime.HTTPResponse{}, fmt.Errorf("read answer: %w", err)
	}
	if int64(len(body)) > c.policy.MaxBytes {
		return runtime.HTTPResponse{}, fmt.Errorf("the answer has more than %d bytes", c.policy.MaxBytes)
	}
	headers := make(map[string]string, len(resp.Header))
	for name, values := range resp.Header {
		headers[strings.ToLower(name)] = strings.Join(values, ", ")
	}
	return runtime.HTTPResponse{Status: resp.StatusCode, Headers: headers, Body: body}, nil
}

// unwrapURL takes away "Get \"https://…\":", which the guest knows.
func unwrapURL(err error) error {
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		return wrapped.Err
	}
	return err
}

var methods = []string{
	http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions,
}

func newRequest(ctx context.Context, r runtime.HTTPRequest) (*http.Request, error) {
	if !slices.Contains(methods, r.Method) {
		return nil, fmt.Errorf("method %q: %s are there", r.Method, strings.Join(methods, ", "))
	}
	req, err := http.NewRequestWithContext(ctx, r.Method, r.URL, bytes.NewReader(r.Body))
	if err != nil {
		return nil, unwrapURL(err)
	}
	for name, value := range r.Headers {
		req.Header.Set(name, value)
	}
	if req.Header.Get("User-Agent") == "" {
		req.Header.Set("User-Agent", "gluewheel")
	}
	return req, nil
}

func (c *Client) checkURL(grants runtime.Grants, u *url.URL) error {
	defaultPort := map[string]string{"http": "80", "https": "443"}[u.Scheme]
	if defaultPort == "" {
		return fmt.Errorf("scheme %q: only http and https are there", u.Scheme)
	}
	matches := func(pattern string) bool {
		return matchHost(pattern, u.Hostname(), cmp.Or(u.Port(), defaultPort), defaultPort)
	}
	if !slices.ContainsFunc(grants.Hosts, matches) {
		return fmt.Errorf("host %s: %w: its manifest must name the host", u.Host, ErrDenied)
	}
	if c.policy.Hosts != nil && !slices.ContainsFunc(c.policy.Hosts, matches) {
		return fmt.Errorf("host %s: this executor does not allow it: %w", u.Host, ErrDenied)
	}
	return nil
}

// matchHost reports whether a pattern such as "*.example.com:8443" covers a host. One
// without a port means the scheme's own.
func matchHost(pattern, host, port, defaultPort string) bool {
	name, wanted, err := net.SplitHostPort(pattern)
	if err != nil {
		name, wanted = strings.Trim(pattern, "[]"), defaultPort
	}
	name, host = normalised(name), normalised(host)
	if host == "" || wanted != port {
		return false
	}
	if name == "*" {
		return true
	}
	if suffix, ok := strings.CutPrefix(name, "*."); ok {
		return suffix != "" && strings.HasSuffix(host, "."+suffix)
	}
	return name == host
}

func normalised(host string) string { return strings.ToLower(strings.TrimSuffix(host, ".")) }

// checkDial is called with each resolved address, just before it is dialled.
func (c *Client) checkDial(_, address string, _ syscall.RawConn) error {
	ap, err := netip.ParseAddrPort(address)
	if err != nil {
		return fmt.Errorf("read address %s: %w", address, err)
	}
	addr := ap.Addr().Unmap().WithZone("")
	if public(addr) || slices.ContainsFunc(c.policy.Networks, func(p netip.Prefix) bool { return p.Contains(addr) }) {
		return nil
	}
	return fmt.Errorf("address %s is not a public one, and this executor does not allow its network: %w", addr, ErrDenied)
}
