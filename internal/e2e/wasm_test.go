//go:build long

package e2e

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// buildModule builds testdata/hello for WASI.
func buildModule(t *testing.T, mark string) []byte {
	t.Helper()
	out := filepath.Join(t.TempDir(), "hello.wasm")
	cmd := exec.Command("go", "build", "-ldflags", "-X main.mark="+mark, "-o", out, "./testdata/hello")
	cmd.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm")
	b, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", b)
	module, err := os.ReadFile(out)
	require.NoError(t, err)
	return module
}

// upload stores a module and answers its digest.
func (c *client) upload(module []byte) string {
	c.t.Helper()
	status, body := c.uploadRaw(module)
	require.Equal(c.t, 2, status/100, "%s", body)
	return regexp.MustCompile(`sha256:[0-9a-f]{64}`).FindString(body)
}

func (c *client) uploadRaw(module []byte) (int, string) {
	c.t.Helper()
	req, err := http.NewRequest("POST", c.base+"/api/v1/artifacts", bytes.NewReader(module))
	require.NoError(c.t, err)
	req.Header.Set("Content-Type", "application/wasm")
	resp, err := c.http.Do(req)
	require.NoError(c.t, err)
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	require.NoError(c.t, err)
	return resp.StatusCode, string(b)
}

func (c *client) publishModule(id int32, digest string, base int32) int32 {
	c.t.Helper()
	var v struct {
		Number int32 `json:"number"`
	}
	c.must("POST", fmt.Sprintf("/jobs/%d/versions", id),
		map[string]any{"artifact": digest, "remark": "published by a test", "base_version": base}, &v)
	return v.Number
}

// TestWASM_UploadToFirstRun holds the time from an upload to the first run on an
// executor that has never seen the module, and from accept to start when it has.
func TestWASM_UploadToFirstRun(t *testing.T) {
	module := buildModule(t, "one")
	c := newCluster(t)
	a := c.startAdmin("admin")
	c.startExecutor("executor", a)
	cl := login(t, a.base(), password)
	j := cl.job(cl.group(appName), "wasm", map[string]any{"glue_type": "GLUE_WASM", "handler": "", "timeout_s": 20})

	began := time.Now()
	cl.publishModule(j.ID, cl.upload(module), 0)
	r := cl.ended(cl.trigger(j.ID, map[string]any{"param": "first"}), 15*time.Second)
	first := time.Since(began)
	require.Equal(t, "succeeded", r.State, r.Message)
	require.Contains(t, cl.log(r.ID), "hello from wasm one")

	began = time.Now()
	r = cl.ended(cl.trigger(j.ID, map[string]any{"param": "second"}), 15*time.Second)
	require.Equal(t, "succeeded", r.State, r.Message)
	t.Logf("%d bytes: upload to end of the first run %v, second run %v", len(module), first, time.Since(began))
	require.Less(t, first, 3*time.Second)
}

// TestWASM_PublishedWhileItRuns publishes two modules in turn while one job runs about
// twenty times a second: no run fails, and each says the text of the version in its row.
func TestWASM_PublishedWhileItRuns(t *testing.T) {
	modules := map[int32]string{}
	c := newCluster(t)
	a := c.startAdmin("admin")
	c.startExecutor("executor", a)
	cl := login(t, a.base(), password)
	j := cl.job(cl.group(appName), "wasm", map[string]any{"glue_type": "GLUE_WASM", "handler": "", "timeout_s": 20})
	digests := map[string]string{"one": cl.upload(buildModule(t, "one")), "two": cl.upload(buildModule(t, "two"))}
	version := cl.publishModule(j.ID, digests["one"], 0)
	modules[version] = "one"

	var runs []int64
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for i := range 200 {
		<-tick.C
		runs = append(runs, cl.trigger(j.ID, map[string]any{}))
		if i%40 == 39 {
			next := map[string]string{"one": "two", "two": "one"}[modules[version]]
			version = cl.publishModule(j.ID, digests[next], version)
			modules[version] = next
		}
	}
	eventually(t, 60*time.Second, func() bool { return c.count(`SELECT count(*) FROM run WHERE ended_at IS NULL`) == 0 }, "all runs end")
	c.requireStates(10)
	for _, id := range runs {
		r := cl.run(id)
		require.Contains(t, cl.log(id), "hello from wasm "+modules[r.GlueVersion], "run %d of version %d", id, r.GlueVersion)
	}
}

// TestWASM_MalformedIsRefused uploads what must never reach a compiler.
func TestWASM_MalformedIsRefused(t *testing.T) {
	c := newCluster(t)
	a := c.startAdmin("admin")
	cl := login(t, a.base(), password)
	for name, module := range map[string]string{
		"text":                    "(module)",
		"15 bytes, 4 G functions": "\x00asm\x01\x00\x00\x00\x03\x05\xff\xff\xff\xff\x0f",
		"neither ABI":             "\x00asm\x01\x00\x00\x00",
	} {
		status, body := cl.uploadRaw([]byte(module))
		require.Equal(t, 422, status, "%s: %s", name, body)
	}
	require.Zero(t, c.count(`SELECT count(*) FROM artifact`))
}
