//go:build long

package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// client speaks the REST API of one admin as a logged-in person.
type client struct {
	t    *testing.T
	base string
	http *http.Client
}

func login(t *testing.T, base, password string) *client {
	t.Helper()
	return loginAs(t, base, "admin", password)
}

func loginAs(t *testing.T, base, username, password string) *client {
	t.Helper()
	jar, err := cookiejar.New(nil)
	require.NoError(t, err)
	c := &client{t: t, base: base, http: &http.Client{Jar: jar, Timeout: 10 * time.Second}}
	status, body := c.call("POST", "/login", map[string]string{"username": username, "password": password})
	require.Equal(t, 200, status, "%s", body)
	return c
}

// call does one request and answers its status and body.
func (c *client) call(method, path string, in any) (int, []byte) {
	c.t.Helper()
	status, body, err := c.try(method, path, in)
	require.NoError(c.t, err)
	return status, body
}

// try is call without failing the test, for calls made while something is broken.
func (c *client) try(method, path string, in any) (int, []byte, error) {
	var r io.Reader
	if in != nil {
		b, err := json.Marshal(in)
		if err != nil {
			return 0, nil, err
		}
		r = bytes.NewReader(b)
	}
	req, err := http.NewRequest(method, c.base+"/api/v1"+path, r)
	if err != nil {
		return 0, nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := c.http.Do(req)
	if err != nil {
		return 0, nil, err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	return resp.StatusCode, b, err
}

// must does one request, wants a 2xx and decodes the answer into out.
func (c *client) must(method, path string, in, out any) {
	c.t.Helper()
	status, body := c.call(method, path, in)
	require.True(c.t, status/100 == 2, "%s %s: %d %s", method, path, status, body)
	if out != nil {
		require.NoError(c.t, json.Unmarshal(body, out), "%s", body)
	}
}

type jobView struct {
	ID          int32  `json:"id"`
	Name        string `json:"name"`
	Version     int64  `json:"version"`
	GlueVersion int32  `json:"glue_version"`
	Enabled     bool   `json:"enabled"`
}

type runView struct {
	ID          int64      `json:"id"`
	JobID       int32      `json:"job_id"`
	State       string     `json:"state"`
	Reason      string     `json:"reason"`
	Message     string     `json:"message"`
	GlueVersion int32      `json:"glue_version"`
	Shard       int32      `json:"shard"`
	FireAt      time.Time  `json:"fire_at"`
	EndedAt     *time.Time `json:"ended_at"`
}

type list[T any] struct {
	Items []T `json:"items"`
	Total int `json:"total"`
}

// group makes an automatic executor group and answers its id.
func (c *client) group(app string) int32 {
	c.t.Helper()
	var g struct {
		ID int32 `json:"id"`
	}
	c.must("POST", "/groups", map[string]any{"app_name": app, "title": app, "address_type": 0}, &g)
	return g.ID
}

// job makes a job from defaults and fields, and answers it.
func (c *client) job(groupID int32, name string, fields map[string]any) jobView {
	c.t.Helper()
	in := map[string]any{
		"group_id": groupID, "name": name, "author": "e2e", "schedule_type": "NONE", "schedule_conf": "",
		"glue_type": "BEAN", "handler": "witness", "route_strategy": "ROUND", "block_strategy": "SERIAL_EXECUTION",
	}
	for k, v := range fields {
		in[k] = v
	}
	var out jobView
	c.must("POST", "/jobs", in, &out)
	return out
}

func (c *client) start(id int32) {
	c.t.Helper()
	c.must("POST", fmt.Sprintf("/jobs/%d/start", id), map[string]any{}, nil)
}

func (c *client) trigger(id int32, fields map[string]any) int64 {
	c.t.Helper()
	var out struct {
		RunID int64 `json:"run_id"`
	}
	c.must("POST", fmt.Sprintf("/jobs/%d/trigger", id), fields, &out)
	return out.RunID
}

func (c *client) run(id int64) runView {
	c.t.Helper()
	var out runView
	c.must("GET", fmt.Sprintf("/runs/%d", id), nil, &out)
	return out
}

func (c *client) runs(query string) []runView {
	c.t.Helper()
	var out list[runView]
	c.must("GET", "/runs?"+query, nil, &out)
	return out.Items
}

// ended polls until the run has ended.
func (c *client) ended(id int64, within time.Duration) runView {
	c.t.Helper()
	var r runView
	eventually(c.t, within, func() bool { r = c.run(id); return r.EndedAt != nil }, "run %d ends", id)
	return r
}

// eventually polls cond, and fails with what it waited for.
func eventually(t *testing.T, within time.Duration, cond func() bool, what string, args ...any) {
	t.Helper()
	deadline := time.Now().Add(within)
	for !cond() {
		if time.Now().After(deadline) {
			require.FailNow(t, "not within "+within.String()+": "+fmt.Sprintf(what, args...))
		}
		time.Sleep(50 * time.Millisecond)
	}
}
