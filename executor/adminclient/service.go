package adminclient

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/gluewheel/gluewheel/executor/protocol"
)

// ErrPlainSecret refuses to have a secret sent over a network in the clear.
var ErrPlainSecret = errors.New("secrets travel over https or loopback only: give the executor an https admin address, or allow plain secrets")

// StatusError is an admin's answer with a status other than 200.
type StatusError struct {
	Status int
	Text   string // what the admin says, for people
}

func (e *StatusError) Error() string {
	if e.Text != "" {
		return e.Text
	}
	return fmt.Sprintf("the admin answers with status %d", e.Status)
}

// KV works on the store of a run's job. The request may be repeated at the next admin
// when one does not answer.
func (c *Client) KV(ctx context.Context, r protocol.KVRequest) (answer protocol.KVAnswer, err error) {
	err = c.ask(ctx, c.addresses, protocol.PathKV, r, &answer)
	return answer, err
}

// Secret reads a secret for a run, from admins that can be asked for it in private.
func (c *Client) Secret(ctx context.Context, r protocol.SecretRequest) (string, error) {
	var private []string
	for _, a := range c.addresses {
		if c.cfg.PlainSecrets || isPrivate(a) {
			private = append(private, a)
		}
	}
	if len(private) == 0 {
		return "", ErrPlainSecret
	}
	var answer protocol.SecretAnswer
	err := c.ask(ctx, private, protocol.PathSecret, r, &answer)
	if err != nil {
		return "", fmt.Errorf("secret %q: %w", r.Name, explained(err))
	}
	return answer.Value, nil
}

// explained finds words for an admin that refused a secret without any.
func explained(err error) error {
	status, ok := errors.AsType[*StatusError](err)
	switch {
	case !ok || status.Text != "":
		return err
	case status.Status == http.StatusNotFound:
		return errors.New("the admin has none of that name for this run's group")
	case status.Status == http.StatusForbidden:
		return errors.New("the admin does not grant it to this run")
	default:
		return err
	}
}

// isPrivate reports whether nobody can listen on the way to an address.
func isPrivate(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	if u.Scheme == "https" || u.Hostname() == "localhost" {
		return true
	}
	ip, err := netip.ParseAddr(u.Hostname())
	return err == nil && ip.Unmap().IsLoopback()
}

// ask posts a request to the admins in turn until one answers. What an admin refuses the
// others would refuse as well: they share their database.
func (c *Client) ask(ctx context.Context, addresses []string, path string, request, answer any) error {
	ctx, cancel := context.WithTimeoutCause(ctx, c.cfg.Timeout, fmt.Errorf("no answer within %v", c.cfg.Timeout))
	defer cancel()
	body, err := json.Marshal(request)
	if err != nil {
		return fmt.Errorf("encode request: %w", err)
	}
	var failures []error
	for _, a := range addresses {
		raw, err := c.post(ctx, a+path, body)
		if err == nil {
			if err := json.Unmarshal(raw, answer); err != nil {
				return fmt.Errorf("read the admin's answer: %w", err)
			}
			return nil
		}
		if status, ok := errors.AsType[*StatusError](err); ok && status.Status < http.StatusInternalServerError {
			return err
		}
		failures = append(failures, err)
	}
	return errors.Join(failures...)
}

// maxRefusal bounds what is read of an admin's refusal, in bytes.
const maxRefusal = 1 << 10

// post sends one request and reads its answer; a status other than 200 is a *StatusError.
func (c *Client) post(ctx context.Context, target string, body []byte) ([]byte, error) {
	resp, err := c.send(ctx, http.MethodPost, target, body)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(resp.Body, maxRefusal)) // what is lost is a word of explanation
		return nil, &StatusError{resp.StatusCode, refusalText(resp.Header.Get("Content-Type"), text)}
	}
	return readAll(ctx, resp.Body, target, maxAnswer)
}

// refusalText is what an admin said, unless it is a page or an object for programs.
func refusalText(contentType string, text []byte) string {
	text = bytes.TrimSpace(text)
	if !strings.HasPrefix(contentType, "text/plain") || !utf8.Valid(text) {
		return ""
	}
	return string(text)
}
