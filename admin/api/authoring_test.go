package api_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/admin/api"
	"github.com/gluewheel/gluewheel/admin/job"
	"github.com/gluewheel/gluewheel/executor/protocol"
)

// executor registers one for a group.
func (b *bench) executor(app, address string) {
	b.t.Helper()
	require.NoError(b.t, b.store.StoreBeats(b.t.Context(), []job.Beat{{AppName: app, Address: address, Dialect: job.DialectGluewheel}}))
}

func TestDrafts_AreTheUsersOwn(t *testing.T) {
	t.Parallel()
	b := setup(t)
	g := b.group("billing")
	j := b.job(g.ID)
	ann, bob := b.user("ann", g.ID), b.user("bob", g.ID)
	path := fmt.Sprintf("/jobs/%d/draft", j.ID)
	ann.do("GET", path, "").refused(404, "")
	saved := put[api.Draft](ann, path, `{"glue_type":"GLUE_LUA","source":"not done","base_version":0,"manifest":{"hosts":["a.example"]}}`)
	require.Equal(t, "not done", saved.Source)
	require.Equal(t, saved, get[api.Draft](ann, path))
	bob.do("GET", path, "").refused(404, "")
	put[api.Draft](bob, path, `{"glue_type":"GLUE_LUA","source":"","base_version":3}`)
	list := get[api.Drafts](ann, path+"s")
	require.Len(t, list.Items, 2)
	require.Equal(t, "bob", list.Items[0].Username)
	require.Equal(t, int32(3), list.Items[0].BaseVersion)
	require.Equal(t, 204, ann.do("DELETE", path, "").status)
	require.Equal(t, 204, ann.do("DELETE", path, "").status, "deleting nothing is fine")
	require.Len(t, get[api.Drafts](ann, path+"s").Items, 1)

	ann.do("PUT", path, `{"glue_type":"GLUE_JS","source":"x","base_version":0}`).refused(422, "body.glue_type")
	ann.do("PUT", path, `{"glue_type":"GLUE_LUA","artifact":"x","base_version":0}`).refused(422, "body.artifact")
	bean := b.job(g.ID, anyMap{"glue_type": "BEAN", "handler": "demo"})
	ann.do("PUT", fmt.Sprintf("/jobs/%d/draft", bean.ID), `{"glue_type":"BEAN","source":"x","base_version":0}`).refused(422, "body.source")
}

func TestCheck_TellsWhereTheMistakeIs(t *testing.T) {
	t.Parallel()
	b := setup(t)
	require.Empty(t, post[api.CodeProblems](b.admin, "/glue/check", `{"glue_type":"GLUE_LUA","source":"print(1)"}`).Problems)
	found := post[api.CodeProblems](b.admin, "/glue/check", `{"glue_type":"GLUE_LUA","source":"syntax error"}`)
	require.Equal(t, []api.CodeProblem{{Line: 3, Column: 7, Severity: "error", Message: "unexpected symbol"}}, found.Problems)
}

func TestTestRun_RunsTheBufferAndNothingElse(t *testing.T) {
	t.Parallel()
	b := setup(t)
	g := b.group("billing")
	j := b.job(g.ID, anyMap{"retry_count": 3})
	path := fmt.Sprintf("/jobs/%d/test-run", j.ID)
	b.admin.do("POST", path, `{"glue_type":"GLUE_LUA","source":"print(1)"}`).refused(422, "body.address")
	b.executor("billing", "http://10.0.0.1:9999/")
	b.executor("other", "http://10.0.0.2:9999")

	made := want[api.Triggered](b.admin.do("POST", path, `{"glue_type":"GLUE_LUA","source":"print(1)","param":"p","shard_index":2,"shard_total":5,"address":"http://10.0.0.1:9999"}`), 201)
	run := get[api.RunDetail](b.admin, fmt.Sprintf("/runs/%d", made.RunID))
	require.True(t, run.IsTest)
	require.Equal(t, []string{"http://10.0.0.1:9999/"}, run.Addresses)
	require.Equal(t, "p", *run.Param)
	require.Equal(t, [2]int32{2, 5}, [2]int32{run.Shard, run.ShardTotal})
	require.Zero(t, run.RetriesLeft)
	require.Equal(t, job.Fire{RunID: run.ID, JobID: j.ID, Shard: 2, FireAt: b.fired[0].FireAt, DueAt: b.fired[0].DueAt, Addressed: true}, b.fired[0])
	codes, err := b.store.TestCodes(t.Context(), []int64{run.ID})
	require.NoError(t, err)
	require.Equal(t, "print(1)", codes[0].Source)
	require.Equal(t, "admin", codes[0].Author)
	require.Zero(t, get[api.Job](b.admin, fmt.Sprintf("/jobs/%d", j.ID)).GlueVersion)
	b.admin.do("POST", fmt.Sprintf("/runs/%d/rerun", run.ID), "{}").refused(422, "body.version")
	require.Nil(t, get[api.Job](b.admin, fmt.Sprintf("/jobs/%d", j.ID)).LastRun, "a test-run is no run of the job's")

	for name, bad := range map[string]struct{ body, at string }{
		"another group's executor": {`{"glue_type":"GLUE_LUA","source":"x","address":"http://10.0.0.2:9999"}`, "body.address"},
		"no address":               {`{"glue_type":"GLUE_LUA","source":"x","address":"nonsense"}`, "body.address"},
		"a shard too many":         {`{"glue_type":"GLUE_LUA","source":"x","shard_index":1}`, "body.shard_index"},
		"no shards":                {`{"glue_type":"GLUE_LUA","source":"x","shard_total":-1}`, "body.shard_total"},
		"no source":                {`{"glue_type":"GLUE_LUA"}`, "body.source"},
		"a mistake":                {`{"glue_type":"GLUE_LUA","source":"syntax error"}`, "body.source"},
		"another type":             {`{"glue_type":"GLUE_JS","source":"x"}`, "body.glue_type"},
		"a module":                 {`{"glue_type":"GLUE_LUA","source":"x","artifact":"sha256:0"}`, "body.artifact"},
	} {
		t.Run(name, func(t *testing.T) { b.admin.do("POST", path, bad.body).refused(422, bad.at) })
	}
}

func TestTestRun_HasAtMostThePublishedGrants(t *testing.T) {
	t.Parallel()
	b := setup(t)
	g := b.group("billing")
	b.executor("billing", "http://10.0.0.1:9999")
	j := b.job(g.ID)
	editor := b.account(job.User{Username: "editor", Role: job.RoleUser, Grants: []job.Grant{{GroupID: g.ID, Role: job.GroupEditor}}})
	publisher := b.user("publisher", g.ID)
	path := fmt.Sprintf("/jobs/%d/test-run", j.ID)
	grants := `{"hosts":["a.example"],"secrets":["KEY"],"kv":true}`
	run := func(manifest string) string {
		return `{"glue_type":"GLUE_LUA","source":"x","manifest":` + manifest + `}`
	}

	p := editor.do("POST", path, run(grants)).refused(422, "body.manifest.hosts")
	require.Len(t, p.Errors, 3)
	require.Equal(t, 201, publisher.do("POST", path, run(grants)).status)
	post[api.VersionPublished](publisher, fmt.Sprintf("/jobs/%d/versions", j.ID), `{"source":"print(1)","remark":"first","base_version":0,"manifest":`+grants+`}`)
	require.Equal(t, 201, editor.do("POST", path, run(grants)).status)
	editor.do("POST", path, run(`{"secrets":["KEY","OTHER"]}`)).refused(422, "body.manifest.secrets")

	made := want[api.Triggered](editor.do("POST", path, `{"glue_type":"GLUE_LUA","source":"x"}`), 201)
	codes, err := b.store.TestCodes(t.Context(), []int64{made.RunID})
	require.NoError(t, err)
	require.Equal(t, []string{"KEY"}, codes[0].Manifest.Secrets, "the published version's, when nothing is asked for")
}

func TestRerun_SameOrNewestVersion(t *testing.T) {
	t.Parallel()
	b := setup(t)
	g := b.group("billing")
	j := b.job(g.ID, anyMap{"retry_count": 2})
	b.publish(j.ID, "print(1)", 0)
	old := post[api.Triggered](b.admin, fmt.Sprintf("/jobs/%d/trigger", j.ID), `{"param":"p","addresses":["http://10.0.0.1:9999"]}`).RunID
	b.claim(old)
	b.publish(j.ID, "print(2)", 1)

	again := func(version string) api.RunDetail {
		t.Helper()
		made := want[api.Triggered](b.admin.do("POST", fmt.Sprintf("/runs/%d/rerun", old), `{"version":"`+version+`"}`), 201)
		b.claim(made.RunID)
		return get[api.RunDetail](b.admin, fmt.Sprintf("/runs/%d", made.RunID))
	}
	same, newest := again("same"), again("newest")
	require.Equal(t, int32(1), same.GlueVersion)
	require.Zero(t, same.RetriesLeft)
	require.Equal(t, int32(2), newest.GlueVersion)
	require.Equal(t, int16(2), newest.RetriesLeft)
	for _, r := range []api.RunDetail{same, newest} {
		require.Equal(t, "p", *r.Param)
		require.Equal(t, []string{"http://10.0.0.1:9999"}, r.Addresses)
		require.Equal(t, old, *r.ParentID)
	}
	related := get[api.RelatedRuns](b.admin, fmt.Sprintf("/runs/%d/related", same.ID))
	require.Len(t, related.Items, 2)
	require.Equal(t, old, related.Items[0].ID)
	require.Equal(t, newest.ID, related.Items[1].ID)
}

// publish makes a version of a job live.
func (b *bench) publish(jobID int32, source string, base int) {
	b.t.Helper()
	post[api.VersionPublished](b.admin, fmt.Sprintf("/jobs/%d/versions", jobID),
		fmt.Sprintf(`{"source":%q,"remark":"a remark","base_version":%d}`, source, base))
}

// claim has an admin take a run for an executor, as dispatch does.
func (b *bench) claim(runID int64) {
	b.t.Helper()
	r, err := b.store.Run(b.t.Context(), runID)
	require.NoError(b.t, err)
	j, err := b.store.Job(b.t.Context(), r.JobID)
	require.NoError(b.t, err)
	won, err := b.store.Claim(b.t.Context(), 1, protocol.CallTimeout, []job.Claim{{
		RunID: runID, JobID: r.JobID, Epoch: r.Epoch, JobVersion: j.Version, Address: "http://10.0.0.1:9999", Own: true,
	}})
	require.NoError(b.t, err)
	require.Len(b.t, won, 1)
	require.True(b.t, won[0].Won())
}
