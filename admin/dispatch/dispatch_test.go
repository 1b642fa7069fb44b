package dispatch

import (
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/admin/job"
	"github.com/gluewheel/gluewheel/admin/store/storetest"
	"github.com/gluewheel/gluewheel/executor/protocol"
	"github.com/gluewheel/gluewheel/glue"
)

func TestDispatch_SendsARunWithWhatItNeeds(t *testing.T) {
	t.Parallel()
	b := setup(t)
	j := b.job(t, func(j *job.Job) { j.GlueType, j.Handler, j.TimeoutS = glue.Lua, "", 7 })
	b.exec(t, `INSERT INTO glue_version (job_id, number, glue_type, source, digest, manifest, remark, author)
		VALUES ($1, 1, 'GLUE_LUA', 'return 1', 'sha256:x', '{"hosts":["h"]}', 'first', 'a')`, j.ID)
	b.exec(t, `UPDATE job SET glue_version = 1 WHERE id = $1`, j.ID)
	own := ""
	f := b.trigger(t, j, func(r *job.TriggerRequest) { r.Param = &own })
	run(t, b.Dispatcher)

	b.Dispatch([]job.Fire{f})
	eventually(t, "accepted", func() bool { return b.ends.has(f.RunID) })
	tr := b.peer.trigger(f.RunID)
	require.NotZero(t, tr.GlueUpdateMS)
	tr.GlueUpdateMS = 0
	require.Equal(t, protocol.Trigger{
		JobID: protocol.Int(j.ID), ExecutorParams: "", BlockStrategy: protocol.BlockSerial, TimeoutS: 7,
		LogID: protocol.Int(f.RunID), LogDateTimeMS: protocol.Int(f.FireAt.UnixMilli()),
		GlueType: "GLUE_LUA", GlueSource: "return 1", BroadcastIndex: 0, BroadcastTotal: 1,
		Gluewheel: &protocol.TriggerX{Epoch: 1, Version: 1, Digest: "sha256:x", Manifest: []byte(`{"hosts":["h"]}`)},
	}, tr)
	require.Equal(t, row{State: job.Dispatching, Address: oursAt, Owner: 1, Epoch: 1}, b.row(t, f.RunID))
}

func TestDispatch_TellsForeignExecutorsNothingOfOurs(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.hosts.set(foreignAt)
	f := b.trigger(t, b.job(t))
	run(t, b.Dispatcher)
	b.Dispatch([]job.Fire{f})
	eventually(t, "accepted", func() bool { return b.ends.has(f.RunID) })
	require.Nil(t, b.peer.trigger(f.RunID).Gluewheel)
	require.Equal(t, "p", b.peer.trigger(f.RunID).ExecutorParams)
}

func TestDispatch_WaitsForTheInstant(t *testing.T) {
	t.Parallel()
	b := setup(t)
	j := b.job(t)
	tomorrow, early, now := b.trigger(t, j), b.trigger(t, j), b.trigger(t, j)
	for fire, after := range map[*job.Fire]time.Duration{&tomorrow: 24 * time.Hour, &early: time.Second} {
		fire.DueAt = time.Now().Add(after)
		b.exec(t, `UPDATE run SET due_at = $2 WHERE id = $1`, fire.RunID, fire.DueAt)
	}
	run(t, b.Dispatcher)

	b.Dispatch([]job.Fire{tomorrow, early, now})
	eventually(t, "the one that is due", func() bool { return b.ends.has(now.RunID) })
	eventually(t, "the one that soon is", func() bool { return b.ends.has(early.RunID) })
	require.Equal(t, job.Dispatching, b.row(t, tomorrow.RunID).State, "claimed ahead")
	require.Zero(t, b.peer.count(tomorrow.RunID))
	require.False(t, b.peer.at[early.RunID].Before(early.DueAt), "not before its instant")
}

func TestDispatch_OneRequestForManyRunsOfOurs(t *testing.T) {
	t.Parallel()
	b := setup(t, func(c *Config) { c.FastWorkers = 1 })
	j := b.job(t)
	fires := make([]job.Fire, 50)
	for i := range fires {
		fires[i] = b.trigger(t, j)
	}
	due := time.Now().Add(time.Second)
	for i := range fires {
		fires[i].DueAt = due
	}
	b.exec(t, `UPDATE run SET due_at = $1`, due)
	run(t, b.Dispatcher)
	b.Dispatch(fires)
	eventually(t, "all", func() bool {
		return !slices.ContainsFunc(fires, func(f job.Fire) bool { return !b.ends.has(f.RunID) })
	})
	require.Equal(t, []int{50}, b.peer.batch)
}

func TestDispatch_EndsWhatHasNowhereToGo(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, reason string
		hosts        []string
		router       error
		edit         func(*job.Job)
	}{
		{"no executor", job.ReasonNoExecutor, nil, nil, func(*job.Job) {}},
		{"no executor for a broadcast", job.ReasonNoExecutor, nil, nil, func(j *job.Job) { j.RouteStrategy = job.RouteBroadcast }},
		{"no usable executor", job.ReasonRouteFailed, []string{oursAt}, errors.New("all are busy"), func(j *job.Job) { j.RouteStrategy = job.RouteFailover }},
		{"no code", job.ReasonBadVersion, []string{oursAt}, nil, func(j *job.Job) { j.GlueType = glue.Lua }},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, func(cfg *Config) { cfg.Router, cfg.ExecutorGrace = first{c.router}, time.Millisecond })
			b.hosts.set(c.hosts...)
			f := b.trigger(t, b.job(t, c.edit))
			run(t, b.Dispatcher)
			b.Dispatch([]job.Fire{f})
			var e job.Ending
			eventually(t, "end", func() (ok bool) { e, ok = b.ends.end(f.RunID); return ok })
			require.Equal(t, job.Failed, e.State)
			require.Equal(t, c.reason, e.Reason)
			require.NotEmpty(t, e.Message)
			require.Equal(t, int32(1), e.Epoch)
			require.Zero(t, b.peer.count(f.RunID))
		})
	}
}

func TestDispatch_ExpandsABroadcast(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.hosts.set(foreignAt, oursAt)
	f := b.trigger(t, b.job(t, func(j *job.Job) { j.RouteStrategy = job.RouteBroadcast }))
	run(t, b.Dispatcher)
	b.Dispatch([]job.Fire{f})
	eventually(t, "both shards", func() bool { b.ends.mu.Lock(); defer b.ends.mu.Unlock(); return len(b.ends.accepted) == 2 })
	require.Equal(t, job.ReasonExpanded, b.row(t, f.RunID).Reason)
	b.peer.mu.Lock()
	defer b.peer.mu.Unlock()
	for id, tr := range b.peer.last {
		r := b.row(t, id)
		want := map[string]protocol.Int{foreignAt: 0, oursAt: 1}[r.Address]
		require.Equal(t, want, tr.BroadcastIndex)
		require.Equal(t, protocol.Int(2), tr.BroadcastTotal)
	}
}

func TestDispatch_RetriedShardGoesToItsIndex(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.hosts.set(oursAt, foreignAt)
	j := b.job(t, func(j *job.Job) { j.RouteStrategy = job.RouteBroadcast })
	for shard, address := range map[int32]string{1: foreignAt, 5: oursAt} {
		f := b.trigger(t, j)
		f.Shard = shard
		b.exec(t, `UPDATE run SET shard = $2, shard_total = 6, attempt = 1, cause = 4 WHERE id = $1`, f.RunID, shard)
		d := b.another(t, shard+10)
		run(t, d)
		d.Dispatch([]job.Fire{f})
		eventually(t, "accepted", func() bool { return b.ends.has(f.RunID) })
		require.Equal(t, address, b.row(t, f.RunID).Address)
		require.Equal(t, protocol.Int(shard), b.peer.trigger(f.RunID).BroadcastIndex)
	}
}

// What was published, edited or entered since the job was cached binds the claim.
func TestDispatch_RoutesAgainWhenTheJobChanged(t *testing.T) {
	t.Parallel()
	b := setup(t)
	j := b.job(t)
	before := b.trigger(t, j)
	run(t, b.Dispatcher)
	b.Dispatch([]job.Fire{before})
	eventually(t, "the job is cached", func() bool { return b.ends.has(before.RunID) })

	j.Param = "edited"
	_, err := b.store.UpdateJob(t.Context(), j, nil)
	require.NoError(t, err)
	after := b.trigger(t, j)
	b.Dispatch([]job.Fire{after})
	eventually(t, "claimed with the new version", func() bool { return b.ends.has(after.RunID) })
	require.Equal(t, "edited", b.peer.trigger(after.RunID).ExecutorParams)

	entered := b.trigger(t, j, func(r *job.TriggerRequest) { r.Addresses = []string{foreignAt} })
	b.Dispatch([]job.Fire{entered})
	eventually(t, "sent to the address that was entered", func() bool { return b.ends.has(entered.RunID) })
	require.Equal(t, foreignAt, b.row(t, entered.RunID).Address)
}

func TestDispatch_OneOfTwoAdminsSends(t *testing.T) {
	t.Parallel()
	b := setup(t)
	other := b.another(t, 2)
	j := b.job(t)
	fires := make([]job.Fire, 100)
	for i := range fires {
		fires[i] = b.trigger(t, j)
	}
	run(t, b.Dispatcher)
	run(t, other)
	var wg sync.WaitGroup
	for range 3 { // and each is offered several times
		wg.Go(func() { b.Dispatch(fires) })
		wg.Go(func() { other.Dispatch(fires) })
	}
	wg.Wait()
	eventually(t, "all", func() bool {
		return !slices.ContainsFunc(fires, func(f job.Fire) bool { return !b.ends.has(f.RunID) })
	})
	for _, f := range fires {
		require.Equal(t, 1, b.peer.count(f.RunID))
	}
}

func TestDispatch_HandsOnWhatExecutorsRefuse(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.peer.answer = func(string, int64, int) job.Outcome {
		return job.Outcome{Verdict: job.Refused, Code: 500, Text: protocol.MsgDiscardLater}
	}
	f := b.trigger(t, b.job(t))
	run(t, b.Dispatcher)
	b.Dispatch([]job.Fire{f})
	var e job.Ending
	eventually(t, "end", func() (ok bool) { e, ok = b.ends.end(f.RunID); return ok })
	require.Equal(t, job.Discarded, e.State)
	require.Equal(t, int32(500), e.Code)
}

func TestDispatch_AnUnreachableExecutorFailsTheRun(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.peer.answer = func(string, int64, int) job.Outcome { return unreachable }
	f := b.trigger(t, b.job(t))
	run(t, b.Dispatcher)
	b.Dispatch([]job.Fire{f})
	var e job.Ending
	eventually(t, "end", func() (ok bool) { e, ok = b.ends.end(f.RunID); return ok })
	require.Equal(t, job.ReasonUnreachable, e.Reason)
	require.Equal(t, 1, b.peer.count(f.RunID))
}

func TestDispatch_AStoppingExecutorGivesTheRunBack(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.peer.answer = func(string, int64, int) job.Outcome {
		return job.Outcome{Verdict: job.Refused, Code: 500, Text: protocol.MsgStopping}
	}
	f := b.trigger(t, b.job(t))
	run(t, b.Dispatcher)
	b.Dispatch([]job.Fire{f})
	eventually(t, "planned again", func() bool { return b.row(t, f.RunID).State == job.Planned && b.row(t, f.RunID).Epoch == 1 })
}

// A process that slept through its lease sends nothing.
func TestDispatch_SendsNothingWithoutALease(t *testing.T) {
	t.Parallel()
	b := setup(t)
	f := b.trigger(t, b.job(t))
	e := &entry{Claimed: job.Claimed{RunID: f.RunID, Address: oursAt}, job: &job.Job{}, lease: time.Now().Add(protocol.CallTimeout - time.Millisecond)}
	b.held.add([]*entry{e})
	require.Equal(t, tooLate, b.held.leaveToSend(e, time.Now(), protocol.CallTimeout))
	b.send(t.Context(), []*entry{e})
	require.Zero(t, b.peer.count(f.RunID))
	require.Zero(t, b.held.unsent())
}

func TestDispatch_RenewsWhatWaitsInAFullPool(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	b := setup(t, func(c *Config) {
		c.FastWorkers, c.SlowWorkers, c.Lease, c.SendTimeout = 1, 1, 6*time.Second, 500*time.Millisecond
	})
	b.hosts.set(foreignAt)
	j := b.job(t)
	hanging, waiting := b.trigger(t, j), b.trigger(t, j)
	b.peer.answer = func(_ string, id int64, _ int) job.Outcome {
		if id == hanging.RunID {
			<-release
		}
		return accepted
	}
	run(t, b.Dispatcher)
	b.Dispatch([]job.Fire{hanging})
	eventually(t, "the only worker hangs", func() bool { return b.peer.count(hanging.RunID) == 1 })
	b.Dispatch([]job.Fire{waiting})
	eventually(t, "the other was renewed", func() bool {
		var yes bool
		err := b.sql.QueryRow(t.Context(), `SELECT lease_until > claimed_at + interval '7 s' FROM run WHERE id = $1`, waiting.RunID).Scan(&yes)
		return err == nil && yes
	})
	require.Equal(t, 1, b.held.unsent(), "it waits, and takes room in the inbox")
	close(release)
	eventually(t, "and is sent", func() bool { return b.ends.has(waiting.RunID) })
}

func TestRun_GivesBackWhatItDidNotSend(t *testing.T) {
	t.Parallel()
	b := setup(t)
	f := b.trigger(t, b.job(t))
	b.exec(t, `UPDATE run SET due_at = due_at + interval '1 h'`)
	stop := run(t, b.Dispatcher)
	b.Dispatch([]job.Fire{f})
	eventually(t, "claimed", func() bool { return b.row(t, f.RunID).State == job.Dispatching })
	stop()
	require.Equal(t, job.Planned, b.row(t, f.RunID).State)
	require.Zero(t, b.peer.count(f.RunID))
}

func TestDispatch_TakesNoMoreThanItsCapacity(t *testing.T) {
	t.Parallel()
	b := setup(t, func(c *Config) { c.Capacity = 3 })
	require.Equal(t, 3, b.Free())
	b.Dispatch(make([]job.Fire, 5))
	require.Zero(t, b.Free())
}

// With the database away the inbox keeps what it has.
func TestDispatch_GoesOnWhenTheDatabaseIsBack(t *testing.T) {
	t.Parallel()
	flaky := &flakyStore{}
	b := setup(t)
	flaky.Store = storetest.Open(t, b.url)
	d := b.another(t, 3, func(c *Config) { c.Store = flaky })
	f := b.trigger(t, b.job(t))
	flaky.away.Store(true)
	run(t, d)
	d.Dispatch([]job.Fire{f})
	eventually(t, "tried", func() bool { return flaky.tries.Load() >= 2 })
	require.Less(t, d.Free(), d.cfg.Capacity)
	flaky.away.Store(false)
	eventually(t, "accepted", func() bool { return b.ends.has(f.RunID) })
}
