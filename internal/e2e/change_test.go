//go:build long

package e2e

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// change is what an edit made of a job, and when it was begun and complete by the
// database's clock. What is claimed from then on until the next begins is bound by it.
type change struct {
	job     int32
	began   time.Time
	at      time.Time
	rate    int   // seconds of the job's FIX_RATE from then on; 0 = stopped
	version int32 // of the job's code; 0 = it has none
}

// changer edits jobs and keeps what it did.
type changer struct {
	c       *cluster
	cl      *client
	changes []change
	present map[int32]change
}

// edit does one write to a job and notes what holds from then on.
func (ch *changer) edit(id int32, write func(now *change)) {
	now := ch.present[id]
	now.began = ch.c.clock()
	write(&now)
	now.job, now.at = id, ch.c.clock()
	ch.present[id] = now
	ch.changes = append(ch.changes, now)
}

func (ch *changer) stop(id int32) {
	ch.edit(id, func(now *change) {
		ch.cl.Stop(id)
		now.rate = 0
	})
	require.Empty(ch.c.t, ch.c.offenders(`job_id = $1 AND state = 1`, id), "planned runs of a stopped job")
}

func (ch *changer) start(id int32, rate int) {
	ch.edit(id, func(now *change) {
		ch.cl.Start(id)
		now.rate = rate
	})
}

func (ch *changer) reschedule(id int32, rate int) {
	ch.edit(id, func(now *change) {
		reschedule(ch.c.t, ch.cl, id, fmt.Sprint(rate))
		if now.rate != 0 {
			now.rate = rate
		}
	})
}

func (ch *changer) publish(id int32) {
	ch.edit(id, func(now *change) {
		now.version = ch.cl.publish(id, fmt.Sprintf("gw.log('version %d')", now.version+1), now.version)
	})
}

// TestPublishStopReschedule_UnderLoad edits and publishes jobs in a loop while they fire:
// no run of a cancelled fire starts, no fire is claimed that a replaced schedule planned,
// and every run that is claimed after a publish has the new code.
func TestPublishStopReschedule_UnderLoad(t *testing.T) {
	c := newCluster(t)
	a, b := c.startAdmin("admin-a"), c.startAdmin("admin-b")
	e1, e2 := c.startExecutor("executor-1", a, b), c.startExecutor("executor-2", a, b)
	cl := login(t, a.base(), password)
	ch := &changer{c: c, cl: cl, present: map[int32]change{}}
	group := cl.Group(appName)
	ids := startJobs(cl, group, 40, everySecond)
	for _, id := range ids {
		ch.present[id] = change{rate: 1}
	}
	live := make([]int32, 10)
	for i := range live {
		live[i] = cl.job(group, fmt.Sprintf("live %d", i), map[string]any{
			"glue_type": "GLUE_LUA", "handler": "", "schedule_type": "FIX_RATE", "schedule_conf": "1",
		}).ID
		ch.publish(live[i])
		ch.start(live[i], 1)
	}
	all := append(append([]int32(nil), ids...), live...)
	for deadline, i := time.Now().Add(40*time.Second), 0; time.Now().Before(deadline); i++ {
		id, rate := all[i%len(all)], 1+i%3
		if (i+i/len(all))%2 == 0 { // each job in turn: while it is stopped, while it fires
			ch.stop(id)
			ch.reschedule(id, rate)
			ch.start(id, rate)
		} else {
			ch.reschedule(id, rate)
		}
		ch.publish(live[i%len(live)])
	}
	c.stopAll(cl, all)
	started := starts(t, e1, e2)
	for _, id := range c.ids(`SELECT id FROM run WHERE state = 17`) {
		require.Zero(t, started[id], "run %d was cancelled and started", id)
	}
	requireOncePerRun(t, e1, e2)
	c.requireStates(10, 17)
	ch.requireBound()
}

// requireBound checks each run that was claimed after a change and before the next one of
// its job: none while it was stopped, at the instants of one schedule, of one version.
func (ch *changer) requireBound() {
	ch.c.t.Helper()
	next := map[int32]time.Time{} // job → when its next change began
	for i := len(ch.changes) - 1; i >= 0; i-- {
		now := ch.changes[i]
		until, ok := next[now.job]
		if !ok {
			until = now.at.Add(time.Hour)
		}
		next[now.job] = now.began
		const claimed = `job_id = $1 AND cause = 1 AND claimed_at > $2 AND claimed_at < $3`
		if now.rate == 0 {
			require.Empty(ch.c.t, ch.c.offenders(claimed, now.job, now.at, until), "claimed while the job was stopped: %+v", now)
		} else {
			require.Empty(ch.c.t, ch.c.offenders(claimed+` AND extract(epoch FROM fire_at)::bigint % $4 <>
				(SELECT extract(epoch FROM max(fire_at))::bigint % $4 FROM run WHERE `+claimed+`)`,
				now.job, now.at, until, now.rate), "at instants of an old schedule: %+v until %s", now, until)
		}
		if now.version != 0 {
			require.Empty(ch.c.t, ch.c.offenders(claimed+` AND glue_version <> $4`, now.job, now.at, until, now.version),
				"with another version than was published: %+v until %s", now, until)
		}
	}
}

// reschedule gives a job another FIX_RATE, keeping the rest.
func reschedule(t *testing.T, cl *client, id int32, conf string) {
	t.Helper()
	var j map[string]any
	cl.Must("GET", fmt.Sprintf("/jobs/%d", id), nil, &j)
	in := map[string]any{}
	for _, k := range []string{"group_id", "name", "author", "glue_type", "handler", "route_strategy", "block_strategy", "version"} {
		in[k] = j[k]
	}
	in["schedule_type"], in["schedule_conf"] = "FIX_RATE", conf
	status, body := cl.Call("PUT", fmt.Sprintf("/jobs/%d", id), in)
	require.Equal(t, 200, status, "%s", body)
}
