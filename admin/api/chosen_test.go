package api_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/admin/api"
	"github.com/gluewheel/gluewheel/admin/job"
	"github.com/gluewheel/gluewheel/executor/protocol"
)

// member makes an account with one role in one group.
func (b *bench) member(role job.GroupRole, group int32) *session {
	b.t.Helper()
	return b.account(job.User{Username: b.unique(string(role)), Role: job.RoleUser, Grants: []job.Grant{{GroupID: group, Role: role}}})
}

func TestTrigger_RunsAChosenVersion(t *testing.T) {
	t.Parallel()
	b := setup(t)
	g := b.group("billing")
	j := b.job(g.ID, anyMap{"retry_count": 2})
	b.publish(j.ID, "print(1)", 0)
	b.publish(j.ID, "print(2)", 1)
	publisher := b.member(job.GroupPublisher, g.ID)
	path := fmt.Sprintf("/jobs/%d/trigger", j.ID)
	run := func(body string) api.RunDetail {
		t.Helper()
		made := post[api.Triggered](publisher, path, body)
		b.publish(j.ID, fmt.Sprintf("print(%d)", made.RunID), int(get[api.Job](b.admin, fmt.Sprintf("/jobs/%d", j.ID)).GlueVersion))
		b.claim(made.RunID)
		return get[api.RunDetail](b.admin, fmt.Sprintf("/runs/%d", made.RunID))
	}
	old := run(`{"version":1,"param":"p"}`)
	require.Equal(t, int32(1), old.GlueVersion, "whatever is published before it is claimed")
	require.Equal(t, int32(1), *old.VersionPin)
	require.Equal(t, []any{"p", int16(2)}, []any{*old.Param, old.RetriesLeft})
	live := run(`{}`)
	require.Equal(t, int32(4), live.GlueVersion)
	require.Nil(t, live.VersionPin)

	entry := get[api.List[api.AuditEntry]](b.admin, "/audit?action=triggerJob").Items[1]
	require.Equal(t, 1.0, entry.After["version"], "the audit log tells which")
}

func TestTrigger_AVersionIsForPublishersAndWasLive(t *testing.T) {
	t.Parallel()
	b := setup(t)
	g, other := b.group("billing"), b.group("other")
	j := b.job(g.ID)
	b.publish(j.ID, "print(1)", 0)
	b.requireReview(g.ID, true)
	ann, bob := b.user("ann", g.ID, other.ID), b.member(job.GroupPublisher, g.ID)
	path := fmt.Sprintf("/jobs/%d", j.ID)
	pending := post[api.VersionPublished](ann, path+"/versions", `{"source":"print(2)","remark":"second","base_version":1}`)
	require.Equal(t, "pending", pending.Review)
	rejected := post[api.VersionPublished](ann, path+"/versions", `{"source":"print(3)","remark":"third","base_version":1}`)
	post[api.VersionPublished](bob, path+"/versions/3/reject", `{"note":"no"}`)
	before := get[api.List[api.Run]](b.admin, "/runs").Total

	for _, role := range []job.GroupRole{job.GroupOperator, job.GroupEditor} {
		who := b.member(role, g.ID)
		who.do("POST", path+"/trigger", `{"version":1}`).refused(403, "")
	}
	b.token("operator", g.ID).do("POST", path+"/trigger", `{"version":1}`).refused(403, "")
	for _, number := range []int32{pending.Number, rejected.Number, 9} {
		for _, who := range []*session{ann, b.admin} {
			who.do("POST", path+"/trigger", fmt.Sprintf(`{"version":%d}`, number)).refused(422, "body.version")
		}
	}
	ann.do("POST", path+"/trigger", `{"version":0}`).refused(422, "body.version")
	ann.do("POST", path+"/trigger", `{"version":-1}`).refused(422, "body.version")
	bean := b.job(g.ID, anyMap{"glue_type": "BEAN", "handler": "demo"})
	ann.do("POST", fmt.Sprintf("/jobs/%d/trigger", bean.ID), `{"version":1}`).refused(422, "body.version")
	elsewhere := b.job(other.ID)
	ann.do("POST", fmt.Sprintf("/jobs/%d/trigger", elsewhere.ID), `{"version":1}`).refused(422, "body.version")
	require.Equal(t, before, get[api.List[api.Run]](b.admin, "/runs").Total, "what is refused starts nothing")

	post[api.Triggered](bob, path+"/trigger", `{"version":1}`)
	post[api.VersionPublished](bob, path+"/versions/2/approve", `{}`)
	post[api.Triggered](ann, path+"/trigger", `{"version":2}`)
	post[api.Triggered](ann, path+"/trigger", `{"version":1}`)
}

func TestRun_TellsWhyItWentWhereItWent(t *testing.T) {
	t.Parallel()
	b := setup(t)
	j := b.job(b.group("billing").ID)
	path := func(run int64) string { return fmt.Sprintf("/runs/%d", run) }
	group, given := b.run(j.ID).RunID, post[api.Triggered](b.admin, fmt.Sprintf("/jobs/%d/trigger", j.ID), `{"addresses":["http://10.0.0.5:9999"]}`).RunID
	require.Nil(t, get[api.RunDetail](b.admin, path(group)).Route, "nothing is chosen yet")
	stored, err := b.store.Job(t.Context(), j.ID)
	require.NoError(t, err)
	claim := func(run int64, own bool, why job.Route) {
		t.Helper()
		won, err := b.store.Claim(t.Context(), 1, protocol.CallTimeout, []job.Claim{{
			RunID: run, JobID: j.ID, JobVersion: stored.Version, Address: "http://10.0.0.5:9999", Own: own, Route: &why,
		}})
		require.NoError(t, err)
		require.True(t, won[0].Won())
	}
	failover := job.Route{Strategy: job.RouteFailover, Candidates: 3, Place: 2, PassedTotal: 1, Passed: []job.Passed{{Address: "http://10.0.0.4:9999", Answer: "connection refused"}}}
	claim(group, false, failover)
	claim(given, true, job.Route{Strategy: job.RouteRound, Candidates: 1, Place: 1})

	require.Equal(t, &api.RunRoute{
		Code: "failover", Strategy: "FAILOVER", Candidates: 3, Place: 2, PassedOverTotal: 1,
		PassedOver: []api.PassedOver{{Address: "http://10.0.0.4:9999", Answer: "connection refused"}},
	}, get[api.RunDetail](b.admin, path(group)).Route)
	list := get[api.List[api.Run]](b.admin, "/runs").Items
	require.Equal(t, &api.RunRoute{Code: "only", Strategy: "ROUND", Candidates: 1, Place: 1, Given: true, PassedOver: []api.PassedOver{}}, list[0].Route)
}

func TestJob_LimitOfConcurrentRuns(t *testing.T) {
	t.Parallel()
	b := setup(t)
	g := b.group("billing")
	j := b.job(g.ID, anyMap{"max_concurrent": 2})
	path := fmt.Sprintf("/jobs/%d", j.ID)
	require.Equal(t, int32(2), get[api.Job](b.admin, path).MaxConcurrent)
	for value, why := range map[any]string{-1: "out of range", 10001: "out of range"} {
		p := b.admin.postJSON("/jobs", fields(g.ID, anyMap{"max_concurrent": value})).refused(422, "body.max_concurrent")
		require.Contains(t, p.Errors[0].Message, why)
	}
	b.admin.postJSON("/jobs", fields(g.ID, anyMap{"max_concurrent": 1, "route_strategy": "SHARDING_BROADCAST"})).refused(422, "body.max_concurrent")

	claim := func(runs ...int64) (won, full []int64) {
		t.Helper()
		stored, err := b.store.Job(t.Context(), j.ID)
		require.NoError(t, err)
		var asked []job.Claim
		for _, id := range runs {
			asked = append(asked, job.Claim{RunID: id, JobID: j.ID, JobVersion: stored.Version, Address: "http://10.0.0.5:9999"})
		}
		answers, full, err := b.store.ClaimLimited(t.Context(), 1, 5*time.Second, asked)
		require.NoError(t, err)
		for _, a := range answers {
			if a.Won() {
				won = append(won, a.RunID)
			}
		}
		return won, full
	}
	runs := []int64{b.run(j.ID).RunID, b.run(j.ID).RunID, b.run(j.ID).RunID}
	won, full := claim(runs...)
	require.Equal(t, [][]int64{runs[:2], runs[2:]}, [][]int64{won, full})
	require.Equal(t, api.RunState("planned"), get[api.RunDetail](b.admin, fmt.Sprintf("/runs/%d", runs[2])).State, "it waits")

	edit := fields(g.ID, anyMap{"max_concurrent": 0, "version": j.Version})
	delete(edit, "glue_type")
	want[api.JobWritten](b.admin.putJSON(path, edit), 200)
	require.Zero(t, get[api.Job](b.admin, path).MaxConcurrent)
	won, full = claim(runs[2])
	require.Equal(t, runs[2:], won)
	require.Empty(t, full)
	changed := get[api.List[api.AuditEntry]](b.admin, "/audit?action=updateJob").Items[0]
	require.Equal(t, []any{2.0, 0.0}, []any{changed.Before["max_concurrent"], changed.After["max_concurrent"]})
}
