package api_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/admin/api"
)

// failedLogins are those in the audit log, the newest first.
func (b *bench) failedLogins() []api.AuditEntry {
	b.t.Helper()
	return get[api.List[api.AuditEntry]](b.admin, "/audit?action=loginFailed&limit=500").Items
}

func TestLogin_AFailedOneIsWrittenDown(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ann := b.user("ann")
	require.Empty(t, b.failedLogins(), "who gets in leaves no such entry")
	b.anonymous().do("POST", "/login", `{"username":"ann","password":"hush hush"}`).refused(401, "")
	b.anonymous().do("POST", "/login", `{"username":"no\u001b[2Jbody","password":"hush hush"}`).refused(401, "")
	ann.do("POST", "/me/password", `{"old_password":"hush hush","new_password":"new password"}`).refused(422, "body.old_password")
	ann.do("POST", "/me/password", `{"old_password":"ann password","new_password":"short"}`).refused(422, "body.new_password")
	entries := b.failedLogins()
	require.Len(t, entries, 3)
	var got []string
	for _, e := range entries {
		require.Equal(t, "127.0.0.1", e.Address)
		require.NotEmpty(t, e.RequestID)
		require.Equal(t, api.ActorKind("user"), e.ActorKind)
		got = append(got, fmt.Sprint(e.Actor, " ", e.After["reason"]))
	}
	require.Equal(t, []string{"ann wrong_old_password", "no?[2Jbody wrong_login", "ann wrong_login"}, got)
	require.NotContains(t, b.admin.do("GET", "/audit?limit=500", "").text, "hush")
}

// TestLogin_AFloodIsBounded goes on after it is throttled. Its entries are at most ten a
// minute; a name of full length is kept as it was typed.
func TestLogin_AFloodIsBounded(t *testing.T) {
	t.Parallel()
	b := setup(t)
	const tries = 100
	name := strings.Repeat("n", 100)
	for range tries {
		r := b.anonymous().do("POST", "/login", fmt.Sprintf(`{"username":%q,"password":"wrong"}`, name))
		require.Contains(t, []int{401, 429}, r.status)
	}
	entries := b.failedLogins()
	require.GreaterOrEqual(t, len(entries), 10)
	require.Less(t, len(entries), tries/2)
	require.Equal(t, "wrong_login", entries[len(entries)-1].After["reason"])
	require.Equal(t, "throttled", entries[0].After["reason"])
	require.Equal(t, name, entries[0].Actor)
}
