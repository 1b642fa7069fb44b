package main

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/internal/freeaddr"
	"github.com/gluewheel/gluewheel/samples"
)

// standalone is a running `gluewheel standalone` on free ports.
type standalone struct {
	url    string
	banner string
	stop   func() (code int)
}

func freeAddr(t *testing.T) string {
	t.Helper()
	addr, err := freeaddr.Get()
	require.NoError(t, err)
	return addr
}

// openDir is a data directory that other users can enter, which t.TempDir's cannot:
// root's PostgreSQL would move out of it, to a place that outlives the test.
func openDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "gluewheel-standalone-")
	require.NoError(t, err)
	require.NoError(t, os.Chmod(dir, 0o755))
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	return filepath.Join(dir, "data")
}

// startStandalone returns once the banner is out.
func startStandalone(t *testing.T, dir string, flags ...string) standalone {
	t.Helper()
	listen := freeAddr(t)
	args := append([]string{
		"standalone", "--data-dir=" + dir, "--listen=" + listen, "--executor-listen=" + freeAddr(t),
		"--pg-cache=../../.cache/postgres", "--time-zone=UTC",
	}, flags...)
	ctx, cancel := context.WithCancel(t.Context())
	stdout, out := io.Pipe()
	code := make(chan int, 1)
	go func() {
		c := run(ctx, args, &streams{in: strings.NewReader(""), out: out, err: t.Output()})
		out.Close()
		code <- c
	}()
	s := standalone{url: "http://" + listen}
	s.stop = func() int { cancel(); return <-code }
	lines := bufio.NewScanner(stdout)
	for lines.Scan() {
		s.banner += lines.Text() + "\n"
		if strings.HasPrefix(lines.Text(), "Ctrl-C") {
			return s
		}
	}
	cancel()
	require.FailNow(t, "standalone ended before it was ready", "exit code %d", <-code)
	return s
}

type runs struct {
	Items []struct {
		ID    int64  `json:"id"`
		State string `json:"state"`
	} `json:"items"`
}

func TestStandalone_FiresSamplesAndKeepsItsData(t *testing.T) {
	t.Parallel()
	dir := openDir(t)
	s := startStandalone(t, dir)
	password, err := os.ReadFile(filepath.Join(dir, "first-password"))
	require.NoError(t, err)
	require.Contains(t, s.banner, strings.TrimSpace(string(password)), "the first start shows the password")

	api := loggedIn(t, s.url, strings.TrimSpace(string(password)))
	require.Len(t, jobNames(t, api), builtSamples(t))
	var first runs
	require.Eventually(t, func() bool {
		err := api.call(t.Context(), http.MethodGet, "/runs?state=succeeded&limit=1", nil, &first)
		return err == nil && len(first.Items) == 1
	}, time.Minute, 50*time.Millisecond)
	require.Equal(t, exitOK, s.stop())

	s = startStandalone(t, dir)
	require.NotContains(t, s.banner, strings.TrimSpace(string(password)), "later starts do not")
	require.Contains(t, s.banner, "first-password")
	api = loggedIn(t, s.url, strings.TrimSpace(string(password)))
	require.Len(t, jobNames(t, api), builtSamples(t), "samples are made once")
	var again runs
	require.NoError(t, api.call(t.Context(), http.MethodGet, "/runs?limit=100", nil, &again))
	require.GreaterOrEqual(t, len(again.Items), len(first.Items), "the ledger is kept")
	require.Equal(t, exitOK, s.stop())
}

func TestStandalone_GivenPasswordAndNoSamples(t *testing.T) {
	t.Parallel()
	dir := openDir(t)
	s := startStandalone(t, dir, "--no-samples", "--admin-password=correct horse battery")
	require.NotContains(t, s.banner, "correct horse", "a given password is not repeated")
	require.NoFileExists(t, filepath.Join(dir, "first-password"))
	require.Empty(t, jobNames(t, loggedIn(t, s.url, "correct horse battery")))
	require.Equal(t, exitOK, s.stop())
}

func TestStandalone_TakenPort(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	dir := filepath.Join(t.TempDir(), "data")
	code, _, stderr := command(t, "standalone", "--data-dir="+dir, "--listen="+l.Addr().String())
	require.Equal(t, exitFailed, code)
	require.Contains(t, stderr, "GLUEWHEEL_LISTEN")
	require.NoDirExists(t, dir, "nothing was begun")
}

func loggedIn(t *testing.T, url, password string) *client {
	t.Helper()
	api, err := newClient(url)
	require.NoError(t, err)
	t.Cleanup(api.close)
	require.NoError(t, api.login(t.Context(), "admin", password))
	return api
}

func jobNames(t *testing.T, api *client) []string {
	t.Helper()
	var list struct {
		Items []struct {
			Name string `json:"name"`
		} `json:"items"`
	}
	require.NoError(t, api.call(t.Context(), http.MethodGet, "/jobs?limit=100", nil, &list))
	var names []string
	for _, j := range list.Items {
		names = append(names, j.Name)
	}
	return names
}

// builtSamples counts the samples that this binary can install: those in WebAssembly
// are there when make samples was run before.
func builtSamples(t *testing.T) int {
	t.Helper()
	n := 0
	for _, sample := range samples.Jobs() {
		if sample.Module != "" {
			module, err := sample.ReadModule()
			require.NoError(t, err)
			if module == nil {
				t.Logf("not built, left out: %s", sample.Name)
				continue
			}
		}
		n++
	}
	return n
}
