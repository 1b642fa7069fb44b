//go:build long

package interop

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/admin/seal"
	"github.com/gluewheel/gluewheel/admin/store/storetest"
)

// adminProcess is the admin as people run it.
type adminProcess struct {
	*proc
	addr string
	env  []string
}

func startAdminProcess(t *testing.T) (*adminProcess, *rest) {
	t.Helper()
	a := &adminProcess{addr: fmt.Sprintf("127.0.0.1:%d", freePort(t))}
	a.env = []string{
		"GLUEWHEEL_LISTEN=" + a.addr, "GLUEWHEEL_DATABASE_URL=" + storetest.URL(t),
		"GLUEWHEEL_EXECUTOR_TOKEN=" + token, "GLUEWHEEL_ADMIN_PASSWORD=" + password, "GLUEWHEEL_SEAL_KEY=" + seal.NewKey(),
	}
	a.start(t)
	return a, login(t, a.addr)
}

// start runs the process, again after its end, and waits until it can fire jobs.
func (a *adminProcess) start(t *testing.T) {
	t.Helper()
	a.proc = start(t, "admin", a.env, binary(), "admin")
	eventually(t, 40*time.Second, func() bool { return ready(a.addr) }, "the admin is ready")
}

// TestJava_ADayOfEveryVersion lives a day with the unmodified executor of each version:
// registration, runs, logs, live code, kill, timeout, retries, children, removal. Our own
// executor is in the same group and works beside it all day. The Java executor has the
// group's token, ours the global one.
func TestJava_ADayOfEveryVersion(t *testing.T) {
	admin, all := startAdminProcess(t)
	for _, b := range builds {
		t.Run(b.version, func(t *testing.T) {
			b.require(t)
			c := all.on(t)
			app := "java-" + strings.ReplaceAll(b.version, ".", "-")
			d := &day{rest: c, group: c.Group(app)}
			first, last := twoPorts(t)
			e := startJavaWith(t, c, b, admin.addr, app, d.group, first, c.groupToken(d.group))
			ours := startOwn(t, c, admin.addr, app, d.group, last, token)
			beside := d.beside(ours)
			for _, part := range []struct {
				name string
				run  func(*day, *testing.T)
			}{
				{"parameter", (*day).parameter},
				{"rolling log", (*day).rollingLog},
				{"shell", (*day).shell},
				{"groovy", (*day).groovy},
				{"broken groovy", (*day).brokenGroovy},
				{"kill", (*day).kill},
				{"timeout", (*day).timeout},
				{"retry", (*day).retry},
				{"children", (*day).children},
				{"block strategies", (*day).blocks},
				{"unknown handler", (*day).unknownHandler},
				{"schedule", (*day).schedule},
				{"broadcast", (*day).broadcast},
			} {
				t.Run(part.name, func(t *testing.T) { part.run(&day{rest: c.on(t), group: d.group}, t) })
			}
			d.end(beside, ours)
			d.stop(e)
		})
	}
}

// day is one group's.
type day struct {
	*rest
	group int32
}

// job makes a job that runs at the group's first address, the Java executor's, unless
// fields say otherwise.
func (d *day) job(group int32, name string, fields map[string]any) int32 {
	d.T.Helper()
	all := map[string]any{"route_strategy": "FIRST"}
	maps.Copy(all, fields)
	return d.rest.job(group, name, all)
}

// beside gives our executor something to do each second.
func (d *day) beside(ours *ownExecutor) int32 {
	d.T.Helper()
	j := d.job(d.group, "beside", map[string]any{
		"glue_type": "GLUE_LUA", "handler": "", "route_strategy": "LAST", "schedule_type": "FIX_RATE", "schedule_conf": "1",
	})
	d.Publish(j, "print('beside')", 0)
	require.Equal(d.T, ours.url, d.succeeds(j, map[string]any{}).Address)
	d.Start(j)
	return j
}

// end stops what our executor did all day, and our executor.
func (d *day) end(beside int32, ours *ownExecutor) {
	d.T.Helper()
	d.Stop(beside)
	var runs []run
	eventually(d.T, 10*time.Second, func() bool {
		runs = d.runs(beside)
		return !slices.ContainsFunc(runs, func(r run) bool { return !r.Ended() })
	}, "all runs beside end")
	require.Greater(d.T, len(runs), 10)
	for _, r := range runs {
		require.Contains(d.T, []string{"succeeded", "cancelled"}, r.State, r.Message)
		require.Contains(d.T, []string{"", ours.url}, r.Address)
	}
	ours.proc.end(syscall.SIGTERM)
	eventually(d.T, 10*time.Second, func() bool { return registered(d.rest, d.group, ours.url) == nil }, "our stopped executor is gone")
}

// broadcast goes to the Java executor and to ours.
func (d *day) broadcast(t *testing.T) {
	j := d.job(d.group, "broadcast", map[string]any{"glue_type": "GLUE_SHELL", "handler": "", "route_strategy": "SHARDING_BROADCAST", "param": "x"})
	d.Publish(j, "echo \"shard $2 of $3\"\n", 0)
	d.Trigger(j, map[string]any{})
	shards := (&mixed{day: *d}).shardsOf(j, 2)
	for i, r := range shards {
		require.Equal(t, "succeeded", r.State, r.Message)
		require.Contains(t, d.log(r.ID, 1).Content, fmt.Sprintf("shard %d of 2", i))
	}
	require.NotEqual(t, shards[0].Address, shards[1].Address)
}

// runs a job once and wants its success.
func (d *day) succeeds(job int32, fields map[string]any) run {
	d.T.Helper()
	return d.reaches(d.Trigger(job, fields), "succeeded", 15*time.Second)
}

func (d *day) parameter(t *testing.T) {
	j := d.job(d.group, "echo", map[string]any{"handler": "echoJobHandler", "param": "the job's"})
	require.Equal(t, "echo the job's", d.reaches(d.routed(j), "succeeded", 15*time.Second).Message)
	const param = `größe <b>&amp; "'\\ ` + "\u4efb\u52a1\n\tline two"
	r := d.succeeds(j, map[string]any{"param": param})
	require.Equal(t, "echo "+param, r.Message)
	require.Equal(t, 200, r.Code)
	require.Contains(t, d.log(r.ID, 1).Content, "param="+param+" shard=0/1")
}

func (d *day) rollingLog(t *testing.T) {
	j := d.job(d.group, "count", map[string]any{"handler": "countJobHandler", "param": "4"})
	id := d.running(j, map[string]any{})
	var text string
	var grew int
	next, end := 1, false
	eventually(t, 20*time.Second, func() bool {
		open := !d.Run(id).Ended()
		p := d.log(id, next)
		require.Equal(t, next, p.FromLine, "%+v", p)
		if p.ToLine >= next {
			text, next = text+p.Content, p.ToLine+1
			if open {
				grew++
			}
		}
		end = p.End
		return end
	}, "the log ends")
	for n := 1; n <= 4; n++ {
		require.Equal(t, 1, strings.Count(text, fmt.Sprintf("second %d of 4", n)), "%s", text)
	}
	require.Greater(t, grew, 1, "the log came while the job ran: %s", text)
	require.Equal(t, "succeeded", d.Run(id).State)
}

func (d *day) shell(t *testing.T) {
	j := d.job(d.group, "shell", map[string]any{"glue_type": "GLUE_SHELL", "handler": "", "param": "a b"})
	d.Publish(j, "echo \"text one, $# arguments: $1, shard $2 of $3\"\n", 0)
	r := d.succeeds(j, map[string]any{})
	require.Contains(t, d.log(r.ID, 1).Content, "text one, 3 arguments: a b, shard 0 of 1")
	d.Publish(j, "echo text two\r\necho failing >&2\nexit 3\n", 1)
	r = d.ended(d.Trigger(j, map[string]any{}), 15*time.Second)
	require.Equal(t, "failed script exit value(3) is failed", r.State+" "+r.Message)
	require.Contains(t, d.log(r.ID, 1).Content, "text two")
	require.Contains(t, d.log(r.ID, 1).Content, "failing")
}

const handler = `package sample.live

import com.xxl.job.core.context.XxlJobHelper
import com.xxl.job.core.handler.IJobHandler

class Live extends IJobHandler {
    void execute() throws Exception {
        XxlJobHelper.log("%[1]s")
        XxlJobHelper.handleSuccess("%[1]s " + XxlJobHelper.getJobParam())
    }
}
`

func (d *day) groovy(t *testing.T) {
	j := d.job(d.group, "groovy", map[string]any{"glue_type": "GLUE_GROOVY", "handler": "", "param": "p"})
	for i, text := range []string{"text one", "text two"} {
		d.Publish(j, fmt.Sprintf(handler, text), i)
		for range 2 {
			r := d.succeeds(j, map[string]any{})
			require.Equal(t, text+" p", r.Message)
			require.Contains(t, d.log(r.ID, 1).Content, text)
		}
	}
}

func (d *day) brokenGroovy(t *testing.T) {
	j := d.job(d.group, "broken", map[string]any{"glue_type": "GLUE_GROOVY", "handler": ""})
	d.Publish(j, "class Broken {", 0)
	r := d.ended(d.Trigger(j, map[string]any{}), 15*time.Second)
	require.Equal(t, "failed", r.State)
	require.Contains(t, r.Message, "startup failed", "the compiler's words")
}

// running triggers the job and waits until its code has written a line.
func (d *day) running(job int32, fields map[string]any) int64 {
	d.T.Helper()
	id := d.Trigger(job, fields)
	d.reaches(id, "running", 10*time.Second)
	eventually(d.T, 10*time.Second, func() bool { return strings.Contains(d.log(id, 1).Content, "second 1 of") }, "run %d counts", id)
	return id
}

func (d *day) kill(t *testing.T) {
	j := d.job(d.group, "killed", map[string]any{"handler": "countJobHandler", "param": "60", "retry_count": 3})
	id := d.running(j, map[string]any{})
	behind := d.Trigger(j, map[string]any{})
	d.reaches(behind, "running", 10*time.Second)
	d.Must("POST", fmt.Sprintf("/runs/%d/kill", id), map[string]any{}, nil)
	require.Equal(t, "killed", d.ended(id, 10*time.Second).State)
	r := d.ended(behind, 10*time.Second)
	require.Equal(t, "killed", r.State, "XXL-JOB's executors drop what waits behind: %s", r.Message)
	require.Len(t, d.runs(j), 2, "a kill is not retried")
	_, answer := d.Call("POST", fmt.Sprintf("/runs/%d/kill", id), map[string]any{})
	require.Contains(t, string(answer), "ended", "there is nothing left to kill")
}

func (d *day) timeout(t *testing.T) {
	j := d.job(d.group, "timeout", map[string]any{"handler": "countJobHandler", "param": "60", "timeout_s": 1})
	r := d.ended(d.Trigger(j, map[string]any{}), 15*time.Second)
	require.Equal(t, "timed_out 502 job execute timeout ", fmt.Sprintf("%s %d %s", r.State, r.Code, r.Message))
}

func (d *day) retry(t *testing.T) {
	j := d.job(d.group, "flaky", map[string]any{"handler": "flakyJobHandler", "param": "2 x", "retry_count": 3})
	d.Trigger(j, map[string]any{})
	var runs []run
	eventually(t, 20*time.Second, func() bool {
		runs = d.runs(j)
		return slices.ContainsFunc(runs, func(r run) bool { return r.State == "succeeded" })
	}, "an attempt succeeds")
	require.Len(t, runs, 3)
	slices.SortFunc(runs, func(a, b run) int { return a.Attempt - b.Attempt })
	for i, want := range []string{"failed", "failed", "succeeded"} {
		require.Equal(t, want, runs[i].State)
		require.Equal(t, i, runs[i].Attempt)
	}
	require.Contains(t, runs[0].Message, "IllegalStateException: attempt 1 fails <on purpose> & 'loudly'")
	require.Equal(t, "attempt 3 succeeds", runs[2].Message)
}

func (d *day) children(t *testing.T) {
	child := d.job(d.group, "child", map[string]any{"handler": "echoJobHandler", "param": "child"})
	parent := d.job(d.group, "parent", map[string]any{"handler": "echoJobHandler", "child_job_ids": []int32{child}})
	d.succeeds(parent, map[string]any{})
	eventually(t, 10*time.Second, func() bool {
		runs := d.runs(child)
		return len(runs) == 1 && runs[0].State == "succeeded"
	}, "the child has run")
	require.Equal(t, "echo child", d.runs(child)[0].Message)
}

func (d *day) blocks(t *testing.T) {
	j := d.job(d.group, "discards", map[string]any{"handler": "countJobHandler", "param": "3", "block_strategy": "DISCARD_LATER"})
	first := d.running(j, map[string]any{})
	r := d.ended(d.Trigger(j, map[string]any{}), 10*time.Second)
	require.Equal(t, "discarded block strategy effect：Discard Later", r.State+" "+r.Message)
	require.Equal(t, "succeeded", d.ended(first, 15*time.Second).State)

	j = d.job(d.group, "covers", map[string]any{"handler": "countJobHandler", "param": "60", "block_strategy": "COVER_EARLY"})
	first = d.running(j, map[string]any{})
	second := d.Trigger(j, map[string]any{"param": "1"})
	r = d.ended(first, 10*time.Second)
	require.Equal(t, "killed cover_early", r.State+" "+r.Reason)
	require.Equal(t, "succeeded", d.ended(second, 10*time.Second).State)
}

func (d *day) unknownHandler(t *testing.T) {
	j := d.job(d.group, "nowhere", map[string]any{"handler": "nowhereJobHandler"})
	r := d.ended(d.Trigger(j, map[string]any{}), 10*time.Second)
	require.Equal(t, "failed job handler [nowhereJobHandler] not found.", r.State+" "+r.Message)
}

// schedule lets a Quartz expression fire each second for a while.
func (d *day) schedule(t *testing.T) {
	j := d.job(d.group, "each second", map[string]any{"handler": "echoJobHandler", "schedule_type": "CRON", "schedule_conf": "* * * * * ?"})
	d.Start(j)
	eventually(t, 20*time.Second, func() bool {
		return len(slices.DeleteFunc(d.runs(j), func(r run) bool { return r.State != "succeeded" })) >= 3
	}, "it fires")
	d.Stop(j)
	var runs []run
	eventually(t, 10*time.Second, func() bool {
		runs = d.runs(j)
		return !slices.ContainsFunc(runs, func(r run) bool { return !r.Ended() })
	}, "all runs end")
	instants := map[time.Time]bool{}
	for _, r := range runs {
		require.Contains(t, []string{"succeeded", "cancelled"}, r.State, r.Message)
		require.False(t, instants[r.FireAt], "one run an instant")
		instants[r.FireAt] = true
	}
}

// stop ends the executor as its operator does: it reports the run that it cuts short and
// leaves the registry.
func (d *day) stop(e *javaExecutor) {
	d.T.Helper()
	j := d.job(d.group, "cut short", map[string]any{"handler": "countJobHandler", "param": "60"})
	id := d.running(j, map[string]any{})
	e.end(syscall.SIGTERM)
	eventually(d.T, 10*time.Second, func() bool { return registered(d.rest, d.group, e.url) == nil }, "the stopped executor is gone")
	r := d.ended(id, 10*time.Second)
	require.Equal(d.T, "killed executor_stopped", r.State+" "+r.Reason, r.Message)
	r = d.ended(d.Trigger(j, map[string]any{}), 30*time.Second)
	require.Equal(d.T, "failed no_executor", r.State+" "+r.Reason)
}
