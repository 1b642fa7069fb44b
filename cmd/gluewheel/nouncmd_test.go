package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPrintYAML_WritesNumbersOfRunsInFull(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	require.NoError(t, printYAML(&out, object{"last_run": map[string]any{"id": float64(579992383651872)}, "share": 0.5}))
	require.Equal(t, "last_run:\n    id: 579992383651872\nshare: 0.5\n", out.String())
}
