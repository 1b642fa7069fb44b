package execclient

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/url"
	"sync"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/gluewheel/gluewheel/admin/job"
	"github.com/gluewheel/gluewheel/executor/protocol"
)

// Config has a usable zero value, but for Token.
type Config struct {
	// Token is sent to those whose target has none; executors compare it with theirs.
	Token string
	// Timeout bounds one request, dialling included; default protocol.CallTimeout.
	Timeout time.Duration
	// MaxConnsPerHost bounds the connections to one executor; default 128, which is
	// more than dispatch uses at once for one address.
	MaxConnsPerHost int
	// MaxHosts bounds the executors whose connections are kept; default 4096.
	MaxHosts int
	// MaxAnswer bounds the body of an answer in bytes; default 1 MiB.
	MaxAnswer int
	// MaxLog bounds the answer to a log request in bytes, since old executors send
	// the whole rest of the file; default 16 MiB.
	MaxLog int
	// Allow, when set, decides at dial time whether a resolved address (ip:port) may
	// be called.
	Allow func(network, address string) error
	// TLS is for https executors; default verifies against the system's roots.
	TLS *tls.Config
}

// idleLimit is under the 90 s after which Java executors close idle connections.
const idleLimit = 60 * time.Second

// Client calls executors. Safe for concurrent use.
type Client struct {
	cfg    Config
	dialer net.Dialer

	mu    sync.Mutex
	hosts map[string]*fasthttp.HostClient // by scheme://host, what for, and port
	paths map[string]string               // address → the run path that works there
}

// New makes a client; it dials nothing.
func New(cfg Config) *Client {
	cfg.Timeout = cmp.Or(cfg.Timeout, protocol.CallTimeout)
	cfg.MaxConnsPerHost = cmp.Or(cfg.MaxConnsPerHost, 128)
	cfg.MaxHosts = cmp.Or(cfg.MaxHosts, 4096)
	cfg.MaxAnswer = cmp.Or(cfg.MaxAnswer, 1<<20)
	cfg.MaxLog = cmp.Or(cfg.MaxLog, 16<<20)
	c := &Client{cfg: cfg, hosts: map[string]*fasthttp.HostClient{}, paths: map[string]string{}}
	c.dialer.KeepAlive = 15 * time.Second
	if cfg.Allow != nil {
		c.dialer.ControlContext = allowing(cfg.Allow)
	}
	return c
}

// Close closes the idle connections. Requests under way end by their timeout.
func (c *Client) Close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, h := range c.hosts {
		h.CloseIdleConnections()
	}
	clear(c.hosts)
}

// errScheme says that an address cannot be called.
var errScheme = errors.New("the address must begin with http:// or https:// and name a host")

// host finds or makes the connections to an address. Logs have their own, since
// their answers may be larger.
func (c *Client) host(address string, maxBody int) (*fasthttp.HostClient, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("call executor %q: %w", address, errScheme)
	}
	key := fmt.Sprintf("%s://%s %d", u.Scheme, u.Host, maxBody)
	c.mu.Lock()
	defer c.mu.Unlock()
	if h, ok := c.hosts[key]; ok {
		return h, nil
	}
	if len(c.hosts) >= c.cfg.MaxHosts {
		c.dropIdleHosts()
	}
	h := c.newHost(u, maxBody)
	c.hosts[key] = h
	return h, nil
}

func (c *Client) newHost(u *url.URL, maxBody int) *fasthttp.HostClient {
	secure := u.Scheme == "https"
	return &fasthttp.HostClient{
		Addr:                          fasthttp.AddMissingPort(u.Host, secure),
		Name:                          "gluewheel",
		IsTLS:                         secure,
		DialTimeout:                   c.dial(u.Hostname(), secure),
		MaxConns:                      c.cfg.MaxConnsPerHost,
		MaxIdleConnDuration:           idleLimit,
		MaxIdemponentCallAttempts:     1,
		RetryIfErr:                    func(*fasthttp.Request, int, error) (bool, bool) { return false, false },
		ReadTimeout:                   c.cfg.Timeout,
		WriteTimeout:                  c.cfg.Timeout,
		MaxResponseBodySize:           maxBody,
		DisablePathNormalizing:        true,
		DisableHeaderNamesNormalizing: true,
		SecureErrorLogMessage:         true,
	}
}

// dropIdleHosts makes room by forgetting hosts without a request under way.
func (c *Client) dropIdleHosts() {
	for key, h := range c.hosts {
		if h.PendingRequests() == 0 {
			h.CloseIdleConnections()
			delete(c.hosts, key)
		}
	}
}

// reply is a complete answer.
type reply struct {
	status int
	body   []byte // copied: valid after the request
}

// post sends one request and waits for its answer. An error for which unsent reports
// true means that not one byte was written.
func (c *Client) post(ctx context.Context, t job.Target, path string, body []byte, maxBody int) (reply, error) {
	h, err := c.host(t.Address, maxBody)
	if err != nil {
		return reply{}, &unsentError{err}
	}
	req, resp := fasthttp.AcquireRequest(), fasthttp.AcquireResponse()
	defer fasthttp.ReleaseRequest(req)
	defer fasthttp.ReleaseResponse(resp)
	req.SetRequestURI(job.SameAddress(t.Address) + path)
	req.Header.SetMethod(fasthttp.MethodPost)
	req.Header.SetContentType(protocol.ContentType)
	if token := cmp.Or(t.Token, c.cfg.Token); token != "" && !t.Tokenless {
		req.Header.Set(protocol.HeaderToken, token)
	}
	if t.AppName != "" {
		req.Header.Set(protocol.HeaderAppName, t.AppName)
	}
	req.SetBodyRaw(body)
	if err := c.do(ctx, h, req, resp); err != nil {
		return reply{}, fmt.Errorf("post to %s%s: %w", job.SameAddress(t.Address), path, err)
	}
	return reply{resp.StatusCode(), append([]byte(nil), resp.Body()...)}, nil
}

// do sends a request once. Connections that the peer closed while they were idle are
// replaced, since nothing has been written then. fasthttp knows no contexts: ctx only
// shortens the timeout.
func (c *Client) do(ctx context.Context, h *fasthttp.HostClient, req *fasthttp.Request, resp *fasthttp.Response) error {
	deadline := time.Now().Add(c.cfg.Timeout)
	if d, ok := ctx.Deadline(); ok && d.Before(deadline) {
		deadline = d
	}
	const tries = 3 // the idle connections are closed after the first
	var err error
	for range tries {
		left := time.Until(deadline)
		if left <= 0 || ctx.Err() != nil {
			return &unsentError{cmp.Or(context.Cause(ctx), context.DeadlineExceeded)}
		}
		req.SetTimeout(left)
		if err = h.Do(req, resp); !errors.Is(err, errStale) {
			return err
		}
		h.CloseIdleConnections()
	}
	return err
}
