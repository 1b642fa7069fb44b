package api_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/admin/api"
)

// TestIfMatch_GuardsEveryEdit takes every object that has a version: a read tells it in a
// header, and an edit of another one than the caller has seen changes nothing.
func TestIfMatch_GuardsEveryEdit(t *testing.T) {
	t.Parallel()
	b := setupKeeping(t)
	o := b.objects(b.group("tagged"), b.module(b.group("modules")))
	makers := map[string]func(*bench, *caller, *objects){
		"/users/{id}": anotherUser, "/alarm-channels/{id}": aChannel, "/alarm-rules/{id}": aRule,
		"/groups/{id}/secrets/{name}": aSecret, "/groups/{id}/variables/{name}": aSecret,
	}
	spec := readSpecification(t)
	guarded := 0
	for path, methods := range spec.Paths {
		edit, read := methods["put"], methods["get"]
		if edit == nil || read == nil || edit.OperationID == "saveDraft" { // a draft is one editor's own
			continue
		}
		t.Run(edit.OperationID, func(t *testing.T) {
			if makes := makers[path]; makes != nil {
				makes(b, nil, &o)
			}
			at := o.fill(path, "tagged")
			found := b.admin.do("GET", at, "")
			require.Equal(t, 200, found.status, found.text)
			require.Regexp(t, `^"\d+"$`, found.header.Get("ETag"))
			stale := &session{b: b, cookie: b.admin.cookie, header: http.Header{"If-Match": {`"4711"`}}}
			c := &conformance{t: t, spec: spec}
			body := c.json(spec.example(edit.RequestBody.Content["application/json"].Schema))
			stale.do("PUT", at, body).refused(412, "header.If-Match")
			stale.do("DELETE", at, "").refused(412, "header.If-Match")
			require.Equal(t, found.text, b.admin.do("GET", at, "").text, "nothing has changed")
		})
		guarded++
	}
	require.Equal(t, 7, guarded, "jobs, groups, users, alarm channels, alarm rules, secrets and variables")
}

// TestIfMatch_IsNeverIgnored: where an operation does not look at it, the caller is told.
func TestIfMatch_IsNeverIgnored(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := &session{b: b, cookie: b.admin.cookie, header: http.Header{"If-Match": {`"1"`}}}
	for path, methods := range readSpecification(t).Paths {
		for method, op := range methods {
			takes := slices.ContainsFunc(op.Parameters, func(p parameterSpec) bool { return p.Name == "If-Match" })
			if method == "get" || takes || op.RequestBody != nil && op.RequestBody.Content["application/json"].Schema == nil {
				continue // what takes no JSON refuses this request for its media type first
			}
			s.do(strings.ToUpper(method), strings.NewReplacer("{", "", "}", "").Replace(path), "").refused(400, "header.If-Match")
		}
	}
}

// TestIfMatch_OfWhatIsNotThere is never met: a value that was deleted in between is not
// made again by an editor who meant to change it.
func TestIfMatch_OfWhatIsNotThere(t *testing.T) {
	t.Parallel()
	b := setup(t)
	path := fmt.Sprintf("/groups/%d/variables/REGION", b.group("tagged").ID)
	for _, tag := range []string{`*`, `"0"`, `"1"`} {
		s := &session{b: b, cookie: b.admin.cookie, header: http.Header{"If-Match": {tag}}}
		s.do("PUT", path, `{"value":"eu","version":0}`).refused(412, "header.If-Match")
	}
	b.admin.do("GET", path, "").refused(404, "")
	b.admin.do("PUT", path, `{"value":"eu","version":1}`).refused(409, "body.version")
	made := put[api.Variable](b.admin, path, `{"value":"eu","version":0}`)
	b.admin.do("PUT", path, `{"value":"us","version":0}`).refused(409, "body.version")
	require.Equal(t, made, get[api.Variable](b.admin, path))
	old := &session{b: b, cookie: b.admin.cookie, header: http.Header{"If-Match": {fmt.Sprintf("%q", fmt.Sprint(made.Version))}}}
	changed := put[api.Variable](old, path, fmt.Sprintf(`{"value":"us","version":%d}`, made.Version))
	old.do("DELETE", path, "").refused(412, "header.If-Match")
	require.Equal(t, changed, get[api.Variable](b.admin, path))
}
