package api_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/admin/api"
)

func TestArtifact_NamesTheVersionsOfAllJobsThatUseIt(t *testing.T) {
	t.Parallel()
	b := setup(t)
	mine, theirs := b.group("mine"), b.group("theirs")
	ann := b.user("ann", mine.ID)
	a := want[api.Artifact](ann.upload(wasmModule("shared")), 201)
	detail := func(s *session) api.ArtifactDetail { return get[api.ArtifactDetail](s, "/artifacts/"+a.Digest) }
	require.Equal(t, []api.ArtifactUse{}, detail(ann).UsedBy, "no version uses it yet")

	publish := func(j api.Job) api.ArtifactUse {
		t.Helper()
		v := want[api.VersionPublished](b.admin.postJSON(fmt.Sprintf("/jobs/%d/versions", j.ID),
			anyMap{"artifact": a.Digest, "remark": "the module", "base_version": 0}), 201)
		return api.ArtifactUse{JobID: j.ID, JobName: j.Name, Number: v.Number}
	}
	wasm := func(group int32, name string) api.Job {
		return b.job(group, anyMap{"glue_type": "GLUE_WASM", "name": name})
	}
	first := publish(wasm(mine.ID, "first"))
	second := publish(wasm(mine.ID, "second"))
	foreign := publish(wasm(theirs.ID, "foreign"))
	require.Equal(t, a, detail(ann).Artifact)
	require.Equal(t, []api.ArtifactUse{second, first}, detail(ann).UsedBy, "a version of another group shows")
	require.Equal(t, []api.ArtifactUse{foreign, second, first}, detail(b.admin).UsedBy)
}
