//go:build long

package e2e

import (
	"fmt"
	"math"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// every second is the burst that FIX_RATE and cron make: all jobs on the same instant.
var everySecond = map[string]any{"schedule_type": "FIX_RATE", "schedule_conf": "1"}

// startJobs makes and starts n jobs from fields and answers their ids.
func startJobs(c *client, group int32, n int, fields map[string]any) []int32 {
	ids := make([]int32, n)
	for i := range n {
		ids[i] = c.job(group, fmt.Sprintf("job %d", i), fields).ID
		c.Start(ids[i])
	}
	return ids
}

// stopAll stops jobs and waits until nothing is open.
func (c *cluster) stopAll(cl *client, ids []int32) {
	c.t.Helper()
	for _, id := range ids {
		cl.Stop(id)
	}
	eventually(c.t, 60*time.Second, func() bool {
		return c.count(`SELECT count(*) FROM run WHERE ended_at IS NULL`) == 0
	}, "every run has ended")
}

// requireLedger checks the promise: for each job, every second between the first and
// the last planned one has exactly one scheduled row.
func (c *cluster) requireLedger() {
	c.t.Helper()
	holes := c.strings(`
		SELECT format('job %s: %s rows for %s seconds from %s', job_id, count(*), 
		              extract(epoch FROM max(fire_at) - min(fire_at))::int + 1, min(fire_at))
		FROM run WHERE cause = 1 AND attempt = 0
		GROUP BY job_id
		HAVING count(*) <> extract(epoch FROM max(fire_at) - min(fire_at))::int + 1
		    OR count(DISTINCT fire_at) <> count(*)`)
	require.Empty(c.t, holes)
}

// requireStates fails when a run ended other than in the given states, and shows those.
func (c *cluster) requireStates(states ...int) {
	c.t.Helper()
	require.Empty(c.t, c.offenders(`NOT state = ANY($1)`, states))
}

// seconds is how long the loads last.
const seconds = 60

func TestTwoAdmins_EverySecondOnce(t *testing.T) {
	c := newCluster(t)
	a, b := c.startAdmin("admin-a"), c.startAdmin("admin-b")
	e1, e2 := c.startExecutor("executor-1", a, b), c.startExecutor("executor-2", b, a)
	cl := login(t, a.base(), password)
	ids := startJobs(cl, cl.Group(appName), 200, everySecond)
	time.Sleep(seconds * time.Second)
	c.stopAll(cl, ids)
	c.requireLedger()
	c.requireStates(10, 17)
	requireOncePerRun(t, e1, e2)
	require.GreaterOrEqual(t, c.count(`SELECT count(*) FROM run WHERE state = 10`), 200*(seconds-5))
}

func TestTwoAdmins_OneKilled(t *testing.T) {
	c := newCluster(t)
	a, b := c.startAdmin("admin-a"), c.startAdmin("admin-b")
	e1, e2 := c.startExecutor("executor-1", a, b), c.startExecutor("executor-2", b, a)
	cl := login(t, b.base(), password)
	ids := startJobs(cl, cl.Group(appName), 200, everySecond)
	time.Sleep(seconds / 2 * time.Second)
	killed := time.Now()
	machine := watchMachine(t)
	a.kill9()
	time.Sleep(seconds / 2 * time.Second)
	c.stopAll(cl, ids)
	c.requireLedger()
	c.requireStates(10, 17)
	requireOncePerRun(t, e1, e2)
	late := c.strings(`
		SELECT format('run %s of %s was claimed %s late', id, fire_at, claimed_at - due_at)
		FROM run WHERE claimed_at > due_at + $2::interval AND fire_at > $1::timestamptz - interval '10 s' LIMIT 5`,
		killed, 7*time.Second+machine.stalls())
	require.Empty(t, late)
}

func TestTwoAdmins_OneFrozen(t *testing.T) {
	c := newCluster(t)
	a, b := c.startAdmin("admin-a"), c.startAdmin("admin-b")
	e1, e2 := c.startExecutor("executor-1", a, b), c.startExecutor("executor-2", b, a)
	cl := login(t, b.base(), password)
	ids := startJobs(cl, cl.Group(appName), 200, everySecond)
	time.Sleep(seconds / 3 * time.Second)
	a.signal(syscall.SIGSTOP)
	time.Sleep(20 * time.Second)
	a.signal(syscall.SIGCONT)
	time.Sleep(seconds / 3 * time.Second)
	c.stopAll(cl, ids)
	c.requireLedger()
	c.requireStates(10, 17)
	requireOncePerRun(t, e1, e2)
}

// TestLoad_LatenessAndMemory holds the figures that are promised for 200 one-second
// jobs on two cores: p99 of the start lateness, in the best of three times of ten seconds,
// since the cores may have other work; and the admin's resident memory.
func TestLoad_LatenessAndMemory(t *testing.T) {
	c := newCluster(t)
	a := c.startAdmin("admin")
	e := c.startExecutor("executor", a)
	cl := login(t, a.base(), password)
	ids := startJobs(cl, cl.Group(appName), 200, everySecond)
	const times, each = 3, 10 * time.Second
	time.Sleep(each)
	machine := watchMachine(t)
	from := time.Now()
	time.Sleep(times * each)
	noise := machine.p99()
	rss := a.rssMiB()
	c.stopAll(cl, ids)
	best := time.Duration(math.MaxInt64)
	for i := range times {
		since := from.Add(time.Duration(i) * each)
		late := lateness(t, c, e, since, since.Add(each))
		p99 := late[len(late)*99/100]
		t.Logf("%d starts: lateness p50 %v ms, p99 %v ms, max %v ms", len(late), late[len(late)/2], p99, late[len(late)-1])
		best = min(best, time.Duration(p99)*time.Millisecond)
	}
	t.Logf("admin resident %d MiB", rss)
	require.Less(t, best, 50*time.Millisecond+noise, "p99 of the start lateness")
	require.Less(t, rss, 100, "MiB resident")
}
