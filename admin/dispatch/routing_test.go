package dispatch

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/admin/job"
	"github.com/gluewheel/gluewheel/admin/route"
	"github.com/gluewheel/gluewheel/executor/protocol"
	"github.com/gluewheel/gluewheel/glue"
)

// routing has a dispatcher choose as the admin's does; ours answers, all others are dead.
func routing(t *testing.T) func(*Config) {
	t.Helper()
	ask := func(_ context.Context, address string, _ *job.Job) error {
		if address != oursAt {
			return errors.New("connection refused")
		}
		return nil
	}
	r, err := route.New(route.Config{Beat: ask, IdleBeat: ask})
	require.NoError(t, err)
	return func(c *Config) { c.Router = r }
}

func TestDispatch_StoresWhyARunGoesWhereItGoes(t *testing.T) {
	t.Parallel()
	b := setup(t, routing(t))
	b.hosts.set(foreignAt, oursAt, "http://third:1")
	by := func(s job.RouteStrategy) job.Job {
		return b.job(t, func(j *job.Job) { j.Name, j.RouteStrategy = string(s), s })
	}
	given := func(list ...string) func(*job.TriggerRequest) {
		return func(r *job.TriggerRequest) { r.Addresses = list }
	}
	dead := []job.Passed{{Address: foreignAt, Answer: "connection refused"}}
	broadcast := by(job.RouteBroadcast)
	wants := map[int64]job.Route{}
	var fires []job.Fire
	add := func(f job.Fire, want job.Route) { fires, wants[f.RunID] = append(fires, f), want }
	add(b.trigger(t, by(job.RouteFirst)), job.Route{Strategy: job.RouteFirst, Candidates: 3, Place: 1})
	add(b.trigger(t, by(job.RouteLFU)), job.Route{Strategy: job.RouteLFU, Candidates: 3})
	add(b.trigger(t, by(job.RouteFailover)), job.Route{Strategy: job.RouteFailover, Candidates: 3, Place: 2, Passed: dead, PassedTotal: 1})
	add(b.trigger(t, by(job.RouteLast), given(foreignAt, oursAt)), job.Route{Strategy: job.RouteLast, Candidates: 2, Place: 2})
	for shard, place := range map[int32]int32{2: 3, 7: 1} {
		f := b.trigger(t, broadcast)
		f.Shard = shard
		b.exec(t, `UPDATE run SET shard = $2, shard_total = 8, attempt = 1, cause = 4 WHERE id = $1`, f.RunID, shard)
		add(f, job.Route{Strategy: job.RouteBroadcast, Candidates: 3, Place: place, Gone: shard == 7})
	}
	run(t, b.Dispatcher)

	b.Dispatch(fires)
	for id, want := range wants {
		eventually(t, "accepted", func() bool { return b.ends.has(id) })
		r, err := b.store.Run(t.Context(), id)
		require.NoError(t, err)
		require.NotNil(t, r.Route)
		if want.Place == 0 { // any will do
			want.Place = r.Route.Place
		}
		require.Equal(t, &want, r.Route)
	}
}

func TestDispatch_AShardTellsItsPlace(t *testing.T) {
	t.Parallel()
	b := setup(t, routing(t))
	b.hosts.set(foreignAt, oursAt)
	f := b.trigger(t, b.job(t, func(j *job.Job) { j.RouteStrategy = job.RouteBroadcast }))
	run(t, b.Dispatcher)
	b.Dispatch([]job.Fire{f})
	eventually(t, "both shards", func() bool { b.ends.mu.Lock(); defer b.ends.mu.Unlock(); return len(b.ends.accepted) == 2 })
	b.ends.mu.Lock()
	defer b.ends.mu.Unlock()
	for _, id := range b.ends.accepted {
		r, err := b.store.Run(t.Context(), id)
		require.NoError(t, err)
		require.Equal(t, &job.Route{Strategy: job.RouteBroadcast, Candidates: 2, Place: r.Shard + 1}, r.Route)
	}
	parent, err := b.store.Run(t.Context(), f.RunID)
	require.NoError(t, err)
	require.Nil(t, parent.Route, "it goes nowhere itself")
}

// A foreign executor gets the chosen version as if it was just published.
func TestDispatch_SendsTheChosenVersion(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.hosts.set(foreignAt)
	j := b.job(t, func(j *job.Job) { j.GlueType, j.Handler = glue.Python, "" })
	var versions []glue.Version
	for base, source := range []string{"print(1)", "print(2)"} {
		p, err := b.store.PublishVersion(t.Context(), job.Publish{JobID: j.ID, BaseVersion: int32(base), Source: source, Remark: "a remark", Author: "ann"})
		require.NoError(t, err)
		versions = append(versions, p.Version)
	}
	old := b.trigger(t, j, func(r *job.TriggerRequest) { r.Version = 1 })
	live := b.trigger(t, j)
	run(t, b.Dispatcher)
	b.Dispatch([]job.Fire{old, live})
	for i, f := range []job.Fire{old, live} {
		eventually(t, "accepted", func() bool { return b.ends.has(f.RunID) })
		tr := b.peer.trigger(f.RunID)
		require.Equal(t, []any{versions[i].Source, protocol.Int(versions[i].CreatedAt.UnixMilli()), "GLUE_PYTHON"},
			[]any{tr.GlueSource, tr.GlueUpdateMS, tr.GlueType})
	}
}
