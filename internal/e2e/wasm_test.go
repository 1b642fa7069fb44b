//go:build long

package e2e

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/internal/resttest"
	rt "github.com/gluewheel/gluewheel/runtime/runtimetest"
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
	c.T.Helper()
	status, body := c.uploadRaw(module)
	require.Equal(c.T, 2, status/100, "%s", body)
	return regexp.MustCompile(`sha256:[0-9a-f]{64}`).FindString(body)
}

func (c *client) uploadRaw(module []byte) (int, string) {
	c.T.Helper()
	status, body, err := c.Send("POST", "/artifacts", "application/wasm", bytes.NewReader(module))
	require.NoError(c.T, err)
	return status, string(body)
}

func (c *client) publishModule(id int32, digest string, base int32) int32 {
	c.T.Helper()
	var v struct {
		Number int32 `json:"number"`
	}
	c.Must("POST", fmt.Sprintf("/jobs/%d/versions", id),
		map[string]any{"artifact": digest, "remark": "published by a test", "base_version": base}, &v)
	return v.Number
}

// TestWASM_UploadToFirstRun holds the time from an upload to the end of the first run on
// an executor that has never seen the module, and the time from accept to start on one
// that has only its compiled code on disk.
func TestWASM_UploadToFirstRun(t *testing.T) {
	c := newCluster(t)
	a := c.startAdmin("admin")
	d := c.startDaemon("executor", a)
	cl := login(t, a.base(), password)
	j := cl.job(cl.Group(appName), "wasm", map[string]any{"glue_type": "GLUE_WASM", "handler": "", "timeout_s": 20})

	var version int32
	requireBest(t, 3*time.Second, "from the upload to the end of the first run", func() time.Duration {
		mark := fmt.Sprintf("first-%d", version) // a module that the executor has never seen
		module := buildModule(t, mark)
		t.Logf("%d bytes", len(module))
		began := time.Now()
		version = cl.publishModule(j.ID, cl.upload(module), version)
		r := cl.ended(cl.Trigger(j.ID, map[string]any{"param": "first"}), 15*time.Second)
		took := time.Since(began)
		require.Equal(t, "succeeded", r.State, r.Message)
		require.Contains(t, cl.log(r.ID), "hello from wasm "+mark)
		return took
	})
	requireBest(t, 200*time.Millisecond, "from accept to start with the compile cache alone", func() time.Duration {
		d.kill9() // with its warm workers
		d.restart()
		r := cl.ended(cl.Trigger(j.ID, map[string]any{"param": "second"}), 15*time.Second)
		require.Equal(t, "succeeded", r.State, r.Message)
		return c.acceptToStart(cl, r.ID)
	})
}

// acceptToStart is the time between the executor's acceptance of a run, by the ledger,
// and the first line of the module of testdata/hello.
func (c *cluster) acceptToStart(cl *client, run int64) time.Duration {
	c.t.Helper()
	match := regexp.MustCompile(`started at (\d+)`).FindStringSubmatch(cl.log(run))
	require.NotNil(c.t, match, "the log has the start")
	started, err := strconv.ParseInt(match[1], 10, 64)
	require.NoError(c.t, err)
	accepted := c.ids(`SELECT (extract(epoch FROM started_at) * 1000)::bigint FROM run WHERE id = $1`, run)
	return time.Duration(started-accepted[0]) * time.Millisecond
}

// TestWASM_PublishedWhileItRuns publishes two modules in turn while one job runs about
// twenty times a second: no run fails, and each says the text of the version in its row.
func TestWASM_PublishedWhileItRuns(t *testing.T) {
	modules := map[int32]string{}
	c := newCluster(t)
	a := c.startAdmin("admin")
	c.startExecutor("executor", a)
	cl := login(t, a.base(), password)
	j := cl.job(cl.Group(appName), "wasm", map[string]any{"glue_type": "GLUE_WASM", "handler": "", "timeout_s": 20})
	digests := map[string]string{"one": cl.upload(buildModule(t, "one")), "two": cl.upload(buildModule(t, "two"))}
	version := cl.publishModule(j.ID, digests["one"], 0)
	modules[version] = "one"

	var runs []int64
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for i := range 200 {
		<-tick.C
		runs = append(runs, cl.Trigger(j.ID, map[string]any{}))
		if i%40 == 39 {
			next := map[string]string{"one": "two", "two": "one"}[modules[version]]
			version = cl.publishModule(j.ID, digests[next], version)
			modules[version] = next
		}
	}
	eventually(t, 60*time.Second, func() bool { return c.count(`SELECT count(*) FROM run WHERE ended_at IS NULL`) == 0 }, "all runs end")
	c.requireStates(10)
	for _, id := range runs {
		r := cl.Run(id)
		require.Contains(t, cl.log(id), "hello from wasm "+modules[r.GlueVersion], "run %d of version %d", id, r.GlueVersion)
	}
}

// fifteenBytes are a module whose function section claims four thousand million entries.
const fifteenBytes = "\x00asm\x01\x00\x00\x00\x03\x05\xff\xff\xff\xff\x0f"

// TestWASM_MalformedIsRefused uploads what must never reach a compiler.
func TestWASM_MalformedIsRefused(t *testing.T) {
	c := newCluster(t)
	a := c.startAdmin("admin")
	cl := login(t, a.base(), password)
	for name, module := range map[string]string{
		"text":                    "(module)",
		"15 bytes, 4 G functions": fifteenBytes,
		"neither ABI":             "\x00asm\x01\x00\x00\x00",
	} {
		status, body := cl.uploadRaw([]byte(module))
		require.Equal(t, 422, status, "%s: %s", name, body)
	}
	require.Zero(t, c.count(`SELECT count(*) FROM artifact`))
}

// TestWASM_Bombs runs modules that only the end of their process can stop, on an
// executor as it is shipped. Each ends a second after its timeout at the latest; the
// executor answers all the while and keeps no memory of them.
func TestWASM_Bombs(t *testing.T) {
	const timeout, grace, kept = 2 * time.Second, time.Second, 20 // MiB
	c := newCluster(t)
	a := c.startAdmin("admin")
	d := c.startDaemon("executor", a)
	cl := login(t, a.base(), password)
	group := cl.Group(appName)
	publish := func(name string, module []byte) (run func() resttest.Run) {
		j := cl.job(group, name, map[string]any{"glue_type": "GLUE_WASM", "handler": "", "timeout_s": timeout.Seconds()})
		cl.publishModule(j.ID, cl.upload(module), 0)
		return func() resttest.Run { return cl.ended(cl.Trigger(j.ID, map[string]any{}), 15*time.Second) }
	}
	require.Equal(t, "succeeded", publish("warm-up", buildModule(t, "one"))().State)
	before := d.settledMiB()
	beat := pollBeat(t, d.addr)

	callTwice := rt.Func{Signature: rt.Signature{Params: []byte{rt.I32}}, Body: rt.Body(
		rt.LocalGet, 0, rt.If, rt.NoResult,
		rt.LocalGet, 0, rt.I32Const, 1, rt.I32Sub, rt.Call, 1,
		rt.LocalGet, 0, rt.I32Const, 1, rt.I32Sub, rt.Call, 1,
		rt.End)}
	for name, module := range map[string]rt.Module{
		"endless loop":            {Funcs: start(rt.Body(rt.Loop, rt.NoResult, rt.Br, 0, rt.End))},
		"recursion without loops": {Funcs: append(start(rt.Body(rt.I32Const, rt.Int(60), rt.Call, 1)), callTwice)},
		"table growth": {Tables: []uint32{1}, Funcs: start(rt.Body(
			rt.Loop, rt.NoResult, refNullFunc, rt.I32Const, rt.Int(1<<16), tableGrow, rt.Drop, rt.Br, 0, rt.End))},
	} {
		t.Run(name, func(t *testing.T) {
			run := publish(name, module.Encode())
			requireBest(t, timeout+grace, "the end of a bomb", func() time.Duration {
				r := run()
				require.Contains(t, []string{"timed_out", "failed"}, r.State, r.Message)
				took := c.ids(`SELECT (extract(epoch FROM ended_at - started_at) * 1000)::bigint FROM run WHERE id = $1`, r.ID)
				return time.Duration(took[0]) * time.Millisecond
			})
		})
	}
	status, body := cl.uploadRaw([]byte(fifteenBytes))
	require.Equal(t, 422, status, body)

	requireBeats(t, beat)
	after := before
	eventually(t, 20*time.Second, func() bool { after = d.settledMiB(); return after-before <= kept },
		"the executor has at most %d MiB more than the %d before", kept, before)
	t.Logf("resident: %d MiB before, %d MiB after", before, after)
}

// Instructions that only the table bomb has, with their operands.
var (
	refNullFunc = []byte{0xd0, 0x70}
	tableGrow   = []byte{0xfc, 0x0f, 0}
)

func start(body []byte) []rt.Func { return []rt.Func{{Export: "_start", Body: body}} }
