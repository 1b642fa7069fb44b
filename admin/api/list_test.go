package api_test

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/admin/api"
	"github.com/gluewheel/gluewheel/admin/job"
)

// listed are the entries of a list in a word each.
func listed[T any](s *session, path string, word func(T) string) []string {
	s.b.t.Helper()
	out := []string{}
	for _, it := range get[api.List[T]](s, path).Items {
		out = append(out, word(it))
	}
	return out
}

func TestList_RefusesWhatIsNoCursor(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.job(b.group("billing").ID) // both have the id 1
	lists := 0
	for path, operations := range readSpecification(t).Paths {
		op := operations["get"]
		if op == nil || !slices.ContainsFunc(op.Parameters, func(p parameterSpec) bool { return p.Name == "cursor" }) {
			continue
		}
		lists++
		path = strings.ReplaceAll(path, "{id}", "1")
		for _, cursor := range []string{"-1", "0", "abc", "1.5", "99999999999999999999"} {
			b.admin.do("GET", path+"?cursor="+cursor, "").refused(422, "query.cursor")
		}
	}
	require.GreaterOrEqual(t, lists, 12)
	for _, sort := range []string{"name", "-next_fire"} {
		b.admin.do("GET", "/jobs?sort="+sort+"&cursor=LTEgYQ", "").refused(422, "query.cursor") // "-1 a"
	}
}

func TestGroups_AreFoundByAPartOfTheirNames(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.group("billing")
	stock := post[api.Group](b.admin, "/groups", `{"app_name":"stock","title":"Warehouse 100%"}`)
	ann := b.user("ann", stock.ID)
	app := func(g api.Group) string { return g.AppName }
	require.Equal(t, []string{"billing"}, listed(b.admin, "/groups?q=BILL", app))
	require.Equal(t, []string{"stock"}, listed(b.admin, "/groups?q=ware", app))
	require.Equal(t, []string{"stock"}, listed(b.admin, "/groups?q=0%25", app), "no wildcard")
	require.Equal(t, 1, get[api.List[api.Group]](b.admin, "/groups?q=house&limit=1").Total)
	require.Empty(t, listed(ann, "/groups?q=billing", app))
	require.Equal(t, []string{"stock"}, listed(ann, "/groups?q=stock", app))
}

func TestUsers_AreFoundByTheirRole(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.account(job.User{Username: "eve", Role: job.RoleAuditor})
	b.user("ann")
	name := func(u api.User) string { return u.Username }
	require.Equal(t, []string{"eve"}, listed(b.admin, "/users?role=auditor", name))
	require.Equal(t, []string{"ann"}, listed(b.admin, "/users?role=user&q=an", name))
	require.Empty(t, listed(b.admin, "/users?role=user&q=eve", name))
	b.admin.do("GET", "/users?role=king", "").refused(422, "query.role")
}

func TestReviews_AreFoundByGroup(t *testing.T) {
	t.Parallel()
	b := setup(t)
	mine, theirs := b.group("mine"), b.group("theirs")
	for _, g := range []api.Group{mine, theirs} {
		b.requireReview(g.ID, true)
		j := b.job(g.ID, anyMap{"name": "of " + g.AppName})
		post[api.VersionPublished](b.admin, fmt.Sprintf("/jobs/%d/versions", j.ID), `{"source":"print(1)","remark":"first","base_version":0}`)
	}
	ann := b.user("ann", mine.ID)
	name := func(v api.PendingReview) string { return v.JobName }
	require.Equal(t, []string{"of mine", "of theirs"}, listed(b.admin, "/reviews", name))
	require.Equal(t, []string{"of theirs"}, listed(b.admin, fmt.Sprint("/reviews?group_id=", theirs.ID), name))
	require.Equal(t, []string{"of mine"}, listed(ann, fmt.Sprint("/reviews?group_id=", mine.ID), name))
	require.Empty(t, listed(ann, fmt.Sprint("/reviews?group_id=", theirs.ID), name))
}

func TestArtifacts_AreFoundByDigestAndUploader(t *testing.T) {
	t.Parallel()
	b := setup(t)
	g := b.group("billing")
	ann, bob := b.user("ann", g.ID), b.user("bob", g.ID)
	first := want[api.Artifact](ann.upload(wasmModule("one")), 201)
	second := want[api.Artifact](bob.upload(wasmModule("two")), 201)
	digest := func(a api.Artifact) string { return a.Digest }
	require.Equal(t, []string{first.Digest}, listed(b.admin, "/artifacts?q="+first.Digest[:20], digest))
	require.Equal(t, []string{second.Digest}, listed(b.admin, "/artifacts?q="+strings.ToUpper(second.Digest[7:20]), digest))
	require.Equal(t, []string{second.Digest}, listed(b.admin, "/artifacts?q=bo", digest))
	require.Zero(t, get[api.List[api.Artifact]](b.admin, "/artifacts?q=nobody").Total)
	require.Empty(t, listed(ann, "/artifacts?q=bob", digest), "not hers to see")
}

func TestExecutors_AreFoundByGroupNameAndLife(t *testing.T) {
	t.Parallel()
	b := setup(t)
	mine, theirs := b.group("mine"), b.group("theirs")
	require.NoError(t, b.store.StoreBeats(t.Context(), []job.Beat{
		{AppName: "mine", Address: "http://Alpha:1"}, {AppName: "mine", Address: "http://beta:1"}, {AppName: "theirs", Address: "http://gamma:1"},
	}))
	conn, err := pgx.Connect(t.Context(), b.database)
	require.NoError(t, err)
	defer conn.Close(t.Context())
	_, err = conn.Exec(t.Context(), `UPDATE executor_node SET heartbeat_at = heartbeat_at - interval '1 hour' WHERE address = 'http://beta:1'`)
	require.NoError(t, err)
	_, err = conn.Exec(t.Context(), `UPDATE cluster SET outage_ended_at = outage_ended_at - interval '2 hours'`)
	require.NoError(t, err)
	ann := b.user("ann", mine.ID)
	at := func(e api.Executor) string { return e.Address }
	for query, wanted := range map[string][]string{
		"":                                   {"http://Alpha:1", "http://beta:1", "http://gamma:1"},
		"q=ALPHA":                            {"http://Alpha:1"},
		"q=heir":                             {"http://gamma:1"},
		"alive=true":                         {"http://Alpha:1", "http://gamma:1"},
		"alive=false":                        {"http://beta:1"},
		fmt.Sprint("group_id=", mine.ID):     {"http://Alpha:1", "http://beta:1"},
		"alive=true&limit=1&group_id=1&q=ph": {"http://Alpha:1"},
		"group_id=99":                        {},
	} {
		require.Equal(t, wanted, listed(b.admin, "/executors?"+query, at), query)
	}
	page := get[api.List[api.Executor]](b.admin, "/executors?alive=true&limit=1")
	require.Equal(t, 2, page.Total)
	require.Equal(t, []string{"http://gamma:1"}, listed(b.admin, "/executors?alive=true&cursor="+url.QueryEscape(page.NextCursor), at))
	require.Equal(t, []string{"http://Alpha:1", "http://beta:1"}, listed(ann, "/executors", at))
	require.Empty(t, listed(ann, fmt.Sprint("/executors?group_id=", theirs.ID), at))
	require.Empty(t, listed(ann, "/executors?q=gamma", at))
	b.admin.do("GET", "/executors?alive=maybe", "").refused(422, "query.alive")
}

func TestAudit_IsListedFromEitherEnd(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for i := range 3 {
		b.group(fmt.Sprint("group-", i))
	}
	walk := func(sort string) (ids []int64) {
		for cursor := ""; ; {
			path := "/audit?action=createGroup&limit=2&sort=" + sort
			if cursor != "" {
				path += "&cursor=" + cursor
			}
			page := get[api.List[api.AuditEntry]](b.admin, path)
			require.Equal(t, 3, page.Total)
			for _, e := range page.Items {
				ids = append(ids, e.ID)
			}
			if cursor = page.NextCursor; cursor == "" {
				return ids
			}
		}
	}
	oldest := walk("at")
	require.Len(t, oldest, 3)
	require.True(t, slices.IsSorted(oldest))
	require.Equal(t, reversed(oldest), walk("-at"))
	b.admin.do("GET", "/audit?sort=id", "").refused(422, "query.sort")
}

func TestExport_OfAnUnknownGroupIsRefused(t *testing.T) {
	t.Parallel()
	b := setup(t)
	mine, theirs := b.group("mine"), b.group("theirs")
	b.admin.do("GET", "/export?group_id=99", "").refused(422, "query.group_id")
	ann := b.user("ann", mine.ID)
	ann.do("GET", fmt.Sprint("/export?group_id=", theirs.ID), "").refused(422, "query.group_id")
	require.Equal(t, 200, ann.do("GET", fmt.Sprint("/export?group_id=", mine.ID), "").status)
}

// An explicit 0 is not a field that was left out.
func TestInputs_AnExplicitZeroIsNoDefault(t *testing.T) {
	t.Parallel()
	b := setup(t)
	g := b.group("billing")
	b.admin.postJSON("/jobs", fields(g.ID, anyMap{"catch_up_limit": 0})).refused(422, "body.catch_up_limit")
	j := b.job(g.ID)
	require.Equal(t, int32(100), j.CatchUpLimit)
	b.admin.putJSON(fmt.Sprint("/jobs/", j.ID), fields(g.ID, anyMap{"catch_up_limit": 0, "version": j.Version, "glue_type": nil})).refused(422, "body.catch_up_limit")
	path := fmt.Sprintf("/jobs/%d/test-run", j.ID)
	b.admin.do("POST", path, `{"glue_type":"GLUE_LUA","source":"print(1)","shard_total":0}`).refused(422, "body.shard_total")
	b.admin.do("POST", "/schedule/preview", `{"schedule_type":"FIX_RATE","schedule_conf":"5","n":0}`).refused(422, "body.n")
	b.admin.do("GET", "/jobs?limit=0", "").refused(422, "query.limit")
	b.executor("billing", "http://10.0.0.5:9999")
	post[api.Triggered](b.admin, path, `{"glue_type":"GLUE_LUA","source":"print(1)"}`)
}
