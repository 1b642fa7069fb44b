//go:build long

package e2e

import (
	"maps"
	"testing"
	"time"

	"github.com/gluewheel/gluewheel/internal/resttest"
)

// client speaks the REST API of one admin as a logged-in person.
type client struct{ *resttest.Client }

func login(t *testing.T, base, password string) *client {
	t.Helper()
	return loginAs(t, base, "admin", password)
}

func loginAs(t *testing.T, base, username, password string) *client {
	t.Helper()
	return &client{resttest.Login(t, base, username, password)}
}

// job makes a job of the test executors' handler, unless fields say otherwise.
func (c *client) job(group int32, name string, fields map[string]any) resttest.Job {
	c.T.Helper()
	all := map[string]any{"handler": "witness"}
	maps.Copy(all, fields)
	return c.Job(group, name, all)
}

// patience is how many times longer than on a machine at rest something may take on one
// that does other things as well. What is promised in time is measured, not waited for.
const patience = 4

// eventually looks at cond until it holds, and fails with what it waited for. A machine at
// rest needs less than within.
func eventually(t *testing.T, within time.Duration, cond func() bool, what string, args ...any) {
	t.Helper()
	resttest.Eventually(t, within*patience, cond, what, args...)
}

// ended waits until a run has ended, however; a machine at rest needs less than within.
func (c *client) ended(id int64, within time.Duration) resttest.Run {
	c.T.Helper()
	return c.Ended(id, within*patience)
}
