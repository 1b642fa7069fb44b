//go:build long

package e2e

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestTwoAdmins_FirstStartTogether starts two admins at the same moment on an empty
// database: one migrates, the other waits, there is one first user, and jobs fire.
func TestTwoAdmins_FirstStartTogether(t *testing.T) {
	c := newCluster(t)
	_, err := c.db.Exec(t.Context(), `DROP SCHEMA public CASCADE; CREATE SCHEMA public`)
	require.NoError(t, err)
	a, b := c.launchAdmin("admin-a", c.dbURL), c.launchAdmin("admin-b", c.dbURL)
	for _, one := range []*admin{a, b} {
		eventually(t, 30*time.Second, func() bool { return one.ready() || !one.alive() }, "%s is ready", one.name)
		require.True(t, one.alive(), "%s has ended", one.name)
	}
	require.Equal(t, 1, c.count(`SELECT count(*) FROM user_account`))
	require.Equal(t, 2, c.count(`SELECT count(*) FROM admin_node`))
	c.startExecutor("executor", b)
	cl := login(t, a.base(), password)
	run := cl.Trigger(cl.job(cl.Group(appName), "first", nil).ID, map[string]any{})
	require.Equal(t, "succeeded", cl.ended(run, 10*time.Second).State)
}
