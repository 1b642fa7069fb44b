package interop

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

const password = "interop-Passw0rd-77a1"

// rest speaks the admin's REST API as its first user.
type rest struct {
	t    *testing.T
	base string
	http *http.Client
}

func login(t *testing.T, addr string) *rest {
	t.Helper()
	jar, err := cookiejar.New(nil)
	require.NoError(t, err)
	c := &rest{t: t, base: "http://" + addr + "/api/v1", http: &http.Client{Jar: jar, Timeout: 10 * time.Second}}
	c.call("POST", "/login", map[string]string{"username": "admin", "password": password}, nil)
	t.Cleanup(c.http.CloseIdleConnections)
	return c
}

// on is the same user in a sub-test.
func (c *rest) on(t *testing.T) *rest {
	d := *c
	d.t = t
	return &d
}

// try does one request and answers its status and body.
func (c *rest) try(method, path string, in any) (int, []byte) {
	c.t.Helper()
	b, err := json.Marshal(in)
	require.NoError(c.t, err)
	req, err := http.NewRequestWithContext(c.t.Context(), method, c.base+path, bytes.NewReader(b))
	require.NoError(c.t, err)
	req.Header.Set("Content-Type", "application/json")
	resp, err := c.http.Do(req)
	require.NoError(c.t, err)
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	require.NoError(c.t, err)
	return resp.StatusCode, answer
}

// call does one request that must succeed, and decodes its answer into out.
func (c *rest) call(method, path string, in, out any) {
	c.t.Helper()
	status, answer := c.try(method, path, in)
	require.Equal(c.t, 2, status/100, "%s %s: %d %s", method, path, status, answer)
	if out != nil {
		require.NoError(c.t, json.Unmarshal(answer, out), "%s", answer)
	}
}

type run struct {
	ID      int64  `json:"id"`
	JobID   int32  `json:"job_id"`
	State   string `json:"state"`
	Reason  string `json:"reason"`
	Message string `json:"message"`
	Code    int    `json:"code"`
	Shard   int    `json:"shard"`
	Attempt int    `json:"attempt"`
	Address string `json:"address"`
	FireAt  string `json:"fire_at"`
	EndedAt string `json:"ended_at"`
}

type executorView struct {
	Address string `json:"address"`
	Dialect string `json:"dialect"`
	Alive   bool   `json:"alive"`
}

type logPiece struct {
	FromLine int    `json:"from_line"`
	ToLine   int    `json:"to_line"`
	Content  string `json:"content"`
	End      bool   `json:"end"`
}

// group makes a group: automatic, or with the given addresses.
func (c *rest) group(app string, addresses ...string) int32 {
	c.t.Helper()
	in := map[string]any{"app_name": app, "title": app}
	if len(addresses) > 0 {
		in["address_type"], in["address_list"] = 1, addresses
	}
	var g struct{ ID int32 }
	c.call("POST", "/groups", in, &g)
	return g.ID
}

// groupToken makes a token for a group's executors.
func (c *rest) groupToken(group int32) string {
	c.t.Helper()
	var made struct{ Token string }
	c.call("POST", fmt.Sprintf("/groups/%d/tokens", group), map[string]any{"name": "interop"}, &made)
	require.NotEmpty(c.t, made.Token)
	return made.Token
}

// job makes a job that is run by hand, from defaults and fields.
func (c *rest) job(group int32, name string, fields map[string]any) int32 {
	c.t.Helper()
	in := map[string]any{
		"group_id": group, "name": name, "author": "interop", "schedule_type": "NONE", "schedule_conf": "",
		"glue_type": "BEAN", "handler": "demo", "route_strategy": "ROUND", "block_strategy": "SERIAL_EXECUTION",
	}
	for k, v := range fields {
		in[k] = v
	}
	var j struct{ ID int32 }
	c.call("POST", "/jobs", in, &j)
	return j.ID
}

// publish makes source the job's code, after the version base.
func (c *rest) publish(job int32, source string, base int) {
	c.t.Helper()
	c.call("POST", fmt.Sprintf("/jobs/%d/versions", job),
		map[string]any{"source": source, "remark": "written by a test", "base_version": base}, nil)
}

// trigger runs the job now; fields may hold param and addresses.
func (c *rest) trigger(job int32, fields map[string]any) int64 {
	c.t.Helper()
	var out struct {
		RunID int64 `json:"run_id"`
	}
	c.call("POST", fmt.Sprintf("/jobs/%d/trigger", job), fields, &out)
	return out.RunID
}

// routed triggers the job until a run finds an executor: a registration is listed a
// moment before runs go there.
func (c *rest) routed(job int32) int64 {
	c.t.Helper()
	var id int64
	eventually(c.t, 5*time.Second, func() bool {
		id = c.trigger(job, map[string]any{})
		var r run
		eventually(c.t, 10*time.Second, func() bool { r = c.run(id); return r.State != "planned" && r.State != "dispatching" }, "run %d is sent", id)
		return r.Reason != "no_executor"
	}, "a run of job %d finds an executor", job)
	return id
}

func (c *rest) run(id int64) run {
	c.t.Helper()
	var r run
	c.call("GET", fmt.Sprintf("/runs/%d", id), nil, &r)
	return r
}

// reaches waits until the run is in a state.
func (c *rest) reaches(id int64, state string, within time.Duration) run {
	c.t.Helper()
	var r run
	eventually(c.t, within, func() bool {
		r = c.run(id)
		require.True(c.t, r.EndedAt == "" || r.State == state, "run %d: %s: %s", id, r.State, r.Message)
		return r.State == state
	}, "run %d is %s", id, state)
	return r
}

// ended waits until the run has ended, however.
func (c *rest) ended(id int64, within time.Duration) run {
	c.t.Helper()
	var r run
	eventually(c.t, within, func() bool { r = c.run(id); return r.EndedAt != "" }, "run %d ends", id)
	return r
}

// runs lists a job's, newest first.
func (c *rest) runs(job int32) []run {
	c.t.Helper()
	var out struct{ Items []run }
	c.call("GET", fmt.Sprintf("/runs?job_id=%d&limit=100", job), nil, &out)
	return out.Items
}

func (c *rest) log(id int64, from int) logPiece {
	c.t.Helper()
	var p logPiece
	c.call("GET", fmt.Sprintf("/runs/%d/log?from_line=%d", id, from), nil, &p)
	return p
}

func (c *rest) executors(group int32) []executorView {
	c.t.Helper()
	var out struct{ Items []executorView }
	c.call("GET", fmt.Sprintf("/groups/%d/executors", group), nil, &out)
	return out.Items
}

// ready reports whether an admin can fire jobs.
func ready(addr string) bool {
	resp, err := http.Get("http://" + addr + "/readyz")
	if err != nil {
		return false
	}
	resp.Body.Close()
	return resp.StatusCode == http.StatusOK
}
