package dispatch

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/admin/job"
)

// longGrace is a wait that no test sits out.
func longGrace(c *Config) { c.ExecutorGrace = time.Hour }

func (b *bundle) waiting() int {
	b.lobby.mu.Lock()
	defer b.lobby.mu.Unlock()
	return len(b.lobby.waiting)
}

func TestLobby_RunWaitsForAnExecutorToRegister(t *testing.T) {
	t.Parallel()
	b := setup(t, longGrace)
	b.hosts.set()
	single, broadcast := b.job(t), b.job(t, func(j *job.Job) { j.RouteStrategy = job.RouteBroadcast })
	f, parent := b.trigger(t, single), b.trigger(t, broadcast)
	run(t, b.Dispatcher)
	b.Dispatch([]job.Fire{f, parent})
	eventually(t, "both wait", func() bool { return b.waiting() == 2 })
	require.Equal(t, b.cfg.Capacity, b.Free(), "they keep no others from being sent")
	require.Equal(t, row{State: job.Planned}, b.row(t, f.RunID), "an edit can still cancel it")

	b.hosts.set(oursAt)
	eventually(t, "both run", func() bool { return b.ends.has(f.RunID) && b.row(t, parent.RunID).Reason == job.ReasonExpanded })
	require.Zero(t, b.waiting())
	require.Equal(t, 1, b.peer.count(f.RunID))
}

func TestLobby_EndsAfterTheGrace(t *testing.T) {
	t.Parallel()
	const grace = 600 * time.Millisecond
	b := setup(t, func(c *Config) { c.ExecutorGrace = grace })
	b.hosts.set()
	f := b.trigger(t, b.job(t))
	run(t, b.Dispatcher)
	b.Dispatch([]job.Fire{f})
	eventually(t, "end", func() bool { _, ok := b.ends.end(f.RunID); return ok })
	e, _ := b.ends.end(f.RunID)
	require.Equal(t, job.ReasonNoExecutor, e.Reason)
	var after time.Duration
	require.NoError(t, b.sql.QueryRow(t.Context(), `SELECT claimed_at - due_at FROM run WHERE id = $1`, f.RunID).Scan(&after))
	require.GreaterOrEqual(t, after, grace)
}

func TestLobby_DoesNotWaitForAnAddressThatWasEntered(t *testing.T) {
	t.Parallel()
	b := setup(t, longGrace)
	b.hosts.set()
	f := b.trigger(t, b.job(t), func(r *job.TriggerRequest) { r.Addresses = []string{foreignAt} })
	run(t, b.Dispatcher)
	b.Dispatch([]job.Fire{f})
	eventually(t, "sent", func() bool { return b.ends.has(f.RunID) })
}

// A stop cancels the row; its fire goes once the change is known.
func TestLobby_ForgetsWhatWasCancelled(t *testing.T) {
	t.Parallel()
	b := setup(t, longGrace)
	b.hosts.set()
	j := b.job(t)
	f := b.trigger(t, j)
	run(t, b.Dispatcher)
	b.Dispatch([]job.Fire{f})
	eventually(t, "waits", func() bool { return b.waiting() == 1 })
	_, err := b.store.DeleteJob(t.Context(), j.ID)
	require.NoError(t, err)
	b.Drop(job.Change{Kind: job.ChangeJob, ID: j.ID})
	eventually(t, "gone", func() bool { return b.waiting() == 0 })
	b.hosts.set(oursAt)
	require.Equal(t, job.Cancelled, b.row(t, f.RunID).State)
	require.Zero(t, b.peer.count(f.RunID))
}

func TestLobby_HoldsNoMoreThanItsShare(t *testing.T) {
	t.Parallel()
	var a lobby
	a.init(2)
	g := &job.Group{ID: 1}
	for id := range int64(5) {
		a.add(&routed{Fire: job.Fire{RunID: id}}, g)
		a.add(&routed{Fire: job.Fire{RunID: id}}, g)
	}
	require.Len(t, a.take(func(*guest) bool { return true }), 2)
}
