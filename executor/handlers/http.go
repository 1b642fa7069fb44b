package handlers

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/gluewheel/gluewheel/executor"
	"github.com/gluewheel/gluewheel/runtime"
)

const (
	// defaultTimeoutMS is XXL-JOB's.
	defaultTimeoutMS = 3000
	// maxAnswerLog is how much of an answer goes into the run's log, in bytes.
	maxAnswerLog = 64 << 10
	// maxAnswerResult is how much of it becomes the run's result, in bytes.
	maxAnswerResult = 1000
)

// httpParam is what httpJobHandler is told, in the words of XXL-JOB 3.x.
type httpParam struct {
	URL         string            `json:"url"`
	Method      string            `json:"method"`
	ContentType string            `json:"contentType"`
	Headers     map[string]string `json:"headers"`
	Cookies     map[string]string `json:"cookies"`
	TimeoutMS   int64             `json:"timeout"`
	Data        string            `json:"data"`
	Form        map[string]string `json:"form"`
	Auth        string            `json:"auth"` // the Authorization header
}

// request makes the HTTP request that the parameter describes; an answer of the 200s is
// success.
func (h *Handlers) request(ctx context.Context, job *executor.Job) error {
	p, err := parseHTTP(job.Param())
	if err != nil {
		return err
	}
	req, grants, err := p.request()
	if err != nil {
		return err
	}
	job.Logf("%s %s", req.Method, redacted(req.URL))
	started := time.Now()
	resp, err := h.http.Do(ctx, grants, req)
	if err != nil {
		return fmt.Errorf("call %s: %w", redacted(req.URL), err)
	}
	job.Logf("HTTP status %d after %s, %d bytes", resp.Status, time.Since(started).Round(time.Millisecond), len(resp.Body))
	body := text(resp.Body)
	for line := range strings.Lines(excerpt(body, maxAnswerLog)) {
		job.Logf("%s", strings.TrimRight(line, "\r\n"))
	}
	if resp.Status/100 != 2 {
		return fmt.Errorf("HTTP status %d: %s", resp.Status, excerpt(body, maxAnswerResult))
	}
	job.SetResult(excerpt(body, maxAnswerResult))
	return nil
}

// parseHTTP reads a parameter as a JSON object (3.x), or as lines such as "url: …",
// "method: …" and "data: …" (2.x), of which data may go on over further lines.
func parseHTTP(param string) (p httpParam, err error) {
	param = strings.TrimSpace(param)
	switch {
	case param == "":
		return p, errors.New(`param invalid: describe the request, such as {"url":"https://example.com/","method":"GET"}`)
	case strings.HasPrefix(param, "{"):
		if err := json.Unmarshal([]byte(param), &p); err != nil {
			return p, fmt.Errorf("param invalid: %w", err)
		}
	default:
		if p, err = parseLines(param); err != nil {
			return p, err
		}
	}
	if strings.TrimSpace(p.URL) == "" {
		return p, errors.New("param invalid: url is missing")
	}
	return p, nil
}

func parseLines(param string) (p httpParam, err error) {
	rest := param
	for rest != "" {
		var line string
		line, rest, _ = strings.Cut(rest, "\n")
		name, value, ok := strings.Cut(line, ":")
		value = strings.TrimSpace(value)
		switch strings.ToLower(strings.TrimSpace(name)) {
		case "url":
			p.URL = value
		case "method":
			p.Method = value
		case "data":
			p.Data = strings.TrimRight(value+"\n"+rest, "\n")
			return p, nil
		case "":
		default:
			if !ok {
				name = line
			}
			return p, fmt.Errorf("param invalid: %q is none of url:, method: and data:", excerpt(name, 40))
		}
	}
	return p, nil
}

// request is what to send. The job may reach the host that it names; the operator's
// policy decides whether it is let.
func (p *httpParam) request() (runtime.HTTPRequest, runtime.Grants, error) {
	u, err := url.Parse(strings.TrimSpace(p.URL))
	if err != nil || u.Hostname() == "" {
		return runtime.HTTPRequest{}, runtime.Grants{}, errors.New("param invalid: url is not an http address")
	}
	req := runtime.HTTPRequest{
		Method: strings.ToUpper(cmp.Or(strings.TrimSpace(p.Method), http.MethodGet)), URL: u.String(),
		Headers: map[string]string{}, Body: []byte(p.Data), TimeoutMS: cmp.Or(max(p.TimeoutMS, 0), defaultTimeoutMS),
	}
	contentType := p.ContentType
	if len(p.Form) > 0 {
		if p.Data != "" {
			return req, runtime.Grants{}, errors.New("param invalid: data and form exclude each other")
		}
		req.Body = []byte(values(p.Form).Encode())
		contentType = cmp.Or(contentType, "application/x-www-form-urlencoded")
	}
	if len(req.Body) > 0 {
		contentType = cmp.Or(contentType, "application/json; charset=UTF-8")
	}
	for name, value := range p.Headers {
		req.Headers[name] = value
	}
	for name, value := range map[string]string{"Content-Type": contentType, "Authorization": p.Auth, "Cookie": cookies(p.Cookies)} {
		if value != "" {
			req.Headers[name] = value
		}
	}
	// A name without a port is of the scheme's own: redirects lead there, to any host.
	grants := runtime.Grants{Hosts: []string{"*"}}
	if u.Port() != "" {
		grants.Hosts = append(grants.Hosts, net.JoinHostPort(u.Hostname(), u.Port()))
	}
	return req, grants, nil
}

func values(m map[string]string) url.Values {
	v := url.Values{}
	for name, value := range m {
		v.Set(name, value)
	}
	return v
}

func cookies(m map[string]string) string {
	req := http.Request{Header: http.Header{}}
	for name, value := range m {
		req.AddCookie(&http.Cookie{Name: name, Value: value})
	}
	return req.Header.Get("Cookie")
}

// redacted keeps passwords in URLs out of logs.
func redacted(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "the url"
	}
	return u.Redacted()
}

// text is an answer as the log can hold it.
func text(body []byte) string {
	if !utf8.Valid(body) {
		return fmt.Sprintf("(%d bytes that are no text)", len(body))
	}
	return string(body)
}

// excerpt cuts a text to at most n bytes, between characters.
func excerpt(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n] + "…"
}
