package api_test

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/admin/api"
	"github.com/gluewheel/gluewheel/admin/job"
	"github.com/gluewheel/gluewheel/glue"
)

func TestDownload_GivesTheModuleToWhoMaySeeIt(t *testing.T) {
	t.Parallel()
	b := setup(t)
	mine, theirs := b.group("mine"), b.group("theirs")
	ann := b.user("ann", mine.ID)
	module := wasmModule("ann's")
	a := want[api.Artifact](ann.upload(module), 201)
	path := "/artifacts/" + a.Digest + "/content"

	r := ann.do("GET", path, "")
	require.Equal(t, 200, r.status, r.text)
	require.Equal(t, module, []byte(r.text))
	require.Equal(t, "application/wasm", r.header.Get("Content-Type"))
	require.Equal(t, fmt.Sprintf(`attachment; filename="%s.wasm"`, a.Digest[len("sha256:"):][:12]), r.header.Get("Content-Disposition"))
	require.Equal(t, "nosniff", r.header.Get("X-Content-Type-Options"))
	tag := r.header.Get("ETag")
	require.Equal(t, `"`+a.Digest+`"`, tag)
	for condition, status := range map[string]int{tag: 304, `"x", W/` + tag: 304, "*": 304, `"x"`: 200, a.Digest: 200} {
		s := &session{b: b, cookie: ann.cookie, header: http.Header{"If-None-Match": {condition}}}
		got := s.do("GET", path, "")
		require.Equal(t, status, got.status, condition)
		require.Equal(t, tag, got.header.Get("ETag"))
		require.Equal(t, status == 200, got.text != "", condition)
	}

	// Nobody uses it yet: it is its uploader's, in person.
	viewer, foreigner := b.member(job.GroupViewer, mine.ID), b.member(job.GroupAdmin, theirs.ID)
	for _, s := range []*session{viewer, foreigner, ann.ownToken()} {
		s.do("GET", path, "").refused(404, "")
	}
	own := b.job(mine.ID, anyMap{"glue_type": "GLUE_WASM"})
	post[api.VersionPublished](ann, fmt.Sprintf("/jobs/%d/versions", own.ID), fmt.Sprintf(`{"artifact":%q,"remark":"first","base_version":0}`, a.Digest))
	for _, s := range []*session{viewer, ann.ownToken(), b.token("viewer", mine.ID), b.admin} {
		require.Equal(t, module, []byte(s.do("GET", path, "").text))
	}
	for _, s := range []*session{foreigner, b.token("group_admin", theirs.ID), b.user("nobody")} {
		s.do("GET", path, "").refused(404, "")
	}
	b.anonymous().do("GET", path, "").refused(401, "")
	b.admin.do("GET", "/artifacts/sha256:"+strings.Repeat("0", 64)+"/content", "").refused(404, "")
	b.admin.do("GET", "/artifacts/nonsense/content", "").refused(422, "path.digest")
}

// Those who hang up in the middle keep nobody else from downloading.
func TestDownload_GivesItsPlaceFree(t *testing.T) {
	t.Parallel()
	b := setup(t)
	module := append(wasmModule("large"), make([]byte, glue.MaxArtifact-64)...)
	a := want[api.Artifact](b.admin.uploadFrom(io.MultiReader(bytes.NewReader(module))), 201)
	path := "/artifacts/" + a.Digest + "/content"
	for range 20 {
		conn, err := net.Dial("tcp", strings.TrimPrefix(b.url, "http://"))
		require.NoError(t, err)
		_, err = fmt.Fprintf(conn, "GET /api/v1%s HTTP/1.1\r\nHost: a\r\nCookie: %s\r\n\r\n", path, b.admin.cookie)
		require.NoError(t, err)
		first := make([]byte, 1000)
		_, err = io.ReadFull(conn, first)
		require.NoError(t, err)
		require.Contains(t, string(first), "HTTP/1.1 200 OK")
		require.NoError(t, conn.Close())
	}
	r := b.admin.do("GET", path, "")
	require.Equal(t, 200, r.status)
	require.Len(t, r.text, len(module))
}

func TestDrafts_OthersMayBeReadByWhoWritesToo(t *testing.T) {
	t.Parallel()
	b := setup(t)
	mine, theirs := b.group("mine"), b.group("theirs")
	j := b.job(mine.ID)
	name := `O'Ann / 安 <b>`
	ann := b.account(job.User{Username: name, Role: job.RoleUser, Grants: []job.Grant{{GroupID: mine.ID, Role: job.GroupEditor}}})
	bob := b.member(job.GroupEditor, mine.ID)
	path := fmt.Sprintf("/jobs/%d/draft", j.ID)
	of := func(who string) string { return path + "s/" + url.PathEscape(who) }
	bob.do("GET", of(name), "").refused(404, "")
	saved := put[api.Draft](ann, path, `{"glue_type":"GLUE_LUA","source":"not done","base_version":0,"manifest":{"hosts":["a.example"]}}`)
	require.Equal(t, saved, get[api.Draft](bob, of(name)))
	require.Equal(t, saved, get[api.Draft](ann, of(name)), "one's own is no exception")
	require.Equal(t, name, get[api.Drafts](bob, path+"s").Items[0].Username)
	b.member(job.GroupOperator, mine.ID).do("GET", of(name), "").refused(403, "")
	b.member(job.GroupAdmin, theirs.ID).do("GET", of(name), "").refused(403, "")
	bob.do("GET", of("nobody"), "").refused(404, "")
	bob.do("GET", of(strings.Repeat("a", 101)), "").refused(422, "path.username")
	bob.do("PUT", of(name), `{"glue_type":"GLUE_LUA","source":"mine now","base_version":0}`).refused(405, "")
	require.Equal(t, saved, get[api.Draft](ann, path), "nobody writes it but its owner")
}
