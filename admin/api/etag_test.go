package api_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestIfMatch_GuardsEveryEdit takes every object that has a version: a read tells it in a
// header, and an edit of another one than the caller has seen changes nothing.
func TestIfMatch_GuardsEveryEdit(t *testing.T) {
	t.Parallel()
	b := setup(t)
	deps := b.deps()
	b.keep(&deps)
	b.serve(deps)
	o := b.objects(b.group("tagged"), b.module(b.group("modules")))
	makers := map[string]func(*bench, *caller, *objects){
		"/users/{id}": anotherUser, "/alarm-channels/{id}": aChannel, "/alarm-rules/{id}": aRule,
	}
	spec := readSpecification(t)
	guarded := 0
	for path, methods := range spec.Paths {
		edit, read := methods["put"], methods["get"]
		if edit == nil || read == nil || !strings.HasSuffix(path, "/{id}") {
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
			require.Equal(t, found.text, b.admin.do("GET", at, "").text, "nothing has changed")
		})
		guarded++
	}
	require.Equal(t, 5, guarded, "jobs, groups, users, alarm channels and alarm rules")
}
