package interop

import (
	"fmt"
	"maps"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/internal/resttest"
)

const password = "interop-Passw0rd-77a1"

// run is what an admin tells of a run.
type run = resttest.Run

// rest speaks the admin's REST API as its first user.
type rest struct{ *resttest.Client }

func login(t *testing.T, addr string) *rest {
	t.Helper()
	return &rest{resttest.Login(t, "http://"+addr, "admin", password)}
}

// on is the same user in a sub-test.
func (c *rest) on(t *testing.T) *rest { return &rest{c.On(t)} }

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

// groupToken makes a token for a group's executors.
func (c *rest) groupToken(group int32) string {
	c.T.Helper()
	var made struct{ Token string }
	c.Must("POST", fmt.Sprintf("/groups/%d/tokens", group), map[string]any{"name": "interop"}, &made)
	require.NotEmpty(c.T, made.Token)
	return made.Token
}

// job makes a job that is run by hand, unless fields say otherwise.
func (c *rest) job(group int32, name string, fields map[string]any) int32 {
	c.T.Helper()
	all := map[string]any{"handler": "demo"}
	maps.Copy(all, fields)
	return c.Job(group, name, all).ID
}

// routed triggers the job until a run finds an executor: a registration is listed a
// moment before runs go there.
func (c *rest) routed(job int32) int64 {
	c.T.Helper()
	var id int64
	eventually(c.T, 5*time.Second, func() bool {
		id = c.Trigger(job, map[string]any{})
		var r run
		eventually(c.T, 10*time.Second, func() bool { r = c.Run(id); return r.State != "planned" && r.State != "dispatching" }, "run %d is sent", id)
		return r.Reason != "no_executor"
	}, "a run of job %d finds an executor", job)
	return id
}

// reaches waits until the run is in a state.
func (c *rest) reaches(id int64, state string, within time.Duration) run {
	c.T.Helper()
	var r run
	eventually(c.T, within, func() bool {
		r = c.Run(id)
		require.True(c.T, !r.Ended() || r.State == state, "run %d: %s: %s", id, r.State, r.Message)
		return r.State == state
	}, "run %d is %s", id, state)
	return r
}

// ended waits until the run has ended, however.
func (c *rest) ended(id int64, within time.Duration) run {
	c.T.Helper()
	return c.Ended(id, within*patience)
}

// runs lists a job's, newest first.
func (c *rest) runs(job int32) []run {
	c.T.Helper()
	return c.Runs(fmt.Sprintf("job_id=%d&limit=100", job))
}

func (c *rest) log(id int64, from int) logPiece {
	c.T.Helper()
	var p logPiece
	c.Must("GET", fmt.Sprintf("/runs/%d/log?from_line=%d", id, from), nil, &p)
	return p
}

func (c *rest) executors(group int32) []executorView {
	c.T.Helper()
	var out struct{ Items []executorView }
	c.Must("GET", fmt.Sprintf("/groups/%d/executors", group), nil, &out)
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
