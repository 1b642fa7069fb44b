package api_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/admin/api"
)

func (s *session) yaml(path, text string) reply {
	s.b.t.Helper()
	return s.send("POST", path, "application/yaml", strings.NewReader(text))
}

// export wants a bundle of all groups.
func (s *session) export() string {
	s.b.t.Helper()
	r := s.do("GET", "/export", "")
	require.Equal(s.b.t, 200, r.status, r.text)
	require.Equal(s.b.t, "application/yaml", r.header.Get("Content-Type"))
	return r.text
}

// stocked has groups, jobs with children across groups, code of all kinds.
func stocked(t *testing.T) *bench {
	t.Helper()
	b := setup(t)
	billing, sync := b.group("billing"), b.group("sync")
	child := b.job(sync.ID, anyMap{"name": "after: all", "glue_type": "BEAN", "handler": "pay", "tags": []string{"b", "a"}})
	parent := b.job(billing.ID, anyMap{
		"name": "nightly", "child_job_ids": []int32{child.ID}, "param": "line 1\nline 2 # no comment",
		"schedule_type": "CRON", "schedule_conf": "0 0 3 * * ?", "time_zone": "Asia/Shanghai", "valid_from": "2026-01-02T03:04:05Z", "retry_count": 2,
	})
	b.publish(parent.ID, "-- old", 0)
	post[api.VersionPublished](b.admin, fmt.Sprintf("/jobs/%d/versions", parent.ID),
		`{"source":"print('live')\n\tprint(2)\n","remark":"second","base_version":1,"manifest":{"hosts":["a.example"],"memory_bytes":67108864,"kv":true}}`)
	want[api.JobWritten](b.admin.do("POST", fmt.Sprintf("/jobs/%d/start", parent.ID), ""), 200)
	module := want[api.Artifact](b.admin.upload(wasmModule("exported")), 201)
	wasm := b.job(billing.ID, anyMap{"name": "module", "glue_type": "GLUE_WASM"})
	post[api.VersionPublished](b.admin, fmt.Sprintf("/jobs/%d/versions", wasm.ID), fmt.Sprintf(`{"artifact":%q,"source":"(module)","remark":"a module","base_version":0}`, module.Digest))
	return b
}

func TestBundle_ComesBackTheSameFromAnotherInstallation(t *testing.T) {
	t.Parallel()
	text := stocked(t).admin.export()
	fresh := setup(t)
	empty := fresh.admin.export()

	plan := want[api.Imported](fresh.admin.yaml("/import/plan", text), 200)
	actions := map[string]string{}
	for _, c := range plan.Changes {
		actions[c.Kind+" "+c.Key] = c.Action
	}
	require.Equal(t, map[string]string{
		"group billing": "create", "group sync": "create", "job billing/nightly": "create", "glue billing/nightly": "create",
		"job billing/module": "create", "glue billing/module": "create", "job sync/after: all": "create",
	}, actions)
	require.Equal(t, empty, fresh.admin.export(), "a plan stores nothing")

	require.Equal(t, plan, want[api.Imported](fresh.admin.yaml("/import/apply", text), 200), "what was planned is what was done")
	require.Equal(t, text, fresh.admin.export())
	for _, c := range want[api.Imported](fresh.admin.yaml("/import/apply", text), 200).Changes {
		require.Equal(t, "none", c.Action, c)
		require.Empty(t, c.Diff)
	}
}

func TestBundle_ChangesWhatDiffersAndNothingElse(t *testing.T) {
	t.Parallel()
	b := stocked(t)
	text := b.admin.export()
	changed := strings.NewReplacer("retry_count: 2", "retry_count: 5", "print(2)", "print(3)", "enabled: true", "enabled: false").Replace(text)
	done := want[api.Imported](b.admin.yaml("/import/apply", changed), 200)
	var got []string
	for _, c := range done.Changes {
		for _, d := range c.Diff {
			got = append(got, fmt.Sprintf("%s %s %s.%s", c.Action, c.Kind, c.Key, d.Field))
		}
	}
	require.Equal(t, []string{
		"update job billing/nightly.enabled", "update job billing/nightly.retry_count", "update glue billing/nightly.source",
	}, got)
	require.Equal(t, changed, b.admin.export())
}

func TestBundle_RefusesWithTheLineAndAsAWhole(t *testing.T) {
	t.Parallel()
	b := stocked(t)
	text := b.admin.export()
	for name, bad := range map[string]struct{ old, new, at, says string }{
		"no YAML":              {text, "groups: [", "body.bundle", "line"},
		"an unknown field":     {"retry_count: 2", "retries: 2", "body.bundle", "retries"},
		"a word for a number":  {"retry_count: 2", "retry_count: two", "body.bundle", "line"},
		"a bad schedule":       {"0 0 3 * * ?", "every night", "body.groups[0].jobs[1].schedule_conf", "Line "},
		"an unknown child":     {"sync/after: all", "sync/before", "body.groups[0].jobs[1].children[0]", "Line "},
		"code with a mistake":  {"print(2)", "syntax error", "body.groups[0].jobs[1].code.source", "Line 3 of the code"},
		"another type":         {"glue_type: BEAN", "glue_type: GLUE_LUA", "body.groups[1].jobs[0].glue_type", "BEAN"},
		"a job twice":          {"name: nightly", "name: module", "body.groups[0].jobs[1].name", "twice"},
		"no fires to make up":  {"catch_up_limit: 100", "catch_up_limit: 0", "body.groups[0].jobs[0].catch_up_limit", "Line "},
		"a wrong module":       {"artifact: sha256:", "artifact: sha256:00", "body.groups[0].jobs[0].code.artifact", "digest"},
		"a grant of no kind":   {"kv: true", "root: true", "body.groups[0].jobs[1].code.manifest", "root"},
		"another format":       {"gluewheel: 1", "gluewheel: 2", "body.gluewheel", "Line 1"},
		"a group without name": {"app_name: sync", "app_name: \"\"", "body.groups[1].app_name", "Line "},
	} {
		t.Run(name, func(t *testing.T) {
			require.Contains(t, text, bad.old)
			spoiled := strings.ReplaceAll(strings.Replace(text, bad.old, bad.new, 1), "title: A group", "title: Another title")
			for _, path := range []string{"/import/plan", "/import/apply"} {
				p := b.admin.yaml(path, spoiled).refused(422, bad.at)
				require.Contains(t, p.Detail, bad.says)
			}
			require.Equal(t, text, b.admin.export(), "nothing of it was kept")
		})
	}
}

func TestBundle_NeedsTheRightsOfItsChanges(t *testing.T) {
	t.Parallel()
	b := stocked(t)
	text := b.admin.export()
	groups := get[api.List[api.Group]](b.admin, "/groups").Items
	member := b.user("member", groups[0].ID)
	own := member.export()
	require.NotContains(t, own, "app_name: sync")
	require.Equal(t, 200, member.yaml("/import/apply", strings.Replace(own, "retry_count: 2", "retry_count: 7", 1)).status)
	member.yaml("/import/apply", strings.Replace(own, "app_name: billing", "app_name: billing-two", 1)).refused(403, "")
	member.yaml("/import/plan", strings.Replace(text, "handler: pay", "handler: steal", 1)).refused(403, "")
	require.Equal(t, 415, member.do("POST", "/import/plan", "{}").status)
}

func TestWrites_CanBeTried(t *testing.T) {
	t.Parallel()
	b := setup(t)
	g := b.group("billing")
	j := b.job(g.ID)
	path := fmt.Sprintf("/jobs/%d", j.ID)
	made := post[api.Job](b.admin, "/jobs?dry_run=true", jsonOf(t, fields(g.ID, anyMap{"name": "tried"})))
	require.Equal(t, "tried", made.Name)
	require.NotZero(t, made.ID)
	edited := want[api.JobWritten](b.admin.putJSON(path+"?dry_run=true", fields(g.ID, anyMap{"name": "edited", "version": j.Version})), 200)
	require.Equal(t, "edited", edited.Name)
	require.True(t, want[api.JobWritten](b.admin.do("POST", path+"/start?dry_run=true", ""), 200).Enabled)
	require.Equal(t, 200, b.admin.do("DELETE", path+"?dry_run=true", "").status)
	require.NotZero(t, post[api.Triggered](b.admin, path+"/trigger?dry_run=true", "{}").RunID)
	v := post[api.VersionPublished](b.admin, path+"/versions?dry_run=true", `{"source":"print(1)","remark":"tried","base_version":0}`)
	require.Equal(t, int32(1), v.Number)
	b.admin.do("POST", "/groups?dry_run=true", `{"app_name":"billing","title":"taken"}`).refused(409, "body.app_name")
	require.Equal(t, j, get[api.Job](b.admin, path))
	require.Equal(t, 1, get[api.List[api.Job]](b.admin, "/jobs").Total)
	require.Zero(t, get[api.List[api.Run]](b.admin, "/runs").Total)
	require.Empty(t, b.fired)
}

func TestWrites_HappenOnlyToTheVersionThatWasSeen(t *testing.T) {
	t.Parallel()
	b := setup(t)
	g := b.group("billing")
	j := b.job(g.ID)
	path := fmt.Sprintf("/jobs/%d", j.ID)
	read := b.admin.do("GET", path, "")
	require.Equal(t, `"1"`, read.header.Get("ETag"))
	stale := &session{b: b, cookie: b.admin.cookie, header: map[string][]string{"If-Match": {`"1"`}}}
	written := stale.putJSON(path, fields(g.ID, anyMap{"name": "edited", "version": j.Version}))
	require.Equal(t, 200, written.status, written.text)
	require.Equal(t, `"2"`, written.header.Get("ETag"))
	stale.putJSON(path, fields(g.ID, anyMap{"name": "again", "version": 2})).refused(412, "header.If-Match")
	stale.do("DELETE", path, "").refused(412, "header.If-Match")
	stale.do("DELETE", fmt.Sprintf("/groups/%d", g.ID), "").refused(409, "")
	fresh := &session{b: b, cookie: b.admin.cookie, header: map[string][]string{"If-Match": {`"7", "2"`}}}
	require.Equal(t, 200, fresh.do("DELETE", path, "").status)
}

func TestBulk_DoesWhatItCan(t *testing.T) {
	t.Parallel()
	b := setup(t)
	g, other := b.group("billing"), b.group("other")
	one, two, far := b.job(g.ID), b.job(g.ID, anyMap{"name": "two", "schedule_type": "NONE", "schedule_conf": ""}), b.job(other.ID)
	member := b.user("member", g.ID)
	bulk := func(action, more string) []api.BulkResult {
		t.Helper()
		return post[api.BulkResults](member, "/jobs/bulk", fmt.Sprintf(`{"action":%q,"ids":[%d,%d,%d,4711]%s}`, action, one.ID, two.ID, far.ID, more)).Items
	}
	ok := func(items []api.BulkResult) (out []bool) {
		for i, r := range items {
			require.Equal(t, []int32{one.ID, two.ID, far.ID, 4711}[i], r.ID)
			require.Equal(t, r.OK, r.Error == "")
			out = append(out, r.OK)
		}
		return out
	}
	require.Equal(t, []bool{true, true, false, false}, ok(bulk("tag", `,"add_tags":["x"," y "]`)))
	require.Equal(t, []string{"x", "y"}, get[api.Job](b.admin, fmt.Sprintf("/jobs/%d", two.ID)).Tags)
	require.Equal(t, []bool{true, true, false, false}, ok(bulk("tag", `,"remove_tags":["x"]`)))
	require.Len(t, get[api.List[api.Job]](b.admin, "/jobs?tag=y&sort=name").Items, 2)
	require.Empty(t, get[api.List[api.Job]](b.admin, "/jobs?tag=x").Items)
	require.Equal(t, []bool{true, false, false, false}, ok(bulk("start", "")), "a job without a schedule cannot be started")
	require.Equal(t, []bool{true, true, false, false}, ok(bulk("stop", "")))
	runs := bulk("run", `,"param":"p"`)
	require.Equal(t, []bool{true, true, false, false}, ok(runs))
	require.NotZero(t, runs[0].RunID)
	require.Equal(t, []bool{true, true, false, false}, ok(bulk("delete", `,"dry_run":true`)))
	require.Equal(t, 3, get[api.List[api.Job]](b.admin, "/jobs").Total)
	require.Equal(t, []bool{true, true, false, false}, ok(bulk("delete", "")))
	require.Equal(t, 1, get[api.List[api.Job]](b.admin, "/jobs").Total)
	member.do("POST", "/jobs/bulk", `{"action":"tag","ids":[1]}`).refused(422, "body.add_tags")
	member.do("POST", "/jobs/bulk", `{"action":"tag","ids":[]}`).refused(422, "body.ids")
}

func TestJobs_PageInEveryOrder(t *testing.T) {
	t.Parallel()
	b := setup(t)
	g := b.group("billing")
	for _, name := range []string{"b", "A", "c", "a", "B"} {
		j := b.job(g.ID, anyMap{"name": name})
		if name == "c" {
			want[api.JobWritten](b.admin.do("POST", fmt.Sprintf("/jobs/%d/start", j.ID), ""), 200)
		}
	}
	for sort, names := range map[string]string{
		"id": "bAcaB", "-id": "BacAb", "name": "AabBc", "-name": "cBbaA", "next_fire": "cbAaB", "-next_fire": "BaAbc",
	} {
		got, cursor := "", ""
		for {
			page := get[api.List[api.Job]](b.admin, "/jobs?limit=2&with=history&sort="+sort+"&cursor="+cursor)
			for _, j := range page.Items {
				got += j.Name
			}
			if cursor = page.NextCursor; cursor == "" {
				break
			}
		}
		require.Equal(t, names, got, sort)
	}
	for _, cursor := range []string{"x", "MSB4", "LTEg", "AAAA"} {
		for _, sort := range []string{"name", "next_fire", "-id"} {
			require.Less(t, b.admin.do("GET", "/jobs?sort="+sort+"&cursor="+cursor, "").status, 500)
		}
	}
}
