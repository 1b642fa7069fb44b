//go:build long

package e2e

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestReview_PendingNeverRuns lets a job fire each second while new code waits for
// approval, is rejected, and other code is approved: every run has run what was live.
func TestReview_PendingNeverRuns(t *testing.T) {
	c := newCluster(t)
	a := c.startAdmin("admin")
	c.startExecutor("executor", a)
	cl := login(t, a.base(), password)
	group := cl.Group(appName)
	j := cl.job(group, "lua", map[string]any{
		"glue_type": "GLUE_LUA", "handler": "", "schedule_type": "FIX_RATE", "schedule_conf": "1",
	})
	live := cl.publish(j.ID, `gw.log("text one")`, 0)
	_, err := c.db.Exec(t.Context(), `UPDATE job_group SET require_review = true WHERE id = $1`, group)
	require.NoError(t, err)
	cl.Must("POST", "/users", map[string]any{"username": "eve", "password": password, "role": "admin", "grants": []any{}}, nil)
	eve := loginAs(t, a.base(), "eve", password)
	rejected, approved := cl.publish(j.ID, `gw.log("text two")`, live), cl.publish(j.ID, `gw.log("text three")`, live)
	cl.Start(j.ID)
	ran := func(version int32, more int) func() bool {
		return func() bool {
			return c.count(`SELECT count(*) FROM run WHERE job_id = $1 AND glue_version = $2 AND state = 10`, j.ID, version) > more
		}
	}
	eventually(t, 20*time.Second, ran(live, 2), "the live version runs beside the pending ones")
	eve.Must("POST", fmt.Sprintf("/jobs/%d/versions/%d/reject", j.ID, rejected), map[string]any{"note": "no"}, nil)
	eve.Must("POST", fmt.Sprintf("/jobs/%d/versions/%d/approve", j.ID, approved), map[string]any{}, nil)
	at := c.clock()
	eventually(t, 20*time.Second, ran(approved, 2), "the approved version runs")
	c.stopAll(cl, []int32{j.ID})
	require.Zero(t, c.count(`SELECT count(*) FROM run WHERE job_id = $1 AND glue_version = $2`, j.ID, rejected))
	require.Zero(t, c.count(`SELECT count(*) FROM run WHERE job_id = $1 AND glue_version = $2 AND claimed_at > $3`, j.ID, live, at))
	for _, r := range cl.Runs(fmt.Sprintf("state=succeeded&limit=100&job_id=%d", j.ID)) {
		want := map[int32]string{live: "text one", approved: "text three"}[r.GlueVersion]
		require.Contains(t, cl.log(r.ID), want, "run %d", r.ID)
	}
}
