package glue_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/glue"
)

func TestCheckKV(t *testing.T) {
	t.Parallel()
	for key, want := range map[string]string{
		"a":                      "",
		strings.Repeat("k", 200): "",
		"":                       "a key has 1 to 200 bytes, this one 0",
		strings.Repeat("k", 201): "this one 201",
		"a\x00b":                 "is not text",
		"\xff":                   "is not text",
	} {
		err := glue.CheckKVKey(key)
		if want == "" {
			require.NoError(t, err, key)
			continue
		}
		require.ErrorContains(t, err, want)
	}
	require.NoError(t, glue.CheckKVValue(make([]byte, 65536)))
	require.ErrorContains(t, glue.CheckKVValue(make([]byte, 65537)), "65536 are allowed")
}
