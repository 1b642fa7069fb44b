package api_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/admin/api"
)

// access is who may call an operation.
type access int

const (
	everyone access = iota
	users           // whoever is logged in
	lists           // whoever is logged in; foreign users see nothing of the group
	members         // users of the object's group
	visible         // members; for others the object does not exist
	admins
)

// operations says of every operation who may call it, and how. {…} stand for the
// objects that are made anew for each call.
var operations = map[string]struct {
	access access
	body   string
}{
	"login":              {everyone, `{"username":"admin","password":"` + adminPassword + `"}`},
	"logout":             {everyone, ``},
	"getMe":              {users, ``},
	"listGroups":         {lists, ``},
	"createGroup":        {admins, `{"app_name":"{name}","title":"t"}`},
	"getGroup":           {members, ``},
	"updateGroup":        {admins, `{"app_name":"{name}","title":"t","version":1}`},
	"deleteGroup":        {admins, ``},
	"listGroupExecutors": {members, ``},
	"listJobs":           {lists, ``},
	"createJob":          {members, `{"group_id":{group},"name":"n","author":"a","glue_type":"GLUE_LUA"}`},
	"getJob":             {members, ``},
	"updateJob":          {members, `{"group_id":{group},"name":"n","author":"a","version":{version}}`},
	"deleteJob":          {members, ``},
	"startJob":           {members, ``},
	"stopJob":            {members, ``},
	"triggerJob":         {members, ``},
	"nextFires":          {members, ``},
	"previewSchedule":    {users, `{"schedule_type":"FIX_RATE","schedule_conf":"5"}`},
	"listVersions":       {members, ``},
	"publishVersion":     {members, `{"source":"print(2)","remark":"second","base_version":1}`},
	"getVersion":         {members, ``},
	"rollbackVersion":    {members, `{"number":1,"remark":"again","base_version":2}`},
	"listArtifacts":      {lists, ``},
	"uploadArtifact":     {users, ``},
	"getArtifact":        {visible, ``},
	"listRuns":           {lists, ``},
	"getRun":             {members, ``},
	"getRunLog":          {members, ``},
	"killRun":            {members, ``},
	"listExecutors":      {users, ``},
	"getSystem":          {users, ``},
}

// objects are a group's; all but the module are fresh for one call.
type objects struct {
	group   api.Group
	module  api.Artifact
	job     api.Job
	run     api.Triggered
	version int64
}

// module uploads one and puts it into use in a group.
func (b *bench) module(group api.Group) api.Artifact {
	b.t.Helper()
	wasm := b.job(group.ID, anyMap{"glue_type": "GLUE_WASM"})
	a := want[api.Artifact](b.admin.upload(wasmModule("of "+group.AppName)), 201)
	post[api.VersionPublished](b.admin, fmt.Sprintf("/jobs/%d/versions", wasm.ID),
		fmt.Sprintf(`{"artifact":%q,"remark":"first","base_version":0}`, a.Digest))
	return a
}

func (b *bench) objects(group api.Group, module api.Artifact) objects {
	b.t.Helper()
	o := objects{group: group, module: module, job: b.job(group.ID)}
	published := post[api.VersionPublished](b.admin, fmt.Sprintf("/jobs/%d/versions", o.job.ID), `{"source":"print(1)","remark":"first","base_version":0}`)
	o.version = published.JobVersion
	o.run = b.run(o.job.ID)
	return o
}

func (o objects) fill(text, name string) string {
	return strings.NewReplacer(
		"/jobs/{id}", fmt.Sprintf("/jobs/%d", o.job.ID), "/groups/{id}", fmt.Sprintf("/groups/%d", o.group.ID),
		"/runs/{id}", fmt.Sprintf("/runs/%d", o.run.RunID), "{number}", "1", "{digest}", o.module.Digest,
		"{group}", fmt.Sprint(o.group.ID), "{version}", fmt.Sprint(o.version), "{name}", name,
	).Replace(text)
}

func TestRoutes_LetInWhoMay(t *testing.T) {
	t.Parallel()
	b := setup(t)
	mine, theirs := b.group("mine"), b.group("theirs")
	module := b.module(mine)
	callers := map[string]*session{
		"anonymous": b.anonymous(), "member": b.user("member", mine.ID), "foreigner": b.user("foreigner", theirs.ID),
		"nobody": b.user("nobody"), "admin": b.admin,
	}
	document, err := api.Document()
	require.NoError(t, err)
	var doc struct {
		Paths map[string]map[string]struct{ OperationID string }
	}
	require.NoError(t, json.Unmarshal(document, &doc))
	seen, n := 0, 0
	for path, methods := range doc.Paths {
		for method, op := range methods {
			spec, ok := operations[op.OperationID]
			require.True(t, ok, "%s stands in no row of the matrix", op.OperationID)
			seen++
			for who, caller := range callers {
				n++
				name := fmt.Sprintf("cell-%d", n)
				o := b.objects(mine, module)
				if spec.access == admins && strings.Contains(path, "{id}") {
					o.group = b.group(name + "-old")
				}
				if op.OperationID == "rollbackVersion" {
					post[api.VersionPublished](b.admin, o.fill("/jobs/{id}/versions", ""), `{"source":"print(3)","remark":"second","base_version":1}`)
				}
				s := &session{b: b, cookie: caller.cookie, header: http.Header{}}
				if op.OperationID == "login" || op.OperationID == "logout" {
					s.cookie = "" // so that the others' sessions stay
				}
				var r reply
				if op.OperationID == "uploadArtifact" {
					r = s.upload(wasmModule(name))
				} else {
					r = s.do(strings.ToUpper(method), o.fill(path, name), o.fill(spec.body, name))
				}
				require.Equal(t, expected(spec.access, who), class(r), "%s by %s: %s", op.OperationID, who, r.text)
				if spec.access == lists && (who == "foreigner" || who == "nobody") {
					require.NotContains(t, r.text, `"mine"`)
					require.NotContains(t, r.text, o.module.Digest)
				}
			}
		}
	}
	require.Len(t, operations, seen, "the matrix has rows of operations that are gone")
}

func expected(a access, who string) string {
	switch {
	case a == everyone:
		return "ok"
	case who == "anonymous":
		return "401"
	case who == "admin", a == users, a == lists, who == "member" && a != admins:
		return "ok"
	case a == visible:
		return "404"
	default:
		return "403"
	}
}

func class(r reply) string {
	if r.status < 300 {
		return "ok"
	}
	return fmt.Sprint(r.status)
}

// wasmModule is the smallest one with a custom section that says what.
func wasmModule(what string) []byte {
	name := append([]byte{byte(len(what))}, what...)
	return append(append([]byte("\x00asm\x01\x00\x00\x00\x00"), byte(len(name))), name...)
}

func (s *session) upload(module []byte) reply {
	s.b.t.Helper()
	return s.send("POST", "/artifacts", "application/wasm", strings.NewReader(string(module)))
}

func (s *session) uploadFrom(r io.Reader) reply {
	s.b.t.Helper()
	return s.send("POST", "/artifacts", "application/wasm", r)
}
