package main

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v4"
)

const deploy = "../../docs/deploy/"

// variables are those that each command reads.
func variables(t *testing.T) map[string][]string {
	t.Helper()
	var c cli
	parser, err := newParser(&c, &streams{out: io.Discard, err: io.Discard}, func(int) {})
	require.NoError(t, err)
	all := map[string][]string{}
	for _, command := range parser.Model.Children {
		for _, group := range command.AllFlags(false) {
			for _, flag := range group {
				all[command.Name] = append(all[command.Name], flag.Envs...)
			}
		}
	}
	return all
}

// TestDeploy_Compose reads the compose file as far as that goes without Docker: each of
// our services runs a command that there is, with variables that it reads, and depends
// on services that there are.
func TestDeploy_Compose(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(deploy + "compose.yaml")
	require.NoError(t, err)
	var file struct {
		Services map[string]struct {
			Image       string
			Build       string
			Command     []string
			DependsOn   any `yaml:"depends_on"`
			Environment map[string]string
			Volumes     []string
		}
		Volumes map[string]any
	}
	require.NoError(t, yaml.Unmarshal(text, &file))
	known := variables(t)
	for name, service := range file.Services {
		for _, volume := range service.Volumes {
			source, _, _ := strings.Cut(volume, ":")
			require.Contains(t, file.Volumes, source, name)
		}
		if service.Build == "" {
			require.NotEmpty(t, service.Image, name)
			continue
		}
		require.FileExists(t, filepath.Join(deploy, service.Build, "Dockerfile"), name)
		require.Len(t, service.Command, 1, name)
		require.Contains(t, known, service.Command[0], name)
		for variable := range service.Environment {
			require.Contains(t, known[service.Command[0]], variable, "%s: %s", name, service.Command[0])
		}
		switch needed := service.DependsOn.(type) {
		case []any:
			for _, other := range needed {
				require.Contains(t, file.Services, other, name)
			}
		case map[string]any:
			for other := range needed {
				require.Contains(t, file.Services, other, name)
			}
		default:
			require.Fail(t, "depends on nothing", name)
		}
	}
	require.Len(t, file.Services, 4)
}

var (
	startLine       = regexp.MustCompile(`(?m)^ExecStart=/usr/local/bin/gluewheel (\w+)$`)
	environmentLine = regexp.MustCompile(`(?m)^Environment=(\w+)=`)
	namedVariable   = regexp.MustCompile(`\bGLUEWHEEL_\w+`)
)

// TestDeploy_Units checks the systemd units by what they start, and by systemd's own
// word where it is installed.
func TestDeploy_Units(t *testing.T) {
	t.Parallel()
	known := variables(t)
	analyze, missing := exec.LookPath("systemd-analyze")
	self, err := os.Executable()
	require.NoError(t, err)
	dir := t.TempDir()
	for _, command := range []string{"admin", "executor"} {
		file := "gluewheel-" + command + ".service"
		text, err := os.ReadFile(deploy + file)
		require.NoError(t, err)
		start := startLine.FindSubmatch(text)
		require.NotNil(t, start, file)
		require.Equal(t, command, string(start[1]), file)
		for _, match := range environmentLine.FindAllSubmatch(text, -1) {
			require.Contains(t, known[command], string(match[1]), file)
		}
		for _, variable := range namedVariable.FindAllString(string(text), -1) {
			require.Contains(t, known[command], variable, "%s, in a comment", file)
		}
		if missing != nil {
			continue
		}
		// The program need not be installed here for that.
		unit := filepath.Join(dir, file)
		here := strings.ReplaceAll(string(text), "/usr/local/bin/gluewheel", self)
		require.NoError(t, os.WriteFile(unit, []byte(here), 0o600))
		out, err := exec.CommandContext(t.Context(), analyze, "verify", "--man=no", unit).CombinedOutput()
		require.NoError(t, err, "%s: %s", file, out)
	}
	if missing != nil {
		t.Log("NOT RUN: systemd-analyze verify: there is no systemd here")
	}
}

// TestDeploy_Dockerfile checks the variables that the image sets.
func TestDeploy_Dockerfile(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../Dockerfile")
	require.NoError(t, err)
	known := variables(t)
	named := namedVariable.FindAllString(string(text), -1)
	require.NotEmpty(t, named)
	for _, variable := range named {
		require.Contains(t, known["admin"], variable)
		require.Contains(t, known["executor"], variable)
	}
}
