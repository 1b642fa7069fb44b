package api_test

import (
	"encoding/csv"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/admin/api"
	"github.com/gluewheel/gluewheel/admin/job"
)

func itoa[T int32 | int64](n T) string { return strconv.FormatInt(int64(n), 10) }

func TestAnonymous_ReachesNothingButLoginAndHealth(t *testing.T) {
	t.Parallel()
	b := setup(t)
	a := b.anonymous()
	require.Equal(t, 200, a.do("GET", "/healthz", "").status)
	require.Equal(t, 200, a.do("GET", "/readyz", "").status)
	require.Equal(t, 200, a.do("GET", "/login/options", "").status)
	for _, path := range []string{"/openapi.json", "/me", "/jobs", "/jobs/1", "/audit", "/audit/export", "/artifacts", "/executors", "/system"} {
		a.do("GET", path, "").refused(401, "")
	}
	require.Equal(t, 200, b.admin.do("GET", "/openapi.json", "").status)
	require.Equal(t, 200, b.token("viewer").do("GET", "/openapi.json", "").status)
	for _, header := range []string{"Bearer gw_wrong", "Bearer ", "Basic YWRtaW46YWRtaW4=", "gw_wrong", "Bearer " + strings.TrimPrefix(b.admin.cookie, "gw_session=")} {
		s := &session{b: b, cookie: b.admin.cookie, header: http.Header{"Authorization": {header}}}
		s.do("GET", "/me", "").refused(401, "")
	}
}

func TestUsers_AreKeptByAnAdmin(t *testing.T) {
	t.Parallel()
	b := setup(t)
	g := b.group("sync")
	u := post[api.User](b.admin, "/users", fmt.Sprintf(`{"username":"ann","password":"ann password","role":"user","grants":[{"group_id":%d,"role":"operator"}]}`, g.ID))
	require.Equal(t, []api.Grant{{GroupID: g.ID, Role: "operator"}}, u.Grants)
	require.Nil(t, u.LastLoginAt)
	ann := b.login("ann", "ann password")
	require.NotNil(t, get[api.User](b.admin, "/users/"+itoa(u.ID)).LastLoginAt)
	me := get[api.Me](ann, "/me")
	require.Equal(t, u.Grants, me.Grants)
	require.Equal(t, []int32{g.ID}, me.User.GroupIDs)
	require.Contains(t, fmt.Sprint(me.Rights), "job.operate")
	require.NotContains(t, fmt.Sprint(me.Rights), "job.edit")

	for _, c := range []struct{ body, at string }{
		{`{"username":"","password":"12345678","role":"user"}`, "body.username"},
		{`{"username":" x","password":"12345678","role":"user"}`, "body.username"},
		{`{"username":"x","password":"1234567","role":"user"}`, "body.password"},
		{`{"username":"x","password":"12345678","role":"boss"}`, "body.role"},
		{`{"username":"x","password":"12345678","role":"user","grants":[{"group_id":1,"role":"boss"}]}`, "body.grants[0].role"},
		{`{"username":"x","password":"12345678","role":"user","grants":[{"group_id":4711,"role":"viewer"}]}`, "body.grants"},
		{`{"username":"x","password":"12345678","role":"user","grants":[{"group_id":1,"role":"viewer"},{"group_id":1,"role":"editor"}]}`, "body.grants[1].group_id"},
	} {
		b.admin.do("POST", "/users", c.body).refused(422, c.at)
	}
	b.admin.do("POST", "/users", `{"username":"ann","password":"12345678","role":"user"}`).refused(409, "body.username")
	b.admin.do("PUT", "/users/"+itoa(u.ID), `{"role":"user","version":4711}`).refused(409, "body.version")
	root := get[api.Me](b.admin, "/me").User.ID
	b.admin.do("DELETE", "/users/"+itoa(root), "").refused(409, "")
	b.admin.do("PUT", "/users/"+itoa(root), `{"role":"user","version":1}`).refused(409, "")

	u = put[api.User](b.admin, "/users/"+itoa(u.ID), fmt.Sprintf(`{"role":"user","password":"new password","version":%d}`, u.Version))
	require.Empty(t, u.Grants)
	ann.do("GET", "/me", "").refused(401, "")
	ann = b.login("ann", "new password")
	require.Equal(t, 204, b.admin.do("DELETE", "/users/"+itoa(u.ID)+"/sessions", "").status)
	ann.do("GET", "/me", "").refused(401, "")
	require.Equal(t, 204, b.admin.do("DELETE", "/users/"+itoa(u.ID), "").status)
	b.admin.do("GET", "/users/"+itoa(u.ID), "").refused(404, "")
}

func TestPassword_ChangeEndsTheOtherSessions(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ann := b.user("ann")
	other := b.login("ann", "ann password")
	ann.do("POST", "/me/password", `{"old_password":"wrong password","new_password":"new password"}`).refused(422, "body.old_password")
	ann.do("POST", "/me/password", `{"old_password":"ann password","new_password":"short"}`).refused(422, "body.new_password")
	before := *ann
	changed := ann.do("POST", "/me/password", `{"old_password":"ann password","new_password":"new password"}`)
	require.Equal(t, 204, changed.status)
	for _, part := range []string{"gw_session=", "HttpOnly", "SameSite=Strict", "Path=/", "Max-Age=604800"} {
		require.Contains(t, changed.header.Get("Set-Cookie"), part)
	}
	before.do("GET", "/me", "").refused(401, "")
	ann.cookie = strings.Split(changed.header.Get("Set-Cookie"), ";")[0]
	require.Equal(t, 200, ann.do("GET", "/me", "").status)
	other.do("GET", "/me", "").refused(401, "")
	b.login("ann", "new password")

	sessions := get[api.Sessions](ann, "/me/sessions").Items
	require.Len(t, sessions, 2)
	for _, s := range sessions {
		require.Equal(t, "127.0.0.1", s.Address)
		require.Contains(t, s.UserAgent, "Go-http-client")
		if s.Current {
			b.admin.do("DELETE", "/me/sessions/"+itoa(s.ID), "").refused(404, "")
			require.Equal(t, 204, ann.do("DELETE", "/me/sessions/"+itoa(s.ID), "").status)
		}
	}
	ann.do("GET", "/me", "").refused(401, "")
	for range 4 {
		b.login("ann", "new password").do("POST", "/me/password", `{"old_password":"wrong","new_password":"12345678"}`).refused(422, "")
	}
	b.anonymous().do("POST", "/login", `{"username":"ann","password":"new password"}`).refused(429, "")
}

func TestTokens_AreToldOnceAndEnd(t *testing.T) {
	t.Parallel()
	b := setup(t)
	mine, theirs := b.group("mine"), b.group("theirs")
	j := b.job(mine.ID)
	ann := b.user("ann", mine.ID)
	made := post[api.TokenCreated](ann, "/tokens", fmt.Sprintf(`{"name":"ci","role":"operator","group_ids":[%d]}`, mine.ID))
	require.GreaterOrEqual(t, len(made.Secret), len("gw_")+27, "160 bits")
	require.True(t, strings.HasPrefix(made.Secret, made.Prefix))
	require.NotContains(t, ann.do("GET", "/tokens", "").text, made.Secret)
	bot := &session{b: b, header: http.Header{"Authorization": {"Bearer " + made.Secret}}}
	require.Equal(t, "ann", get[api.Me](bot, "/me").User.Username)
	require.Equal(t, 200, bot.do("POST", "/jobs/"+itoa(j.ID)+"/trigger", "").status)
	bot.do("DELETE", "/jobs/"+itoa(j.ID), "").refused(403, "")

	for _, c := range []struct {
		who    *session
		body   string
		status int
		at     string
	}{
		{ann, `{"name":"x","role":"group_admin","group_ids":[` + itoa(mine.ID) + `]}`, 403, ""},
		{ann, `{"name":"x","role":"viewer","group_ids":[` + itoa(theirs.ID) + `]}`, 403, ""},
		{ann, `{"name":"x","role":"admin"}`, 403, ""},
		{bot, `{"name":"x","role":"editor","group_ids":[` + itoa(mine.ID) + `]}`, 403, ""},
		{bot, `{"name":"x","role":"viewer"}`, 403, ""},
		{ann, `{"name":"","role":"viewer"}`, 422, "body.name"},
		{ann, `{"name":"x","role":"user"}`, 422, "body.role"},
		{ann, `{"name":"x","role":"viewer","expires_at":"2020-01-01T00:00:00Z"}`, 422, "body.expires_at"},
		{b.admin, `{"name":"x","role":"admin","group_ids":[1]}`, 422, "body.group_ids"},
		{b.admin, `{"name":"x","role":"viewer","group_ids":[` + itoa(mine.ID) + `,4711]}`, 422, "body.group_ids"},
		{ann, `{"name":"x","role":"viewer","group_ids":[-1]}`, 422, "body.group_ids"},
		{b.admin, `{"name":"x","role":"viewer","group_ids":[0]}`, 422, "body.group_ids"},
		{b.admin, fmt.Sprintf(`{"name":"x","role":"viewer","group_ids":[%d,%[1]d]}`, mine.ID), 422, "body.group_ids"},
	} {
		c.who.do("POST", "/tokens", c.body).refused(c.status, c.at)
	}
	list := get[api.List[api.Token]](b.admin, "/tokens").Items
	require.Len(t, list, 1, "an admin sees everybody's")
	require.NotNil(t, list[0].LastUsedAt)
	b.user("bob").do("DELETE", "/tokens/"+itoa(made.ID), "").refused(404, "")
	require.Equal(t, 204, b.admin.do("DELETE", "/tokens/"+itoa(made.ID), "").status)
	bot.do("GET", "/me", "").refused(401, "")

	soon := time.Now().Add(time.Hour).UTC().Format(time.RFC3339)
	made = post[api.TokenCreated](ann, "/tokens", `{"name":"t","role":"publisher","expires_at":"`+soon+`"}`)
	bot = &session{b: b, header: http.Header{"Authorization": {"bearer " + made.Secret}}}
	bot.do("POST", "/tokens", `{"name":"x","role":"viewer","group_ids":[`+itoa(mine.ID)+`]}`).refused(403, "") // would outlive it
	post[api.TokenCreated](bot, "/tokens", `{"name":"x","role":"viewer","group_ids":[`+itoa(mine.ID)+`],"expires_at":"`+soon+`"}`)
}

func TestJobs_CrossNoGroupWithoutTheRight(t *testing.T) {
	t.Parallel()
	b := setup(t)
	mine, theirs := b.group("mine"), b.group("theirs")
	own, foreign := b.job(mine.ID), b.job(theirs.ID)
	with := func(child int32) string {
		return jsonOf(t, fields(mine.ID, anyMap{"child_job_ids": []int32{child}}))
	}
	grants := []job.Grant{{GroupID: mine.ID, Role: job.GroupEditor}, {GroupID: theirs.ID, Role: job.GroupViewer}}
	b.account(job.User{Username: "seer", Role: job.RoleUser, Grants: grants}).do("POST", "/jobs", with(foreign.ID)).refused(422, "body.child_job_ids[0]")
	grants[1].Role = job.GroupOperator
	operator := b.account(job.User{Username: "runner", Role: job.RoleUser, Grants: grants})
	require.Equal(t, 201, operator.do("POST", "/jobs", with(foreign.ID)).status)
	move := jsonOf(t, fields(theirs.ID, anyMap{"version": own.Version, "glue_type": nil}))
	operator.do("PUT", "/jobs/"+itoa(own.ID), move).refused(422, "body.group_id")
}

func TestAudit_TellsOfValues(t *testing.T) {
	t.Parallel()
	b := setupKeeping(t)
	path := "/groups/" + itoa(b.group("values").ID)
	for _, kind := range []string{"variable", "secret"} {
		at := path + "/" + kind + "s/KEY"
		require.Equal(t, 200, b.admin.do("PUT", at, `{"value":"the first","version":0}`).status)
		require.Equal(t, 200, b.admin.do("PUT", at, `{"value":"the second","version":`+strings.Trim(b.admin.do("GET", at, "").header.Get("ETag"), `"`)+`}`).status)
		require.Equal(t, 204, b.admin.do("DELETE", at, "").status)
		all := get[api.List[api.AuditEntry]](b.admin, "/audit?object_type="+kind).Items
		require.Len(t, all, 3, kind)
		for _, e := range all {
			require.Equal(t, []string{"KEY", "KEY"}, []string{e.ObjectID, e.ObjectName}, e.Action)
		}
		require.Nil(t, all[2].Before, "there was none")
		if kind == "secret" {
			require.NotContains(t, jsonOf(t, all), "the first")
			require.NotContains(t, jsonOf(t, all), "the second")
			continue
		}
		require.Equal(t, "the first", all[2].After["value"])
		require.Equal(t, map[string]any{"value": "the first"}, all[1].Before)
		require.Equal(t, map[string]any{"value": "the second"}, all[1].After)
		require.Equal(t, "the second", all[0].Before["value"])
	}
}

func TestAudit_IsSearchedAndExported(t *testing.T) {
	t.Parallel()
	b := setup(t)
	mine, theirs := b.group("mine"), b.group("theirs")
	j := b.job(mine.ID, anyMap{"name": "=cmd()"})
	b.admin.header.Set("X-Request-Id", "from-a-proxy")
	edited := fields(mine.ID, anyMap{"name": "=cmd()", "param": "p2", "version": j.Version, "glue_type": nil})
	r := b.admin.putJSON("/jobs/"+itoa(j.ID), edited)
	require.Equal(t, 200, r.status, r.text)
	require.Equal(t, "from-a-proxy", r.header.Get("X-Request-Id"))
	b.admin.header = http.Header{}

	e := get[api.List[api.AuditEntry]](b.admin, "/audit?object_type=job&action=updateJob").Items[0]
	require.Equal(t, []string{"admin", "user", "=cmd()", "127.0.0.1", "from-a-proxy", itoa(j.ID)},
		[]string{e.Actor, string(e.ActorKind), e.ObjectName, e.Address, e.RequestID, e.ObjectID})
	require.Equal(t, map[string]any{"param": "p2"}, e.After)
	require.Equal(t, map[string]any{"param": ""}, e.Before)
	require.Len(t, get[api.List[api.AuditEntry]](b.admin, "/audit?q=p2").Items, 1)
	require.Empty(t, get[api.List[api.AuditEntry]](b.admin, "/audit?actor=nobody").Items)
	page := get[api.List[api.AuditEntry]](b.admin, "/audit?limit=1")
	require.NotEmpty(t, page.NextCursor)
	require.Len(t, get[api.List[api.AuditEntry]](b.admin, "/audit?limit=1&cursor="+page.NextCursor).Items, 1)

	leader := b.account(job.User{Username: "leader", Role: job.RoleUser, Grants: []job.Grant{{GroupID: theirs.ID, Role: job.GroupAdmin}}})
	for _, seen := range get[api.List[api.AuditEntry]](leader, "/audit").Items {
		require.Equal(t, theirs.ID, *seen.GroupID)
	}
	require.Empty(t, get[api.List[api.AuditEntry]](leader, "/audit?group_id="+itoa(mine.ID)).Items)

	for i := range 505 { // more than a page of the export
		require.Equal(t, 200, b.admin.do("POST", "/jobs/"+itoa(j.ID)+"/stop", "").status, i)
	}
	r = b.admin.do("GET", "/audit/export", "")
	require.Equal(t, "application/x-ndjson", r.header.Get("Content-Type"))
	lines := strings.Split(strings.TrimSpace(r.text), "\n")
	require.Greater(t, len(lines), 505)
	require.Contains(t, lines[0], `"action":"stopJob"`)
	r = b.admin.do("GET", "/audit/export?format=csv&action=updateJob", "")
	rows, err := csv.NewReader(strings.NewReader(r.text)).ReadAll()
	require.NoError(t, err)
	require.Len(t, rows, 2)
	require.Equal(t, "id", rows[0][0])
	require.Equal(t, "'=cmd()", rows[1][7], "no formula for a spreadsheet")
	require.Contains(t, r.header.Get("Content-Disposition"), "attachment")
}
