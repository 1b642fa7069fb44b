package glue_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/glue"
)

func TestCleanSource(t *testing.T) {
	t.Parallel()
	full := strings.Repeat("x", glue.MaxSource)
	for _, c := range []struct {
		name       string
		typ        glue.Type
		in, out    string
		wantErrHas string
	}{
		{"kept as it is", glue.Lua, "print(1)\r\n", "print(1)\r\n", ""},
		{"shell loses carriage returns", glue.Shell, "echo a\r\necho b\r\n", "echo a\necho b\n", ""},
		{"largest", glue.Python, full, full, ""},
		{"too large", glue.Python, full + "x", "", "at most 1048576"},
		{"empty", glue.Lua, " \n\t", "", "empty"},
		{"NUL", glue.Lua, "print('\x00')", "", "NUL"},
		{"not UTF-8", glue.Lua, "print('\xff')", "", "UTF-8"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			out, err := glue.CleanSource(c.typ, c.in)
			if c.wantErrHas != "" {
				require.ErrorContains(t, err, c.wantErrHas)
				return
			}
			require.NoError(t, err)
			require.Equal(t, c.out, out)
		})
	}
}
