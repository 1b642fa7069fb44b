// Package adminclient is the executor's way to its admins: XXL-JOB's calls, the fetch of
// modules, and what guests have done there (kv, secrets), with the token, over the
// addresses in their order.
//
// It never repeats a request of which a byte was sent: what may be repeated is known to
// the caller. It calls the configured addresses and nothing else: no redirect and no
// proxy of the environment is followed.
package adminclient

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/gluewheel/gluewheel/executor/protocol"
)

// Names of the calls, below an admin's /api/.
const (
	CallRegistry       = "registry"
	CallRegistryRemove = "registryRemove"
	CallCallback       = "callback"
)

const (
	maxAnswer      = 1 << 20  // bytes of an envelope
	maxModule      = 64 << 20 // bytes; the admin's own limit is 16 MiB by default
	moduleTimeout  = 60 * time.Second
	idleConnection = 30 * time.Second // well under the 90 s after which Java closes
	idlePerAdmin   = 8                // callback batches, registration, modules
)

// Config says who asks whom.
type Config struct {
	// Addresses are the admins' base addresses, such as http://127.0.0.1:8080. Required.
	Addresses []string
	// AppName and Token travel in every request. Required.
	AppName, Token string
	// Timeout bounds one call. Default protocol.CallTimeout.
	Timeout time.Duration
	// PlainSecrets lets secrets travel without TLS between machines.
	PlainSecrets bool
}

// Client calls admins. Its methods may be called concurrently.
type Client struct {
	cfg       Config
	addresses []string // without a trailing slash
	http      *http.Client
}

// RefusedError is an admin's answer with a code other than 200.
type RefusedError struct {
	Address string
	Code    int
	Msg     string
}

func (e *RefusedError) Error() string {
	return fmt.Sprintf("%s refused with code %d: %s", e.Address, e.Code, e.Msg)
}

// New checks the addresses. It makes no connection.
func New(cfg Config) (*Client, error) {
	if len(cfg.Addresses) == 0 || cfg.AppName == "" || cfg.Token == "" {
		return nil, errors.New("admin client: addresses, app name and token are required")
	}
	cfg.Timeout = cmp.Or(cfg.Timeout, protocol.CallTimeout)
	c := &Client{cfg: cfg, http: &http.Client{
		Transport:     &http.Transport{MaxIdleConnsPerHost: idlePerAdmin, IdleConnTimeout: idleConnection},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
	for _, a := range cfg.Addresses {
		u, err := url.Parse(a)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
			return nil, fmt.Errorf("admin address %q is not an http or https address", a)
		}
		c.addresses = append(c.addresses, strings.TrimRight(a, "/"))
	}
	return c, nil
}

// Addresses lists the admins in the order in which they are tried.
func (c *Client) Addresses() []string { return c.addresses }

// Close drops idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// First calls each admin in turn until one takes v.
func (c *Client) First(ctx context.Context, call string, v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("encode %s: %w", call, err)
	}
	var failures []error
	for _, a := range c.addresses {
		if err = c.Call(ctx, a, call, body); err == nil {
			return nil
		}
		failures = append(failures, err)
	}
	return errors.Join(failures...)
}

// Call posts body to one admin; an answer other than 200 is a *RefusedError. The answer
// is waited for at most Timeout.
func (c *Client) Call(ctx context.Context, address, call string, body []byte) error {
	ctx, cancel := context.WithTimeoutCause(ctx, c.cfg.Timeout, fmt.Errorf("no answer within %v", c.cfg.Timeout))
	defer cancel()
	raw, err := c.do(ctx, http.MethodPost, address+"/api/"+call, body, maxAnswer)
	if err != nil {
		return fmt.Errorf("call %s: %w", call, err)
	}
	var e protocol.Envelope
	if err := json.Unmarshal(raw, &e); err != nil {
		return fmt.Errorf("call %s: answer of %s is not an envelope: %w", call, address, err)
	}
	if e.Code != protocol.CodeOK {
		return &RefusedError{Address: address, Code: int(e.Code), Msg: e.Text()}
	}
	return nil
}

// Module fetches a module for a run that an admin dispatched to this executor. What
// comes back is not checked against the digest.
func (c *Client) Module(ctx context.Context, digest string, runID int64, epoch int32) ([]byte, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, moduleTimeout, fmt.Errorf("no module within %v", moduleTimeout))
	defer cancel()
	query := url.Values{"run": {strconv.FormatInt(runID, 10)}, "epoch": {strconv.FormatInt(int64(epoch), 10)}}
	var failures []error
	for _, a := range c.addresses {
		target := a + protocol.PathArtifact + url.PathEscape(digest) + "?" + query.Encode()
		body, err := c.do(ctx, http.MethodGet, target, nil, maxModule)
		if err == nil {
			return body, nil
		}
		failures = append(failures, err)
	}
	return nil, fmt.Errorf("fetch module %s: %w", digest, errors.Join(failures...))
}

// do sends one request and reads an answer of status 200 and at most limit bytes.
func (c *Client) do(ctx context.Context, method, target string, body []byte, limit int64) ([]byte, error) {
	resp, err := c.send(ctx, method, target, body)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s: HTTP status %d", target, resp.StatusCode)
	}
	return readAll(ctx, resp.Body, target, limit)
}

// send sends one request. The caller closes the answer's body.
func (c *Client) send(ctx context.Context, method, target string, body []byte) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, target, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", protocol.ContentType)
	// Both headers go out as Java writes them; old admins ignore the second.
	req.Header[protocol.HeaderToken] = []string{c.cfg.Token}
	req.Header[protocol.HeaderAppName] = []string{c.cfg.AppName}
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, because(ctx, err)
	}
	return resp, nil
}

// readAll reads an answer of at most limit bytes.
func readAll(ctx context.Context, body io.Reader, target string, limit int64) ([]byte, error) {
	raw, err := io.ReadAll(io.LimitReader(body, limit+1))
	if err != nil {
		return nil, because(ctx, fmt.Errorf("%s: %w", target, err))
	}
	if int64(len(raw)) > limit {
		return nil, fmt.Errorf("%s: answer exceeds %d bytes", target, limit)
	}
	return raw, nil
}

// because puts the reason of a cancellation in the place of "context deadline exceeded".
func because(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return fmt.Errorf("%w: %w", err, cause)
	}
	return err
}
