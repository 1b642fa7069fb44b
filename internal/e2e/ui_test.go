//go:build long

package e2e

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/admin/store/storetest"
)

const (
	webui = "../../webui"
	// browserTimeout bounds the whole suite, which takes some minutes on two cores.
	browserTimeout = 20 * time.Minute
)

// TestPage_InBrowser drives the page of a fresh standalone with its samples in headless
// Chromium: the suite of webui/e2e.
func TestPage_InBrowser(t *testing.T) {
	b := findBrowser(t)
	b.drive(t, startStandalone(t, storetest.URL(t)), "e2e")
}

// browser is what drives the page.
type browser struct {
	chromium, npm string
}

// findBrowser skips the test where there is none.
func findBrowser(t *testing.T) browser {
	t.Helper()
	b := browser{
		chromium: lookPath(os.Getenv("GW_CHROMIUM"), "chromium", "chromium-browser", "google-chrome-stable", "google-chrome"),
		npm:      lookPath("npm"),
	}
	if b.chromium == "" {
		t.Skip("NOT RUN: the page in a browser: there is no Chromium on this machine")
	}
	if b.npm == "" {
		t.Skip("NOT RUN: the page in a browser: there is no npm on this machine")
	}
	for _, built := range []string{"dist/index.html", "node_modules/.package-lock.json"} {
		require.FileExists(t, filepath.Join(webui, built), "make ui first")
	}
	return b
}

// drive runs a script of webui/package.json, which is a run of vitest, against the page.
func (b browser) drive(t *testing.T, url, script string, args ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), browserTimeout)
	defer cancel()
	report := filepath.Join(t.TempDir(), "report.json")
	args = append([]string{"run", "--silent", script, "--", "--reporter=default", "--reporter=json", "--outputFile.json=" + report}, args...)
	suite := exec.CommandContext(ctx, b.npm, args...)
	suite.Dir = webui
	suite.Env = append(os.Environ(), "GW_URL="+url, "GW_USER=admin", "GW_PASSWORD="+password, "GW_EXECUTOR_TOKEN="+token, "GW_CHROMIUM="+b.chromium, "NO_COLOR=1")
	suite.Stdout, suite.Stderr = t.Output(), t.Output()
	// The browser's processes are the suite's grandchildren.
	suite.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	suite.Cancel = func() error { return syscall.Kill(-suite.Process.Pid, syscall.SIGKILL) }
	suite.WaitDelay = 5 * time.Second
	err := suite.Run()
	tellVitest(t, report)
	assert.NoError(t, err)
}

// startStandalone starts everything in one process, on a database, and answers the page's
// address once jobs can fire.
func startStandalone(t *testing.T, dbURL string) (url string) {
	t.Helper()
	s := &admin{addr: freeAddr(t)}
	s.proc = startProc(t, "standalone", binary, []string{"standalone"}, []string{
		"GLUEWHEEL_DATA_DIR=" + t.TempDir(),
		"GLUEWHEEL_DATABASE_URL=" + dbURL,
		"GLUEWHEEL_LISTEN=" + s.addr,
		"GLUEWHEEL_EXECUTOR_LISTEN=" + freeAddr(t),
		"GLUEWHEEL_ADMIN_PASSWORD=" + password,
		"GLUEWHEEL_EXECUTOR_TOKEN=" + token,
	})
	eventually(t, time.Minute, s.ready, "standalone is ready")
	cl := login(t, s.base(), password)
	eventually(t, time.Minute, func() bool { return len(cl.Runs("state=succeeded&limit=1")) == 1 }, "the first sample has run")
	return s.base()
}

// lookPath is the first of the programs that is there, "" if none is.
func lookPath(programs ...string) string {
	for _, program := range programs {
		if path, err := exec.LookPath(program); err == nil {
			return path
		}
	}
	return ""
}
