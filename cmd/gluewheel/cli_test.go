package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// command runs the program and returns what it said.
func command(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = run(t.Context(), args, &streams{in: strings.NewReader(""), out: &out, err: &errs})
	return code, out.String(), errs.String()
}

func writeConfig(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config.yaml")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

func TestRun_WrongConfigIsNamed(t *testing.T) {
	t.Parallel()
	database := []string{"--database-url=postgres://x", "--executor-token=t"}
	for _, c := range []struct {
		name string
		args []string
		want string
	}{
		{"no command", nil, "expected one of"},
		{"unknown command", []string{"bogus"}, "bogus"},
		{"unknown flag", []string{"standalone", "--lisen=x"}, "--lisen"},
		{"missing flag", []string{"executor", "--admin-addresses=http://10.0.0.1:8080"}, "--executor-token"},
		{"no port", append([]string{"admin", "--listen=localhost"}, database...), "listen"},
		{"unknown zone", append([]string{"admin", "--time-zone=Mars/Base"}, database...), "Mars/Base"},
		{"no buckets", append([]string{"admin", "--buckets=0"}, database...), "buckets"},
		{"negative retention", append([]string{"admin", "--retention=-1h"}, database...), "retention"},
		{"unknown level", []string{"version", "--log-level=loud"}, "--log-level"},
		{"unknown format", []string{"version", "--log-format=xml"}, "--log-format"},
		{"admin without scheme", []string{"executor", "--executor-token=t", "--admin-addresses=10.0.0.1:8080"}, "admin-addresses"},
		{"unknown glue type", []string{"standalone", "--allow-types=COBOL"}, "COBOL"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			code, stdout, stderr := command(t, c.args...)
			require.Equal(t, exitUsage, code)
			require.Contains(t, stderr, c.want)
			require.Contains(t, stderr, "--help")
			require.Empty(t, stdout)
		})
	}
}

func TestRun_Help(t *testing.T) {
	t.Parallel()
	code, stdout, stderr := command(t, "admin", "--help")
	require.Equal(t, exitOK, code)
	require.Contains(t, stdout, "127.0.0.1:8080", "defaults are shown")
	require.Contains(t, stdout, "GLUEWHEEL_LISTEN", "variables are shown")
	require.Empty(t, stderr)
}

func TestRun_Version(t *testing.T) {
	t.Parallel()
	code, stdout, _ := command(t, "version")
	require.Equal(t, exitOK, code)
	require.Contains(t, stdout, "gluewheel dev")
}

func TestRun_ConfigFile(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, text, want string }{
		{"unknown key", "lisen: 127.0.0.1:1\n", `unknown key "lisen"`},
		{"no file by file", "config: other.yaml\n", `unknown key "config"`},
		{"nested", "listen:\n  host: x\n", `"listen" is not a single value`},
		{"broken", "listen: [\n", "config file"},
		{"wrong value", "log-level: loud\n", "log-level"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			code, _, stderr := command(t, "admin", "--database-url=postgres://x", "--executor-token=t", "--config="+writeConfig(t, c.text))
			require.Equal(t, exitUsage, code)
			require.Contains(t, stderr, c.want)
		})
	}
}

func TestRun_PrecedenceOfConfig(t *testing.T) {
	file := writeConfig(t, "listen: file:1\nexecutor-listen: file:2\ntime-zone: Asia/Tokyo\nmax-concurrent: 7\n"+
		"allow-types: [BEAN, GLUE_LUA]\nno-samples: true\ndrain-timeout: 3s\n")
	t.Setenv("GLUEWHEEL_LISTEN", "variable:1")
	t.Setenv("GLUEWHEEL_EXECUTOR_LISTEN", "variable:2")

	var c cli
	parser, err := newParser(&c, &streams{}, func(int) {})
	require.NoError(t, err)
	_, err = parser.Parse([]string{"standalone", "--config=" + file, "--listen=flag:1"})
	require.NoError(t, err)
	require.Equal(t, "flag:1", c.Standalone.Listen, "a flag wins")
	require.Equal(t, "variable:2", c.Standalone.ExecutorListen, "a variable wins over the file")
	require.Equal(t, "Asia/Tokyo", c.Standalone.TimeZone, "the file wins over the default")
	require.Equal(t, 7, c.Standalone.MaxConcurrent)
	require.Equal(t, []string{"BEAN", "GLUE_LUA"}, c.Standalone.AllowTypes)
	require.True(t, c.Standalone.NoSamples)
	require.Equal(t, "gluewheel-executor", c.Standalone.AppName, "the default is left")
}
