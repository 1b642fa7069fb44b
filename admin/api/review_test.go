package api_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/admin/api"
	"github.com/gluewheel/gluewheel/admin/job"
)

// requireReview sets the four-eyes rule of a group.
func (b *bench) requireReview(groupID int32, required bool) {
	b.t.Helper()
	g, err := b.store.Group(b.t.Context(), groupID)
	require.NoError(b.t, err)
	g.RequireReview = required
	_, err = b.store.UpdateGroup(b.t.Context(), g)
	require.NoError(b.t, err)
}

// ownToken makes an API token of a session's own user.
func (s *session) ownToken() *session {
	s.b.t.Helper()
	id, err := s.b.auth.Authenticate(s.b.t.Context(), strings.TrimPrefix(s.cookie, "gw_session="))
	require.NoError(s.b.t, err)
	_, secret, err := s.b.auth.CreateToken(s.b.t.Context(), id, job.APIToken{Name: "own", Role: job.TokenRole(job.GroupPublisher)})
	require.NoError(s.b.t, err)
	return &session{b: s.b, header: map[string][]string{"Authorization": {"Bearer " + secret}}}
}

func TestReviews_NeedAnotherPublisher(t *testing.T) {
	t.Parallel()
	b := setup(t)
	g := b.group("billing")
	j := b.job(g.ID)
	ann, bob := b.user("ann", g.ID), b.user("bob", g.ID)
	operator := b.account(job.User{Username: "olga", Role: job.RoleUser, Grants: []job.Grant{{GroupID: g.ID, Role: job.GroupOperator}}})
	path := fmt.Sprintf("/jobs/%d", j.ID)
	live := post[api.VersionPublished](ann, path+"/versions", `{"source":"print(1)","remark":"first","base_version":0}`)
	require.Equal(t, "none", live.Review)
	b.requireReview(g.ID, true)

	p := post[api.VersionPublished](ann, path+"/versions", `{"source":"print(2)","remark":"second","base_version":1}`)
	require.Equal(t, []any{"pending", int32(1), live.JobVersion, int32(1)}, []any{p.Review, p.BaseVersion, p.JobVersion, get[api.Job](b.admin, path).GlueVersion})
	ann.do("POST", path+"/versions", `{"source":"print(2)","remark":"second","base_version":1}`).refused(409, "body.source")
	list := get[api.List[api.PendingReview]](operator, "/reviews")
	require.Len(t, list.Items, 1)
	require.Equal(t, []any{j.ID, int32(2), "ann", "second"}, []any{list.Items[0].JobID, list.Items[0].Number, list.Items[0].Author, list.Items[0].Remark})
	require.Empty(t, get[api.List[api.PendingReview]](b.user("stranger"), "/reviews").Items)

	for _, own := range []*session{ann, ann.ownToken()} {
		for _, verb := range []string{"approve", "reject"} {
			r := own.do("POST", path+"/versions/2/"+verb, `{"note":"fine"}`).refused(403, "")
			require.Contains(t, r.Detail, "Another publisher")
		}
	}
	operator.do("POST", path+"/versions/2/approve", `{}`).refused(403, "")
	bob.do("POST", path+"/versions/2/reject", `{"note":""}`).refused(422, "body.note")
	bob.do("POST", path+"/versions/1/approve", `{}`).refused(409, "")
	require.Equal(t, int32(1), get[api.Job](b.admin, path).GlueVersion)

	want[api.VersionPublished](bob.do("POST", path+"/versions/2/approve?dry_run=true", `{}`), 200)
	require.Equal(t, int32(1), get[api.Job](b.admin, path).GlueVersion)
	done := post[api.VersionPublished](bob.ownToken(), path+"/versions/2/approve", `{"note":"fine"}`)
	require.Equal(t, []any{"approved", "bob", "fine"}, []any{done.Review, done.ReviewedBy, done.ReviewNote})
	require.Greater(t, done.JobVersion, live.JobVersion)
	require.Equal(t, int32(2), get[api.Job](b.admin, path).GlueVersion)
	require.Empty(t, get[api.List[api.PendingReview]](operator, "/reviews").Items)
	bob.do("POST", path+"/versions/2/reject", `{"note":"too late"}`).refused(409, "")

	entries := get[api.List[api.AuditEntry]](b.admin, "/audit?action=approveVersion").Items
	require.Len(t, entries, 1)
	require.Equal(t, anyMap{"glue_version": 1.0}, entries[0].Before)
	require.Equal(t, "approved", entries[0].After["review"])
	require.Equal(t, "pending", get[api.List[api.AuditEntry]](b.admin, "/audit?action=publishVersion").Items[0].After["review"])
}

func TestReviews_BindAdminsAndRollbacksToo(t *testing.T) {
	t.Parallel()
	b := setup(t)
	g := b.group("billing")
	j := b.job(g.ID)
	path := fmt.Sprintf("/jobs/%d", j.ID)
	for i := range 2 {
		post[api.VersionPublished](b.admin, path+"/versions", fmt.Sprintf(`{"source":"print(%d)","remark":"first","base_version":%d}`, i, i))
	}
	b.requireReview(g.ID, true)
	back := post[api.VersionPublished](b.admin, path+"/rollback", `{"number":1,"remark":"it was better","base_version":2}`)
	require.Equal(t, "pending", back.Review)
	b.admin.do("POST", path+"/versions/3/approve", `{}`).refused(403, "")
	b.admin.do("POST", path+"/versions", `{"source":"print(9)","remark":"an old base","base_version":3}`).refused(409, "body.base_version")
	ann := b.user("ann", g.ID)
	other := post[api.VersionPublished](ann, path+"/versions", `{"source":"print(7)","remark":"meanwhile","base_version":2}`)
	post[api.VersionPublished](b.admin, fmt.Sprintf("%s/versions/%d/approve", path, other.Number), `{}`)
	p := ann.do("POST", path+"/versions/3/approve", `{}`).refused(409, "")
	require.Contains(t, p.Detail, "Another version has become live")
	ann.do("POST", path+"/rollback", `{"number":3,"remark":"never live","base_version":4}`).refused(422, "body.number")
}

func TestReviews_ALonePublisherGetsNoNewGrants(t *testing.T) {
	t.Parallel()
	b := setup(t)
	g := b.group("billing")
	b.register(g.AppName)
	j := b.job(g.ID)
	ann := b.user("ann", g.ID)
	path := fmt.Sprintf("/jobs/%d", j.ID)
	post[api.VersionPublished](ann, path+"/versions", `{"source":"print(1)","remark":"first","base_version":0,"manifest":{"secrets":["OLD"]}}`)
	run := func(secret string) reply {
		return ann.do("POST", path+"/test-run", fmt.Sprintf(`{"glue_type":"GLUE_LUA","source":"print(2)","manifest":{"secrets":[%q]}}`, secret))
	}
	want[api.Triggered](run("NEW"), 201)
	b.requireReview(g.ID, true)
	run("NEW").refused(422, "body.manifest.secrets")
	want[api.Triggered](run("OLD"), 201)
}

func TestReviews_OnlyAnAdminTurnsThemOff(t *testing.T) {
	t.Parallel()
	b := setup(t)
	g := b.group("billing")
	leader := b.account(job.User{Username: "lea", Role: job.RoleUser, Grants: []job.Grant{{GroupID: g.ID, Role: job.GroupAdmin}}})
	path := fmt.Sprintf("/groups/%d", g.ID)
	edit := func(s *session, version int64, rule string) reply {
		return s.do("PUT", path, fmt.Sprintf(`{"app_name":"billing","title":"t","version":%d%s}`, version, rule))
	}
	on := want[api.Group](edit(leader, g.Version, `,"require_review":true`), 200)
	require.True(t, on.RequireReview)
	edit(leader, on.Version, `,"require_review":false`).refused(422, "body.require_review")
	kept := want[api.Group](edit(leader, on.Version, ""), 200)
	require.True(t, kept.RequireReview, "who does not know of it leaves it on")
	off := want[api.Group](edit(b.admin, kept.Version, `,"require_review":false`), 200)
	require.False(t, off.RequireReview)
}

func TestReviews_OfAnImport(t *testing.T) {
	t.Parallel()
	b := setup(t)
	g := b.group("billing")
	b.requireReview(g.ID, true)
	text := `
gluewheel: 1
groups:
  - app_name: billing
    title: A group
    address_type: 0
    require_review: true
    jobs:
      - {name: nightly, author: a, glue_type: GLUE_LUA, code: {source: print(1)}}
`
	for _, verb := range []string{"plan", "apply", "apply"} {
		in := want[api.Imported](b.admin.send("POST", "/import/"+verb, "application/yaml", strings.NewReader(text)), 200)
		last := in.Changes[len(in.Changes)-1]
		require.Equal(t, []string{"glue", "pending"}, []string{last.Kind, last.Review})
	}
	list := get[api.List[api.PendingReview]](b.admin, "/reviews").Items
	require.Len(t, list, 1, "the second import made no copy")
	path := fmt.Sprintf("/jobs/%d", list[0].JobID)
	require.Zero(t, get[api.Job](b.admin, path).GlueVersion)
	b.admin.do("POST", path+"/versions/1/approve", `{}`).refused(403, "")
	post[api.VersionPublished](b.user("ann", g.ID), path+"/versions/1/approve", `{}`)
	exported := b.admin.do("GET", "/export", "")
	require.Contains(t, exported.text, "require_review: true")
	require.Contains(t, exported.text, "print(1)")
}
