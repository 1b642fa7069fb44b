// Package resttest speaks an admin's REST API for tests that see it from outside, as a
// person with a browser does.
package resttest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/cookiejar"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Client is a logged-in person at one admin.
type Client struct {
	T    *testing.T
	Base string // such as http://127.0.0.1:8080
	HTTP *http.Client
}

// timeout bounds a request; it is generous, since tests share a machine.
const timeout = time.Minute

// Login starts a session, which ends with the test's connections.
func Login(t *testing.T, base, username, password string) *Client {
	t.Helper()
	jar, err := cookiejar.New(nil)
	require.NoError(t, err)
	c := &Client{T: t, Base: base, HTTP: &http.Client{Jar: jar, Timeout: timeout}}
	t.Cleanup(c.HTTP.CloseIdleConnections)
	// Passwords are costly to check: when many tests begin together, logins may be given up.
	status, answer := http.StatusServiceUnavailable, []byte(nil)
	for try := 0; try < 5 && status == http.StatusServiceUnavailable; try++ {
		status, answer, err = c.Try(http.MethodPost, "/login", map[string]string{"username": username, "password": password})
		require.NoError(t, err)
	}
	require.Equal(t, http.StatusOK, status, "%s", answer)
	return c
}

// On is the same person in a sub-test.
func (c *Client) On(t *testing.T) *Client {
	d := *c
	d.T = t
	return &d
}

// Try does one request and answers its status and body. Its error leaves the test
// running, for requests made while something is broken.
func (c *Client) Try(method, path string, in any) (int, []byte, error) {
	var body io.Reader
	if in != nil {
		text, err := json.Marshal(in)
		if err != nil {
			return 0, nil, err
		}
		body = bytes.NewReader(text)
	}
	return c.Send(method, path, "application/json", body)
}

// Send is Try with a body of any type.
func (c *Client) Send(method, path, contentType string, body io.Reader) (int, []byte, error) {
	req, err := http.NewRequestWithContext(c.T.Context(), method, c.Base+"/api/v1"+path, body)
	if err != nil {
		return 0, nil, err
	}
	req.Header.Set("Content-Type", contentType)
	resp, err := c.HTTP.Do(req)
	if err != nil {
		return 0, nil, err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	return resp.StatusCode, answer, err
}

// Call does one request that must be answered, whatever the answer.
func (c *Client) Call(method, path string, in any) (int, []byte) {
	c.T.Helper()
	status, answer, err := c.Try(method, path, in)
	require.NoError(c.T, err)
	return status, answer
}

// Must does one request that must succeed, and decodes its answer into out, if there is
// one.
func (c *Client) Must(method, path string, in, out any) {
	c.T.Helper()
	status, answer := c.Call(method, path, in)
	require.Equal(c.T, 2, status/100, "%s %s: %d %s", method, path, status, answer)
	if out != nil {
		require.NoError(c.T, json.Unmarshal(answer, out), "%s", answer)
	}
}

// Group makes a group: automatic, or with the given addresses.
func (c *Client) Group(app string, addresses ...string) int32 {
	c.T.Helper()
	in := map[string]any{"app_name": app, "title": app}
	if len(addresses) > 0 {
		in["address_type"], in["address_list"] = 1, addresses
	}
	var g struct{ ID int32 }
	c.Must(http.MethodPost, "/groups", in, &g)
	return g.ID
}

// Job is what the tests look at of a job.
type Job struct {
	ID          int32  `json:"id"`
	Name        string `json:"name"`
	Version     int64  `json:"version"`
	GlueVersion int32  `json:"glue_version"`
	Enabled     bool   `json:"enabled"`
}

// Job makes a stopped job of a group from fields: one without a schedule that is sent to
// the executors in turn, where they do not say otherwise.
func (c *Client) Job(group int32, name string, fields map[string]any) Job {
	c.T.Helper()
	in := map[string]any{
		"group_id": group, "name": name, "author": "test", "schedule_type": "NONE", "schedule_conf": "",
		"glue_type": "BEAN", "route_strategy": "ROUND", "block_strategy": "SERIAL_EXECUTION",
	}
	maps.Copy(in, fields)
	var j Job
	c.Must(http.MethodPost, "/jobs", in, &j)
	return j
}

// Start starts a job's schedule.
func (c *Client) Start(job int32) { c.ask(job, "start") }

// Stop stops a job's schedule.
func (c *Client) Stop(job int32) { c.ask(job, "stop") }

func (c *Client) ask(job int32, verb string) {
	c.T.Helper()
	c.Must(http.MethodPost, fmt.Sprintf("/jobs/%d/%s", job, verb), map[string]any{}, nil)
}

// Publish makes source the job's live code, after the version base.
func (c *Client) Publish(job int32, source string, base int) {
	c.T.Helper()
	in := map[string]any{"source": source, "remark": "written by a test", "base_version": base}
	c.Must(http.MethodPost, fmt.Sprintf("/jobs/%d/versions", job), in, nil)
}

// Trigger runs a job now and answers the run's id; fields may hold param and addresses.
func (c *Client) Trigger(job int32, fields map[string]any) int64 {
	c.T.Helper()
	var out struct {
		RunID int64 `json:"run_id"`
	}
	c.Must(http.MethodPost, fmt.Sprintf("/jobs/%d/trigger", job), fields, &out)
	return out.RunID
}

// Run is what the tests look at of a run.
type Run struct {
	ID          int64      `json:"id"`
	JobID       int32      `json:"job_id"`
	State       string     `json:"state"`
	Reason      string     `json:"reason"`
	Message     string     `json:"message"`
	Code        int        `json:"code"`
	GlueVersion int32      `json:"glue_version"`
	Shard       int        `json:"shard"`
	Attempt     int        `json:"attempt"`
	Address     string     `json:"address"`
	FireAt      time.Time  `json:"fire_at"`
	EndedAt     *time.Time `json:"ended_at"`
}

// Ended reports whether nothing happens to the run any more.
func (r Run) Ended() bool { return r.EndedAt != nil }

// Run reads a run.
func (c *Client) Run(id int64) Run {
	c.T.Helper()
	var r Run
	c.Must(http.MethodGet, fmt.Sprintf("/runs/%d", id), nil, &r)
	return r
}

// Runs reads a page of runs, newest first.
func (c *Client) Runs(query string) []Run {
	c.T.Helper()
	var out struct{ Items []Run }
	c.Must(http.MethodGet, "/runs?"+query, nil, &out)
	return out.Items
}

// Ended waits until the run has ended, however.
func (c *Client) Ended(id int64, within time.Duration) Run {
	c.T.Helper()
	var r Run
	Eventually(c.T, within, func() bool { r = c.Run(id); return r.Ended() }, "run %d ends", id)
	return r
}

// look is the pause between two looks at what a test waits for.
const look = 20 * time.Millisecond

// Eventually looks at cond until it holds, and fails with what it waited for.
func Eventually(t *testing.T, within time.Duration, cond func() bool, what string, args ...any) {
	t.Helper()
	deadline := time.Now().Add(within)
	for !cond() {
		if time.Now().After(deadline) {
			require.FailNow(t, "not within "+within.String()+": "+fmt.Sprintf(what, args...))
		}
		time.Sleep(look)
	}
}
