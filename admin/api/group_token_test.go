package api_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	executors "github.com/gluewheel/gluewheel/admin/access"
	"github.com/gluewheel/gluewheel/admin/api"
	"github.com/gluewheel/gluewheel/admin/job"
	"github.com/gluewheel/gluewheel/admin/seal"
)

func TestGroupTokens(t *testing.T) {
	t.Parallel()
	b := setup(t)
	g := b.group("orders")
	path := fmt.Sprintf("/groups/%d/tokens", g.ID)
	require.Empty(t, get[api.List[api.GroupToken]](b.admin, path).Items)

	first := post[api.NewGroupToken](b.admin, path, `{"name":"java"}`)
	require.Regexp(t, `^gwx_[a-z0-9]{26}$`, first.Token)
	require.True(t, first.Sent)
	require.Empty(t, first.Warning)
	require.True(t, strings.HasPrefix(first.Token, first.Prefix))
	second := post[api.NewGroupToken](b.admin, path, `{"name":"old","token":"default_token","sent":true}`)
	require.Contains(t, second.Warning, "well-known default")
	require.True(t, second.Sent)

	listed := get[api.List[api.GroupToken]](b.admin, path)
	require.Len(t, listed.Items, 2)
	require.Equal(t, []bool{false, true}, []bool{listed.Items[0].Sent, listed.Items[1].Sent})
	require.Equal(t, "admin", listed.Items[0].CreatedBy)
	require.NotEmpty(t, listed.Items[1].Warning, "each time it is looked at")
	stored, err := b.store.GroupTokens(t.Context(), g.ID)
	require.NoError(t, err)
	require.NotContains(t, string(stored[0].Sealed)+string(stored[0].Hash), first.Token)
	opened, err := executors.Open(b.seal, &stored[0])
	require.NoError(t, err)
	require.Equal(t, first.Token, opened)

	require.Equal(t, 204, b.admin.do("DELETE", fmt.Sprintf("%s/%d", path, second.ID), "").status)
	require.Equal(t, 404, b.admin.do("DELETE", fmt.Sprintf("%s/%d", path, second.ID), "").status)
	require.True(t, get[api.List[api.GroupToken]](b.admin, path).Items[0].Sent)
	audit := b.admin.do("GET", "/audit?limit=100", "")
	require.Contains(t, audit.text, "createGroupToken")
	require.NotContains(t, audit.text, first.Token)

	for body, at := range map[string]string{
		`{"name":""}`:                                       "body.name",
		`{"name":"n","token":"abc"}`:                        "body.token",
		`{"name":"n","token":"with blanks"}`:                "body.token",
		`{"name":"n","token":"größe"}`:                      "body.token",
		fmt.Sprintf(`{"name":"n","token":%q}`, first.Token): "body.token",
	} {
		r := b.admin.do("POST", path, body)
		require.Equal(t, 422, r.status, r.text)
		require.Contains(t, r.text, at)
		require.NotContains(t, r.text, first.Token, "tokens are not echoed")
	}
}

func TestGroupTokens_NeedAKey(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.seal = seal.Ring{}
	b.serve(b.deps())
	r := b.admin.do("POST", fmt.Sprintf("/groups/%d/tokens", b.group("orders").ID), `{"name":"n"}`)
	require.Equal(t, 422, r.status)
	require.Contains(t, r.text, "--seal-key-file")
}

func TestSystem_WarnsItsAdmins(t *testing.T) {
	t.Parallel()
	b := setup(t)
	deps := b.deps()
	deps.Warnings = func() []string { return []string{"a weak token"} }
	b.serve(deps)
	require.Equal(t, []string{"a weak token"}, get[api.System](b.admin, "/system").Warnings)
	require.Empty(t, get[api.System](b.user("user"), "/system").Warnings)
}

func TestWaiting(t *testing.T) {
	t.Parallel()
	b := setup(t)
	require.NoError(t, b.store.StoreBeats(t.Context(), []job.Beat{
		{AppName: "newcomer", Address: "http://e:1/", Dialect: job.DialectB},
		{AppName: "Odd Name", Address: "http://e:2/"},
	}))
	waiting := get[api.List[api.WaitingApp]](b.admin, "/executors/waiting")
	require.Len(t, waiting.Items, 2)
	require.Equal(t, []string{"http://e:1/"}, waiting.Items[1].Addresses)

	g := post[api.Group](b.admin, "/executors/waiting/newcomer/accept", `{"title":"New"}`)
	require.Equal(t, []string{"newcomer", "New"}, []string{g.AppName, g.Title})
	live := get[api.List[api.Executor]](b.admin, fmt.Sprintf("/groups/%d/executors", g.ID))
	require.Len(t, live.Items, 1)
	require.True(t, live.Items[0].Alive, "at once")
	require.Equal(t, 404, b.admin.do("POST", "/executors/waiting/newcomer/accept", `{}`).status)
	r := b.admin.do("POST", "/executors/waiting/"+url.PathEscape("Odd Name")+"/accept", "")
	require.Equal(t, 422, r.status, r.text)
	require.Contains(t, r.text, "small letter")
	require.Len(t, get[api.List[api.WaitingApp]](b.admin, "/executors/waiting").Items, 1)
}

// TestAddresses_LeadNoTokenAway: the admin sends a token to every address that it calls.
func TestAddresses_LeadNoTokenAway(t *testing.T) {
	t.Parallel()
	b := setup(t)
	g, owned := b.group("orders"), b.group("owned")
	post[api.NewGroupToken](b.admin, fmt.Sprintf("/groups/%d/tokens", owned.ID), `{"name":"n"}`)
	require.NoError(t, b.store.StoreBeats(t.Context(), []job.Beat{{AppName: "orders", Address: "http://known:1/"}, {AppName: "owned", Address: "http://known:2/"}}))
	operator := b.account(job.User{Username: "operator", Role: job.RoleUser, Grants: []job.Grant{{GroupID: g.ID, Role: job.GroupOperator}, {GroupID: owned.ID, Role: job.GroupOperator}}})
	leader := b.account(job.User{Username: "leader", Role: job.RoleUser, Grants: []job.Grant{{GroupID: g.ID, Role: job.GroupAdmin}, {GroupID: owned.ID, Role: job.GroupAdmin}}})
	for _, c := range []struct {
		name    string
		session *session
		group   int32
		address string
		allowed bool
	}{
		{"an operator, the group's executor", operator, g.ID, "http://known:1", true},
		{"an operator, a stranger", operator, g.ID, "http://evil:1", false},
		{"an operator, another group's executor", operator, g.ID, "http://known:2", false},
		{"an operator, a stranger, own token", operator, owned.ID, "http://evil:1", false},
		{"a group's admin, a stranger, the global token", leader, g.ID, "http://evil:1", false},
		{"a group's admin, a stranger, own token", leader, owned.ID, "http://evil:1", true},
		{"an admin, a stranger", b.admin, g.ID, "http://evil:1", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			j := b.job(c.group)
			r := c.session.do("POST", fmt.Sprintf("/jobs/%d/trigger", j.ID), fmt.Sprintf(`{"addresses":[%q]}`, c.address))
			if c.allowed {
				require.Equal(t, 200, r.status, r.text)
				return
			}
			require.Equal(t, 422, r.status, r.text)
			require.Contains(t, r.text, "body.addresses")
		})
	}
	edit := func(s *session, g api.Group, app, address string) reply {
		return s.do("PUT", fmt.Sprintf("/groups/%d", g.ID), fmt.Sprintf(
			`{"app_name":%q,"title":"t","address_type":1,"address_list":[%q],"version":%d}`, app, address, g.Version))
	}
	r := edit(leader, g, "orders", "http://evil:1")
	require.Equal(t, 422, r.status, r.text)
	r = edit(leader, g, "stolen", "http://known:1")
	require.Equal(t, 422, r.status, r.text)
	require.Contains(t, r.text, "body.app_name")
	require.Equal(t, 200, edit(leader, g, "orders", "http://known:1").status)
	require.Equal(t, 200, edit(leader, owned, "owned", "http://evil:1").status)
}

func TestPath_IsDecoded(t *testing.T) {
	t.Parallel()
	b := setup(t)
	r := b.admin.do("GET", "/artifacts/sha256%3A"+strings.Repeat("0", 64), "")
	require.Equal(t, 404, r.status, r.text)
	r = b.admin.do("GET", "/artifacts/sha256%3a"+strings.Repeat("0", 63), "")
	require.Equal(t, 422, r.status, r.text)
}
