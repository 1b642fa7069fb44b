package api_test

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/admin/api"
	"github.com/gluewheel/gluewheel/admin/bundle"
)

// largeModule is one of that size which nothing makes smaller.
func largeModule(seed uint64, size int) []byte {
	random := rand.New(rand.NewPCG(seed, 0))
	module := wasmModule("large")
	for len(module) < size {
		module = append(module, byte(random.Uint32()))
	}
	return module
}

// TestBundle_LargerThanOtherRequests moves modules that together are larger than other
// requests may be.
func TestBundle_LargerThanOtherRequests(t *testing.T) {
	t.Parallel()
	b := setup(t)
	g := b.group("large")
	for seed := range uint64(2) {
		module := want[api.Artifact](b.admin.upload(largeModule(seed, 4<<20)), 201)
		j := b.job(g.ID, anyMap{"name": fmt.Sprint("module ", seed), "glue_type": "GLUE_WASM"})
		post[api.VersionPublished](b.admin, fmt.Sprintf("/jobs/%d/versions", j.ID), fmt.Sprintf(`{"artifact":%q,"remark":"a module","base_version":0}`, module.Digest))
	}
	text := b.admin.export()
	require.Greater(t, len(text), 8<<20)
	fresh := setup(t)
	plan := want[api.Imported](fresh.admin.yaml("/import/plan", text), 200)
	require.Len(t, plan.Changes, 5)
	require.Equal(t, plan, want[api.Imported](fresh.admin.yaml("/import/apply", text), 200))
	require.True(t, text == fresh.admin.export(), "the same, module for module")
}

func TestBundle_TooLargeIsRefused(t *testing.T) {
	t.Parallel()
	b := setup(t)
	head := "gluewheel: 1\ngroups: []\n# "
	for name, body := range map[string]io.Reader{
		"too long":       io.MultiReader(strings.NewReader(head), bytes.NewReader(bytes.Repeat([]byte("x"), bundle.MaxText))),
		"too many lines": strings.NewReader(head + strings.Repeat("\n", 2_000_001)),
	} {
		for _, path := range []string{"/import/plan", "/import/apply"} {
			p := b.admin.send("POST", path, "application/yaml", body).refused(413, "")
			require.Contains(t, p.Detail, "fewer groups", name)
			body = strings.NewReader(head + strings.Repeat("\n", 2_000_001))
		}
	}
	b.anonymous().send("POST", "/import/apply", "application/yaml", strings.NewReader(head)).refused(401, "")
}
