package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"time"
)

// client speaks to an admin's REST API.
type client struct {
	server string // such as http://127.0.0.1:8080
	token  string // an API token, in place of a session
	http   *http.Client
}

const (
	// maxAnswer bounds what is read of an answer. Bundles are the largest, of 64 MiB at
	// most; lists are paged and far smaller.
	maxAnswer = 65 << 20
	// answerTime bounds a request. An import of a large bundle may take a minute.
	answerTime = 75 * time.Second
)

func newClient(server string) (*client, error) {
	jar, err := cookiejar.New(nil)
	if err != nil {
		return nil, fmt.Errorf("make client: %w", err)
	}
	return &client{server: server, http: &http.Client{Jar: jar, Timeout: answerTime}}, nil
}

// login starts a session, which the client keeps.
func (c *client) login(ctx context.Context, username, password string) error {
	in := map[string]string{"username": username, "password": password}
	return c.call(ctx, http.MethodPost, "/login", in, nil)
}

// close drops idle connections.
func (c *client) close() { c.http.CloseIdleConnections() }

// call sends in as JSON and reads the answer into out; either may be nil.
func (c *client) call(ctx context.Context, method, path string, in, out any) error {
	if in == nil {
		return c.send(ctx, method, path, "", nil, out)
	}
	text, err := json.Marshal(in)
	if err != nil {
		return fmt.Errorf("%s %s: %w", method, path, err)
	}
	return c.send(ctx, method, path, "application/json", bytes.NewReader(text), out)
}

// send is call with a body of any type.
func (c *client) send(ctx context.Context, method, path, contentType string, body io.Reader, out any) error {
	text, err := c.fetch(ctx, method, path, contentType, body)
	if err != nil || out == nil {
		return err
	}
	if err := json.Unmarshal(text, out); err != nil {
		return fmt.Errorf("%s %s: %w", method, path, err)
	}
	return nil
}

// fetch returns the answer's body as it is.
func (c *client) fetch(ctx context.Context, method, path, contentType string, body io.Reader) ([]byte, error) {
	answer, err := c.ask(ctx, method, path, contentType, body)
	if err != nil {
		return nil, err
	}
	defer answer.Close()
	text, err := io.ReadAll(io.LimitReader(answer, maxAnswer))
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", method, path, err)
	}
	return text, nil
}

// copy writes an answer of any length to w.
func (c *client) copy(ctx context.Context, path string, w io.Writer) error {
	answer, err := c.ask(ctx, http.MethodGet, path, "", nil)
	if err != nil {
		return err
	}
	defer answer.Close()
	if _, err := io.Copy(w, answer); err != nil {
		return fmt.Errorf("GET %s: %w", path, err)
	}
	return nil
}

// ask returns the body of an answer that is no refusal; the caller closes it.
func (c *client) ask(ctx context.Context, method, path, contentType string, body io.Reader) (io.ReadCloser, error) {
	req, err := http.NewRequestWithContext(ctx, method, c.server+"/api/v1"+path, body)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", method, path, err)
	}
	req.Header.Set("Accept", "application/json, application/yaml")
	if c.token != "" {
		req.Header.Set("Authorization", "Bearer "+c.token)
	}
	if contentType != "" {
		req.Header.Set("Content-Type", contentType)
	}
	answer, err := c.http.Do(req)
	if err != nil {
		return nil, c.unreachable(ctx, err)
	}
	if answer.StatusCode < 300 {
		return answer.Body, nil
	}
	defer answer.Body.Close()
	if answer.StatusCode == http.StatusUnauthorized && c.token != "" {
		return nil, c.refusedToken()
	}
	text, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer))
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", method, path, err)
	}
	return nil, fmt.Errorf("%s %s: %w", method, path, problemOf(answer.StatusCode, text))
}

// unreachable says where the address comes from that nobody answers at.
func (c *client) unreachable(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("ask the admin: %w", context.Cause(ctx))
	}
	if of, ok := errors.AsType[*url.Error](err); ok {
		err = of.Err // the rest repeats the address
	}
	return fmt.Errorf("no admin answers at %s: %w. Start it, or correct the address: it is that of --server, GLUEWHEEL_SERVER or the context, see gluewheel context list", c.server, err)
}

// shownToken is as much of a token as the list of tokens shows.
const shownToken = 9

// refusedToken stands for the admin's own words, which tell people to log in.
func (c *client) refusedToken() error {
	return fmt.Errorf("%s does not take the API token %s…: it is wrong, has expired or was ended. Make one in the page under Tokens, then keep it: gluewheel context set NAME --server %[1]s --token-file FILE",
		c.server, c.token[:min(shownToken, len(c.token)/2)])
}

// problem is the admin's answer to what it refuses, RFC 9457.
type problem struct {
	Status int    `json:"status"`
	Title  string `json:"title"`
	Detail string `json:"detail"`
	Errors []struct {
		Location string `json:"location"`
		Message  string `json:"message"`
	} `json:"errors"`
}

func problemOf(status int, text []byte) error {
	p := problem{Status: status}
	if err := json.Unmarshal(text, &p); err != nil || p.Title == "" && p.Detail == "" {
		return fmt.Errorf("the admin answered %d %s", status, http.StatusText(status))
	}
	return p
}

func (p problem) Error() string {
	text := p.Title
	if p.Detail != "" {
		text = p.Detail
	}
	for _, e := range p.Errors {
		if !strings.Contains(text, e.Message) { // the first one may be in the detail
			text += fmt.Sprintf("; %s: %s", e.Location, e.Message)
		}
	}
	return text
}

// localURL is how this machine reaches what listens on addr.
func localURL(addr string) string {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return "http://" + addr
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return "http://" + net.JoinHostPort(host, port)
}
