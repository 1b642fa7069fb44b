package check_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/runtime"
	"github.com/gluewheel/gluewheel/runtime/check"
	"github.com/gluewheel/gluewheel/runtime/worker"
)

func newChecker(t *testing.T) *check.Checker {
	t.Helper()
	engine, err := worker.New(worker.Config{Exe: workerExe, PoolSize: -1})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, engine.Close()) })
	return check.New(engine)
}

func needs(t *testing.T, interpreter string) {
	t.Helper()
	if _, err := exec.LookPath(interpreter); err != nil {
		t.Skipf("no %s on this machine", interpreter)
	}
}

func TestChecker_Check(t *testing.T) {
	t.Parallel()
	checker := newChecker(t)
	type problems = []runtime.Problem
	at := func(line, column int, severity, message string) runtime.Problem {
		return runtime.Problem{Line: line, Column: column, Severity: severity, Message: message}
	}
	for name, c := range map[string]struct {
		glueType, source string
		interpreter      string
		want             problems
	}{
		"Lua":                 {"GLUE_LUA", "return 1", "", nil},
		"bad Lua":             {"GLUE_LUA", "local x = 1\nif x then\nlocal = 2\nend", "", problems{at(3, 7, "error", "syntax error near '='")}},
		"unfinished Lua":      {"GLUE_LUA", "if true then", "", problems{at(1, 1, "error", "syntax error at the end of the source")}},
		"JavaScript":          {"GLUE_JS", "await gw.sleep(1); 1", "", nil},
		"bad JavaScript":      {"GLUE_JS", "const a = 1;\nconst = 2;", "", problems{at(2, 7, "error", "Expected identifier but found \"=\"")}},
		"TypeScript":          {"GLUE_TS", "const a: number = 1; a", "", nil},
		"bad TypeScript":      {"GLUE_TS", "const a: = 1;", "", problems{at(1, 10, "error", "Unexpected \"=\"")}},
		"shell":               {"GLUE_SHELL", "for i in 1 2; do echo $i; done", "bash", nil},
		"bad shell":           {"GLUE_SHELL", "echo a\nif true; then\nfi\n", "bash", problems{at(3, 0, "error", "syntax error near unexpected token `fi'")}},
		"unfinished shell":    {"GLUE_SHELL", "echo $(", "bash", nil},
		"open here-document":  {"GLUE_SHELL", "cat <<END\nabc\n", "bash", problems{at(2, 0, "warning", "here-document at line 1 delimited by end-of-file (wanted `END')")}},
		"Python":              {"GLUE_PYTHON", "import os\nprint(os.environ)", "python3", nil},
		"bad Python":          {"GLUE_PYTHON", "a = 1\nif a\n  pass\n", "python3", problems{at(2, 5, "error", "expected ':'")}},
		"doubtful Python":     {"GLUE_PYTHON", "a = 1\nassert (a, 'x')\n", "python3", problems{at(2, 0, "warning", "assertion is always true, perhaps remove parentheses?")}},
		"PHP is not checked":  {"GLUE_PHP", "<?php if (", "", nil},
		"BEAN has no code":    {"BEAN", "x", "", nil},
		"a type that is none": {"GLUE_COBOL", "x", "", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if c.interpreter != "" {
				needs(t, c.interpreter)
			}
			got, err := checker.Check(t.Context(), c.glueType, c.source)
			require.NoError(t, err)
			if name == "unfinished shell" { // in each version's own words
				require.Len(t, got, 1)
				require.Equal(t, "error", got[0].Severity)
				return
			}
			require.Equal(t, c.want, got)
		})
	}
}

// TestChecker_RunsNothing gives sources that would leave a file behind.
func TestChecker_RunsNothing(t *testing.T) {
	t.Parallel()
	checker := newChecker(t)
	left := filepath.Join(t.TempDir(), "left")
	for glueType, source := range map[string]string{
		"GLUE_SHELL":  "touch " + left + "\n: $(touch " + left + ")\nset +n\ntouch " + left,
		"GLUE_PYTHON": "open('" + left + "', 'w')",
		"GLUE_JS":     "while (true) {}",
		"GLUE_LUA":    "while true do end",
	} {
		problems, err := checker.Check(t.Context(), glueType, source)
		require.NoError(t, err, glueType)
		require.Empty(t, problems, glueType)
	}
	_, err := os.Stat(left)
	require.ErrorIs(t, err, os.ErrNotExist)
}

// TestChecker_Bombs gives parsers what they choke on: there is an answer in time. It does
// not run beside the others, which would wait for it.
func TestChecker_Bombs(t *testing.T) {
	checker := newChecker(t)
	for name, c := range map[string]struct{ glueType, source string }{
		"deep Lua":    {"GLUE_LUA", strings.Repeat("(", 500_000)},
		"deep JS":     {"GLUE_JS", strings.Repeat("[", 500_000)},
		"deep TS":     {"GLUE_TS", strings.Repeat("[", 100_000)},
		"deep shell":  {"GLUE_SHELL", strings.Repeat("$(", 200_000)},
		"deep Python": {"GLUE_PYTHON", strings.Repeat("(", 500_000)},
		"long Python": {"GLUE_PYTHON", "x = " + strings.Repeat("-", 500_000) + "1"},
		"too large":   {"GLUE_PYTHON", strings.Repeat("x", 2<<20)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			started := time.Now()
			problems, err := checker.Check(t.Context(), c.glueType, c.source)
			if err == nil {
				require.NotEmpty(t, problems)
				require.Equal(t, "error", problems[0].Severity)
			}
			require.Less(t, time.Since(started), 3*time.Minute)
			t.Log(time.Since(started), problems, err)
		})
	}
}

func TestChecker_EndsWithItsContext(t *testing.T) {
	t.Parallel()
	needs(t, "python3")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := newChecker(t).Check(ctx, "GLUE_PYTHON", "a = 1")
	require.ErrorIs(t, err, context.Canceled)
}
