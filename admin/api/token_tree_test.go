package api_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/admin/api"
)

// made makes a token for a group as s, and speaks with it.
func (s *session) made(name string, group int32) (api.TokenCreated, *session) {
	s.b.t.Helper()
	made := post[api.TokenCreated](s, "/tokens", fmt.Sprintf(`{"name":%q,"role":"viewer","group_ids":[%d]}`, name, group))
	return made, &session{b: s.b, header: http.Header{"Authorization": {"Bearer " + made.Secret}}}
}

// TestTokens_EndWithTheTokenThatMadeThem ends a token that may have leaked: whoever had it
// keeps no other one.
func TestTokens_EndWithTheTokenThatMadeThem(t *testing.T) {
	t.Parallel()
	b := setup(t)
	group := b.group("mine").ID
	ann := b.user("ann", group)
	leaked, thief := ann.made("leaked", group)
	require.Nil(t, leaked.ParentID)
	child, byThief := thief.made("child", group)
	require.Equal(t, leaked.ID, *child.ParentID)
	_, further := byThief.made("grandchild", group)
	_, other := ann.made("other", group)
	for _, s := range []*session{thief, byThief, further, other} {
		require.Equal(t, 200, s.do("GET", "/me", "").status)
	}

	require.Equal(t, 204, ann.do("DELETE", "/tokens/"+itoa(leaked.ID), "").status)
	for _, s := range []*session{thief, byThief, further} {
		s.do("GET", "/me", "").refused(401, "")
	}
	require.Equal(t, 200, other.do("GET", "/me", "").status)
	left := get[api.List[api.Token]](ann, "/tokens").Items
	require.Len(t, left, 1)
	entry := get[api.List[api.AuditEntry]](b.admin, "/audit?action=deleteToken").Items[0]
	require.Len(t, entry.Before["made_and_ended_too"], 2, "the audit log tells which")
}
