package api_test

import (
	"bytes"
	"flag"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/admin/api"
)

//go:generate go test -run ^TestDocument_Stored$ . -update

var update = flag.Bool("update", false, "write the OpenAPI document of today")

// storedDocument is what the web UI generates its types from.
const storedDocument = "../../webui/openapi.json"

func TestDocument_Stored(t *testing.T) {
	t.Parallel()
	now, err := api.Document()
	require.NoError(t, err)
	if *update {
		require.NoError(t, os.WriteFile(storedDocument, now, 0o644))
	}
	stored, err := os.ReadFile(storedDocument)
	require.NoError(t, err)
	require.True(t, bytes.Equal(stored, now), "%s is stale: run go generate ./admin/api", storedDocument)
}
