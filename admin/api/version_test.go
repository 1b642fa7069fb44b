package api_test

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/admin/api"
	"github.com/gluewheel/gluewheel/admin/job"
	"github.com/gluewheel/gluewheel/glue"
)

func TestVersions_PublishListRollBack(t *testing.T) {
	t.Parallel()
	b := setup(t)
	j := b.job(b.group("billing").ID)
	path := fmt.Sprintf("/jobs/%d", j.ID)
	first := post[api.VersionPublished](b.admin, path+"/versions", `{"source":"print(1)","remark":"first","base_version":0,"manifest":{"hosts":["api.example.com"]}}`)
	require.Equal(t, int32(1), first.Number)
	require.Equal(t, "admin", first.Author)
	require.Equal(t, glue.Digest([]byte("print(1)")), first.Digest)
	require.Equal(t, []string{"api.example.com"}, first.Manifest.Hosts)
	require.Greater(t, first.JobVersion, j.Version)
	second := post[api.VersionPublished](b.admin, path+"/versions", `{"source":"print(2)","remark":"second","base_version":1}`)
	require.Equal(t, int32(2), second.Number)
	require.Equal(t, int32(2), get[api.Job](b.admin, path).GlueVersion)

	back := post[api.VersionPublished](b.admin, path+"/rollback", `{"number":1,"remark":"it was better","base_version":2}`)
	require.Equal(t, int32(3), back.Number)
	require.Equal(t, "rollback to 1: it was better", back.Remark)
	require.Equal(t, first.Manifest, back.Manifest)
	require.Equal(t, "print(1)", get[api.Version](b.admin, path+"/versions/3").Source)

	list := get[api.List[api.VersionInfo]](b.admin, path+"/versions?limit=2")
	require.Equal(t, 3, list.Total)
	require.Equal(t, []int32{3, 2}, []int32{list.Items[0].Number, list.Items[1].Number})
	rest := get[api.List[api.VersionInfo]](b.admin, path+"/versions?limit=2&cursor="+list.NextCursor)
	require.Equal(t, int32(1), rest.Items[0].Number)
	b.admin.do("GET", path+"/versions/4", "").refused(404, "")
}

func TestVersions_RefuseWrongInput(t *testing.T) {
	t.Parallel()
	b := setup(t)
	g := b.group("billing")
	j, bean := b.job(g.ID), b.job(g.ID, anyMap{"glue_type": "BEAN", "handler": "h"})
	wasm := b.job(g.ID, anyMap{"glue_type": "GLUE_WASM"})
	path := fmt.Sprintf("/jobs/%d", j.ID)
	post[api.VersionPublished](b.admin, path+"/versions", `{"source":"print(1)","remark":"first","base_version":0}`)
	absent := "sha256:" + strings.Repeat("0", 64)
	for _, c := range []struct {
		job    int32
		body   anyMap
		status int
		at     string
	}{
		{j.ID, anyMap{"base_version": 0}, 409, "body.base_version"},
		{j.ID, anyMap{"source": "print(1)"}, 409, "body.source"},
		{j.ID, anyMap{"base_version": nil}, 422, "body.base_version"},
		{j.ID, anyMap{"source": ""}, 422, "body.source"},
		{j.ID, anyMap{"source": "syntax error"}, 422, "body.source"},
		{j.ID, anyMap{"source": strings.Repeat("x", glue.MaxSource+1)}, 422, "body.source"},
		{j.ID, anyMap{"source": strings.Repeat("x", 3<<20)}, 413, ""},
		{j.ID, anyMap{"source": "a\x00b"}, 400, "body.source"},
		{j.ID, anyMap{"remark": "abc"}, 422, "body.remark"},
		{j.ID, anyMap{"remark": strings.Repeat("r", 101)}, 422, "body.remark"},
		{j.ID, anyMap{"artifact": absent}, 422, "body.artifact"},
		{j.ID, anyMap{"manifest": anyMap{"hosts": []string{"a b"}}}, 422, "body.manifest.hosts[0]"},
		{j.ID, anyMap{"manifest": anyMap{"memory_bytes": -1}}, 422, "body.manifest.memory_bytes"},
		{j.ID, anyMap{"manifest": anyMap{"memory_bytes": 1e30}}, 422, "body.manifest.memory_bytes"},
		{j.ID, anyMap{"manifest": anyMap{"secrets": []string{"1"}}}, 422, "body.manifest.secrets[0]"},
		{j.ID, anyMap{"manifest": anyMap{"disk": 1}}, 422, "body.manifest.disk"},
		{bean.ID, anyMap{}, 422, "body.source"},
		{wasm.ID, anyMap{"base_version": 0}, 422, "body.artifact"},
		{wasm.ID, anyMap{"base_version": 0, "source": nil, "artifact": "sha256:1"}, 422, "body.artifact"},
		{wasm.ID, anyMap{"base_version": 0, "source": nil, "artifact": absent}, 422, "body.artifact"},
		{wasm.ID, anyMap{"base_version": 0, "artifact": absent}, 422, "body.artifact"},
	} {
		body := anyMap{"source": "print(9)", "remark": "a remark", "base_version": 1}
		for k, v := range c.body {
			if body[k] = v; v == nil {
				delete(body, k)
			}
		}
		b.admin.postJSON(fmt.Sprintf("/jobs/%d/versions", c.job), body).refused(c.status, c.at)
	}
	b.admin.do("POST", path+"/rollback", `{"number":7,"remark":"a remark","base_version":1}`).refused(422, "body.number")
	b.admin.do("POST", path+"/rollback", `{"number":1,"remark":"a remark","base_version":1}`).refused(409, "body.source")
	b.admin.do("POST", path+"/rollback", `{"number":1,"remark":"x","base_version":1}`).refused(422, "body.remark")
	require.Equal(t, 1, get[api.List[api.VersionInfo]](b.admin, path+"/versions").Total, "something was stored")
}

func TestVersions_TellWhereTheCodeIsWrong(t *testing.T) {
	t.Parallel()
	b := setup(t)
	j := b.job(b.group("billing").ID)
	p := b.admin.postJSON(fmt.Sprintf("/jobs/%d/versions", j.ID), anyMap{"source": "syntax error", "remark": "a remark", "base_version": 0}).refused(422, "body.source")
	require.Equal(t, anyMap{"line": 3.0, "column": 7.0}, p.Errors[0].Value)
}

func TestVersions_TakeASourceOfFullLength(t *testing.T) {
	t.Parallel()
	b := setup(t)
	j := b.job(b.group("billing").ID, anyMap{"glue_type": "GLUE_SHELL"})
	source := strings.Repeat("echo 1\r\n", glue.MaxSource/8)
	v := want[api.VersionPublished](b.admin.postJSON(fmt.Sprintf("/jobs/%d/versions", j.ID), anyMap{"source": source, "remark": "long", "base_version": 0}), 201)
	require.Equal(t, strings.ReplaceAll(source, "\r", ""), v.Source)
}

func TestArtifacts_UploadListPublish(t *testing.T) {
	t.Parallel()
	b := setup(t)
	mine, theirs := b.group("mine"), b.group("theirs")
	ann, bob := b.user("ann", mine.ID), b.user("bob", theirs.ID)
	module := wasmModule("ann's")
	a := want[api.Artifact](ann.upload(module), 201)
	require.Equal(t, glue.Digest(module), a.Digest)
	require.Equal(t, int64(len(module)), a.SizeBytes)
	require.Equal(t, "ann", a.CreatedBy)
	require.Equal(t, anyMap{"exports": []any{"_start"}}, a.Inspection)
	again := want[api.Artifact](ann.upload(module), 201)
	require.Equal(t, a.Digest, again.Digest)
	require.Equal(t, 1, get[api.List[api.Artifact]](b.admin, "/artifacts").Total)
	require.Equal(t, again, get[api.ArtifactDetail](ann, "/artifacts/"+a.Digest).Artifact)
	stored, err := b.store.ArtifactContent(t.Context(), a.Digest)
	require.NoError(t, err)
	require.Equal(t, module, stored)

	// A digest alone gives nobody a module of another group.
	bob.do("GET", "/artifacts/"+a.Digest, "").refused(404, "")
	foreign := b.job(theirs.ID, anyMap{"glue_type": "GLUE_WASM"})
	publish := anyMap{"artifact": a.Digest, "remark": "a module", "base_version": 0}
	bob.postJSON(fmt.Sprintf("/jobs/%d/versions", foreign.ID), publish).refused(422, "body.artifact")

	own := b.job(mine.ID, anyMap{"glue_type": "GLUE_WASM"})
	v := want[api.VersionPublished](ann.postJSON(fmt.Sprintf("/jobs/%d/versions", own.ID), publish), 201)
	require.Equal(t, a.Digest, v.Digest)
	require.Equal(t, a.Digest, *v.Artifact)
}

func TestArtifacts_PageByUpload(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var digests []string
	for i := range 5 {
		a := want[api.Artifact](b.admin.upload(wasmModule(fmt.Sprint(i))), 201)
		digests = append([]string{a.Digest}, digests...)
	}
	var got []string
	for cursor := ""; len(got) < 5; {
		page := get[api.List[api.Artifact]](b.admin, "/artifacts?limit=2&cursor="+cursor)
		require.Equal(t, 5, page.Total)
		require.NotEmpty(t, page.Items)
		for _, a := range page.Items {
			got = append(got, a.Digest)
		}
		cursor = page.NextCursor
	}
	require.Equal(t, digests, got)
	for _, cursor := range []string{"x", "9", "99999999999999999999_x", "-5_x", "1_"} {
		r := b.admin.do("GET", "/artifacts?cursor="+cursor, "")
		require.Less(t, r.status, 500, r.text)
	}
}

func TestArtifacts_RefuseWhatIsNoModule(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.admin.upload([]byte("not a module")).refused(422, "body")
	b.admin.upload(nil).refused(422, "body")
	b.admin.upload([]byte("\x00asm\x02\x00\x00\x00")).refused(422, "body")
	p := b.admin.upload(wasmModule("bomb")).refused(422, "body")
	require.Contains(t, p.Detail, "The type section is malformed.")
	b.admin.do("POST", "/artifacts", `{"a":1}`).refused(415, "")

	large := append(wasmModule("large"), make([]byte, glue.MaxArtifact)...)
	b.admin.upload(large).refused(413, "")
	b.admin.uploadFrom(io.MultiReader(bytes.NewReader(large))).refused(413, "") // chunked
	b.admin.do("GET", "/artifacts/sha256:xyz", "").refused(422, "path.digest")
	require.Zero(t, get[api.List[api.Artifact]](b.admin, "/artifacts").Total, "something was stored")
}

func TestArtifacts_TakeALargeModuleInPieces(t *testing.T) {
	t.Parallel()
	b := setup(t)
	module := append(wasmModule("large"), make([]byte, glue.MaxArtifact-64)...)
	a := want[api.Artifact](b.admin.uploadFrom(io.MultiReader(bytes.NewReader(module))), 201)
	require.Equal(t, int64(len(module)), a.SizeBytes)
}

// Nothing gives a script what only the sandbox asks for.
func TestVersions_ScriptsAreGrantedNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	g := b.group("billing")
	b.executor("billing", "http://10.0.0.1:9999")
	j := b.job(g.ID, anyMap{"name": "backup", "glue_type": "GLUE_SHELL"})
	path := fmt.Sprintf("/jobs/%d", j.ID)
	grants := anyMap{"hosts": []string{"a.example"}, "secrets": []string{"KEY"}, "kv": true}
	p := b.admin.postJSON(path+"/versions", anyMap{"source": "echo 1", "remark": "first", "base_version": 0, "manifest": grants}).refused(422, "body.manifest.secrets")
	require.Len(t, p.Errors, 3)
	require.Contains(t, p.Detail, "write the job in Lua")
	p = b.admin.postJSON(path+"/test-run", anyMap{"glue_type": "GLUE_SHELL", "source": "echo 1", "manifest": grants}).refused(422, "body.manifest.secrets")
	require.Len(t, p.Errors, 3)
	groovy := b.job(g.ID, anyMap{"name": "java", "glue_type": "GLUE_GROOVY"})
	b.admin.postJSON(fmt.Sprintf("/jobs/%d/versions", groovy.ID), anyMap{"source": "class A {}", "remark": "first", "base_version": 0, "manifest": anyMap{"kv": true}}).refused(422, "body.manifest.kv")

	// A version from before it was refused stays of use.
	_, err := b.store.PublishVersion(t.Context(), job.Publish{JobID: j.ID, Source: "echo 1", Manifest: glue.Manifest{Secrets: []string{"KEY"}}, Remark: "of old", Author: "ann"})
	require.NoError(t, err)
	post[api.Triggered](b.admin, path+"/test-run", `{"glue_type":"GLUE_SHELL","source":"echo 2"}`)
	text := b.admin.export()
	for _, c := range want[api.Imported](b.admin.yaml("/import/apply", text), 200).Changes {
		require.Equal(t, "none", c.Action, c)
	}
	refused := b.admin.yaml("/import/plan", strings.Replace(text, "echo 1", "echo 3", 1)).refused(422, "body.groups[0].jobs[0].code.manifest.secrets")
	require.Contains(t, refused.Detail, "Line ")
	post[api.VersionPublished](b.admin, path+"/versions", `{"source":"echo 2","remark":"second","base_version":1,"manifest":{"memory_bytes":67108864}}`)
	post[api.VersionPublished](b.admin, path+"/rollback", `{"number":1,"remark":"back","base_version":2}`)
}
