package api_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/admin/api"
	"github.com/gluewheel/gluewheel/admin/job"
)

func TestGroups_AreMadeChangedAndDeleted(t *testing.T) {
	t.Parallel()
	b := setup(t)
	g := post[api.Group](b.admin, "/groups", `{"app_name":"billing","title":"Billing"}`)
	require.Equal(t, "billing", g.AppName)
	require.Empty(t, g.AddressList)
	path := fmt.Sprintf("/groups/%d", g.ID)
	require.Equal(t, g, get[api.Group](b.admin, path))

	edit := `{"app_name":"billing","title":"Invoices","address_type":1,"address_list":["http://10.0.0.5:9999"],"version":1}`
	g = put[api.Group](b.admin, path, edit)
	require.Equal(t, "Invoices", g.Title)
	require.Equal(t, int64(2), g.Version)
	b.admin.do("PUT", path, edit).refused(409, "body.version")

	all := get[api.List[api.Group]](b.admin, "/groups")
	require.Equal(t, 1, all.Total)
	require.Equal(t, []api.Group{g}, all.Items)

	b.job(g.ID)
	b.admin.do("DELETE", path, "").refused(409, "")
	empty := b.group("empty")
	require.Equal(t, 204, b.admin.do("DELETE", fmt.Sprintf("/groups/%d", empty.ID), "").status)
	b.admin.do("GET", fmt.Sprintf("/groups/%d", empty.ID), "").refused(404, "")
}

func TestGroups_RefuseWrongInput(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.group("taken")
	for _, c := range []struct {
		body   string
		status int
		at     string
	}{
		{`{"app_name":"taken","title":"x"}`, 409, "body.app_name"},
		{`{"app_name":"abc","title":"x"}`, 422, "body.app_name"},
		{`{"app_name":"` + strings.Repeat("a", 65) + `","title":"x"}`, 422, "body.app_name"},
		{`{"app_name":"Upper","title":"x"}`, 422, "body.app_name"},
		{`{"app_name":"9digit","title":"x"}`, 422, "body.app_name"},
		{`{"app_name":"good","title":" "}`, 422, "body.title"},
		{`{"app_name":"good"}`, 422, "body.title"},
		{`{"app_name":"good","title":"x","address_type":2}`, 422, "body.address_type"},
		{`{"app_name":"good","title":"x","address_type":1}`, 422, "body.address_list"},
		{`{"app_name":"good","title":"x","address_type":1,"address_list":["ftp://a"]}`, 422, "body.address_list[0]"},
		{`{"app_name":"good","title":"x","address_type":1,"address_list":["http://a:1","http://a:1/"]}`, 422, "body.address_list[1]"},
		{`{"app_name":"good","title":"x","colour":"red"}`, 422, "body.colour"},
		{`{"App_Name":"good","title":"x"}`, 400, "body.App_Name"},
		{`{"app_name":"good","title":"a\u0000b"}`, 400, "body.title"},
		{`{"app_name":"good","title":7}`, 422, "body.title"},
		{`{"app_name":"good","title":"x"`, 400, "body"},
		{`{"app_name":"good","title":"` + "\xff" + `"}`, 400, "body"},
		{`[]`, 422, "body"},
		{`null`, 422, "body"},
		{`{"app_name":"good","title":"x"} {}`, 400, "body"},
	} {
		b.admin.do("POST", "/groups", c.body).refused(c.status, c.at)
	}
	b.admin.do("POST", "/groups", "").refused(400, "")
	require.Equal(t, 1, get[api.List[api.Group]](b.admin, "/groups").Total, "something was stored")
}

func TestGroups_ListPagesInOrder(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for i := range 7 {
		b.group(fmt.Sprintf("group-%d", i))
	}
	var names []string
	for path := "/groups?limit=3"; path != ""; {
		page := get[api.List[api.Group]](b.admin, path)
		require.Equal(t, 7, page.Total)
		for _, g := range page.Items {
			names = append(names, g.AppName)
		}
		path = ""
		if page.NextCursor != "" {
			path = "/groups?limit=3&cursor=" + page.NextCursor
		}
	}
	require.Equal(t, []string{"group-0", "group-1", "group-2", "group-3", "group-4", "group-5", "group-6"}, names)
	b.admin.do("GET", "/groups?limit=0", "").refused(422, "query.limit")
	b.admin.do("GET", "/groups?limit=x", "").refused(422, "query.limit")
	b.admin.do("GET", "/groups?limit=9999", "").refused(422, "query.limit")
	b.admin.do("GET", "/groups?cursor=zzz", "").refused(422, "query.cursor")
	b.admin.do("GET", "/groups?colour=red", "").refused(422, "query.colour")
	b.admin.do("GET", "/groups?limit=1&limit=2", "").refused(422, "query.limit")
}

func TestExecutors_AreListedByGroup(t *testing.T) {
	t.Parallel()
	b := setup(t)
	mine, theirs := b.group("mine"), b.group("theirs")
	require.NoError(t, b.store.StoreBeats(t.Context(), []job.Beat{
		{AppName: "mine", Address: "http://a:1", Dialect: job.DialectGluewheel, Info: []byte(`{"version":"v9","engines":["GLUE_LUA"]}`)},
		{AppName: "mine", Address: "http://b:1", Dialect: job.DialectB},
		{AppName: "theirs", Address: "http://c:1"},
	}))
	addresses := func(l api.List[api.Executor]) (out []string) {
		for _, e := range l.Items {
			require.True(t, e.Alive)
			out = append(out, e.Address)
		}
		return out
	}
	all := get[api.List[api.Executor]](b.admin, "/executors")
	require.Equal(t, []string{"http://a:1", "http://b:1", "http://c:1"}, addresses(all))
	require.Equal(t, "v9", all.Items[0].Version)
	require.Equal(t, []string{"GLUE_LUA"}, all.Items[0].Engines)
	require.Equal(t, []string{"http://c:1"}, addresses(get[api.List[api.Executor]](b.user("ann", theirs.ID), "/executors")))
	require.Equal(t, []string{"http://a:1", "http://b:1"}, addresses(get[api.List[api.Executor]](b.admin, fmt.Sprintf("/groups/%d/executors", mine.ID))))

	first := get[api.List[api.Executor]](b.admin, "/executors?limit=2")
	require.Equal(t, 3, first.Total)
	rest := get[api.List[api.Executor]](b.admin, "/executors?limit=2&cursor="+strings.ReplaceAll(first.NextCursor, " ", "%20"))
	require.Equal(t, []string{"http://c:1"}, addresses(rest))
	require.Empty(t, rest.NextCursor)
}
