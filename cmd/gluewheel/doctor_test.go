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

func TestDoctor_TellsHowBadItIsByItsExitCode(t *testing.T) {
	t.Parallel()
	of := func(severities ...doctor.Severity) *doctor.Report {
		var r doctor.Report
		for _, s := range severities {
			r.Findings = append(r.Findings, doctor.Finding{Severity: s})
		}
		return &r
	}
	require.NoError(t, verdict(of()))
	require.Equal(t, 3, exitCode(verdict(of(doctor.Warning, doctor.Warning))))
	require.Equal(t, 1, exitCode(verdict(of(doctor.Warning, doctor.Error))))

	var out, errs bytes.Buffer
	s := &streams{in: strings.NewReader(""), out: &out, err: &errs}
	require.Equal(t, exitUsage, run(context.Background(), []string{"doctor", "--strict"}, s), "there is no need of it")
	require.Equal(t, exitOK, run(context.Background(), []string{"doctor", "--help"}, s))
	require.Contains(t, out.String(), "3 there are warnings only")
}
