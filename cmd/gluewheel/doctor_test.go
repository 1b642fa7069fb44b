package main

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/admin/doctor"
	"github.com/gluewheel/gluewheel/admin/store/storetest"
)

func TestDoctor_FailsWhenSomethingIsWrong(t *testing.T) {
	t.Parallel()
	ask := func(args ...string) (code int, out, errs string) {
		var stdout, stderr bytes.Buffer
		code = run(context.Background(), append([]string{"doctor", "--database-url", storetest.URL(t)}, args...),
			&streams{in: strings.NewReader(""), out: &stdout, err: &stderr})
		return code, stdout.String(), stderr.String()
	}
	code, out, errs := ask()
	require.Equal(t, exitFailed, code)
	require.Contains(t, out, "no_admin")
	require.Contains(t, out, "→ Start `gluewheel admin`")
	require.Contains(t, errs, "findings")

	code, out, _ = ask("--json")
	require.Equal(t, exitFailed, code)
	var r doctor.Report
	require.NoError(t, json.Unmarshal([]byte(out), &r))
	require.True(t, r.Has(doctor.Error))
}
