//go:build long

package e2e

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestVersion_OldOneRunsOnceBesideTheLiveOne triggers an old version, which fails and is
// retried, while the live one goes on; each run tells why it went to its executor.
func TestVersion_OldOneRunsOnceBesideTheLiveOne(t *testing.T) {
	c := newCluster(t)
	a := c.startAdmin("admin")
	c.startExecutor("executor", a)
	cl := login(t, a.base(), password)
	group := cl.Group(appName)
	child := cl.job(group, "child", map[string]any{"glue_type": "GLUE_LUA", "handler": ""})
	cl.publish(child.ID, `gw.log("child")`, 0)
	j := cl.job(group, "lua", map[string]any{
		"glue_type": "GLUE_LUA", "handler": "", "retry_count": 1, "child_job_ids": []int32{child.ID},
	})
	v1 := cl.publish(j.ID, `gw.log("text one") error("as ever")`, 0)
	v2 := cl.publish(j.ID, `gw.log("text two")`, v1)

	old := cl.ended(cl.Trigger(j.ID, map[string]any{"version": v1}), 20*time.Second)
	live := cl.ended(cl.Trigger(j.ID, map[string]any{}), 20*time.Second)
	require.Equal(t, []any{"failed", v1}, []any{old.State, old.GlueVersion})
	require.Contains(t, cl.log(old.ID), "text one")
	require.Equal(t, []any{"succeeded", v2}, []any{live.State, live.GlueVersion})
	require.Contains(t, cl.log(live.ID), "text two")
	eventually(t, 20*time.Second, func() bool {
		return c.count(`SELECT count(*) FROM run WHERE job_id = $1 AND attempt = 1 AND glue_version = $2 AND state = 11`, j.ID, v1) == 1
	}, "the retry runs the same version")
	eventually(t, 20*time.Second, func() bool {
		return c.count(`SELECT count(*) FROM run WHERE job_id = $1 AND version_pin IS NULL AND state = 10`, child.ID) == 1
	}, "the live run's child runs what is live")

	var told struct {
		Pin   int32 `json:"version_pin"`
		Route struct {
			Code       string `json:"code"`
			Candidates int    `json:"candidates"`
			Place      int    `json:"place"`
		} `json:"route"`
	}
	cl.Must("GET", fmt.Sprintf("/runs/%d", old.ID), nil, &told)
	require.Equal(t, v1, told.Pin)
	require.Equal(t, []any{"only", 1, 1}, []any{told.Route.Code, told.Route.Candidates, told.Route.Place})
}
