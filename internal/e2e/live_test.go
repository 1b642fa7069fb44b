//go:build long

package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func (c *client) publish(id int32, source string, base int32) int32 {
	c.T.Helper()
	var v struct {
		Number int32 `json:"number"`
	}
	c.Must("POST", fmt.Sprintf("/jobs/%d/versions", id),
		map[string]any{"source": source, "remark": "published by a test", "base_version": base}, &v)
	return v.Number
}

func (c *client) log(run int64) string {
	c.T.Helper()
	var out struct {
		Content string `json:"content"`
	}
	c.Must("GET", fmt.Sprintf("/runs/%d/log?from_line=1", run), nil, &out)
	return out.Content
}

// TestLua_EditedWhileItFires publishes new Lua while a run of the old is in progress:
// that run ends as it began, the first fire claimed afterwards runs the new text.
func TestLua_EditedWhileItFires(t *testing.T) {
	c := newCluster(t)
	a := c.startAdmin("admin")
	c.startExecutor("executor", a)
	cl := login(t, a.base(), password)
	j := cl.job(cl.Group(appName), "lua", map[string]any{
		"glue_type": "GLUE_LUA", "handler": "", "schedule_type": "FIX_RATE", "schedule_conf": "1",
	})
	v1 := cl.publish(j.ID, `gw.sleep(1500) gw.log("text one")`, 0)
	cl.Start(j.ID)
	eventually(t, 15*time.Second, func() bool {
		return c.count(`SELECT count(*) FROM run WHERE job_id = $1 AND state IN (3, 10)`, j.ID) > 0
	}, "the first run starts")
	v2 := cl.publish(j.ID, `gw.log("text two")`, v1)
	published := c.clock()
	eventually(t, 20*time.Second, func() bool {
		return c.count(`SELECT count(*) FROM run WHERE job_id = $1 AND claimed_at > $2 AND state = 10`, j.ID, published) > 2
	}, "runs claimed after the publish end")
	c.stopAll(cl, []int32{j.ID})
	for _, r := range cl.Runs(fmt.Sprintf("state=succeeded&limit=100&job_id=%d", j.ID)) {
		want, version := "text one", v1
		if c.count(`SELECT count(*) FROM run WHERE id = $1 AND claimed_at > $2`, r.ID, published) == 1 {
			want, version = "text two", v2
		}
		require.Equal(t, version, r.GlueVersion, "run %d", r.ID)
		require.Contains(t, cl.log(r.ID), want, "run %d", r.ID)
	}
	c.requireStates(10, 17)
}

// TestLua_Bombs runs code that no in-process engine could stop, and polls the
// executor's /beat all the while.
func TestLua_Bombs(t *testing.T) {
	c := newCluster(t)
	a := c.startAdmin("admin")
	e := c.startExecutor("executor", a)
	cl := login(t, a.base(), password)
	group := cl.Group(appName)
	beat := pollBeat(t, e.addr)
	for name, source := range map[string]string{
		"endless loop": `while true do end`,
		"pattern bomb": `string.find(string.rep("a", 40), string.rep("a?", 40) .. string.rep("a", 40) .. "b")`,
		"8 GB string":  `local s = string.rep("x", 8 * 1024 * 1024 * 1024) gw.log(#s)`,
	} {
		t.Run(name, func(t *testing.T) {
			j := cl.job(group, name, map[string]any{"glue_type": "GLUE_LUA", "handler": "", "timeout_s": 2})
			cl.publish(j.ID, source, 0)
			requireBest(t, 3500*time.Millisecond, "the end of a bomb", func() time.Duration {
				began := time.Now()
				r := cl.ended(cl.Trigger(j.ID, map[string]any{}), 10*time.Second)
				require.Contains(t, []string{"timed_out", "failed"}, r.State, r.Message)
				return time.Since(began)
			})
		})
	}
	requireBeats(t, beat)
}

// requireBest wants that what is measured takes less than most. It may take three tries: a
// machine that does other things as well may stand still for longer.
func requireBest(t *testing.T, most time.Duration, what string, measure func() time.Duration) {
	t.Helper()
	best := measure()
	for try := 1; try < 3 && best >= most; try++ {
		t.Logf("%s: %v, tried again", what, best)
		best = min(best, measure())
	}
	t.Logf("%s: %v", what, best)
	require.Less(t, best, most, what)
}

// requireBeats wants that each /beat was answered within 500 ms. The machine itself may be
// late three times for each: with the client, the server, and the client again.
func requireBeats(t *testing.T, beat func() (slowest, late time.Duration)) {
	t.Helper()
	slowest, late := beat()
	t.Logf("the slowest /beat took %v; the machine itself was up to %v late", slowest, late)
	require.Less(t, slowest, 500*time.Millisecond+3*late, "slowest /beat")
}

// pollBeat asks /beat every 50 ms until the returned function is called, which answers
// the longest wait, and how late the machine woke this loop at worst.
func pollBeat(t *testing.T, addr string) func() (slowest, late time.Duration) {
	t.Helper()
	const pause = 50 * time.Millisecond
	stop := make(chan struct{})
	var wg sync.WaitGroup
	var slowest, late time.Duration
	wg.Go(func() {
		for {
			paused := time.Now()
			select {
			case <-stop:
				return
			case <-time.After(pause):
			}
			began := time.Now()
			late = max(late, began.Sub(paused)-pause)
			req, _ := http.NewRequest("POST", "http://"+addr+"/beat", strings.NewReader(""))
			req.Header.Set("XXL-JOB-ACCESS-TOKEN", token)
			resp, err := http.DefaultClient.Do(req)
			if err != nil {
				slowest = time.Hour
				return
			}
			resp.Body.Close()
			slowest = max(slowest, time.Since(began))
		}
	})
	return sync.OnceValues(func() (time.Duration, time.Duration) { close(stop); wg.Wait(); return slowest, late })
}

// TestExecutor_KilledWithQueue kills an executor that runs one trigger, has twenty
// waiting and results that the admin has not acknowledged.
func TestExecutor_KilledWithQueue(t *testing.T) {
	c := newCluster(t)
	a := c.startAdmin("admin")
	e := c.startExecutor("executor", a)
	cl := login(t, a.base(), password)
	j := cl.job(cl.Group(appName), "queued", map[string]any{"param": "700ms"})
	var runs []int64
	for range 21 {
		runs = append(runs, cl.Trigger(j.ID, map[string]any{}))
	}
	eventually(t, 10*time.Second, func() bool {
		return c.count(`SELECT count(*) FROM run WHERE state = 3`) >= 20
	}, "triggers are queued")
	e.kill9()
	e.restart()
	eventually(t, 15*time.Second+21*700*time.Millisecond, func() bool {
		return c.count(`SELECT count(*) FROM run WHERE ended_at IS NULL`) == 0
	}, "each run is explained")
	requireOncePerRun(t, e)
	require.LessOrEqual(t, c.count(`SELECT count(*) FROM run WHERE state = 14`), 1, "only the run in progress may be lost")
	require.Equal(t, len(runs), c.count(`SELECT count(*) FROM run WHERE state IN (10, 14)`))
}
