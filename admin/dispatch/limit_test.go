package dispatch

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/admin/job"
	"github.com/gluewheel/gluewheel/executor/protocol"
)

func one(j *job.Job) { j.MaxConcurrent = 1 }

// end stores the success of a run.
func (b *bundle) end(ctx context.Context, t *testing.T, id int64) {
	t.Helper()
	_, err := b.store.End(ctx, []job.Ending{{Result: job.Result{RunID: id, State: job.Succeeded, Code: 200}}},
		func(*job.Ended, *job.FollowRules) job.Follow { return job.Follow{} })
	require.NoError(t, err)
}

func TestLimit_FurtherRunsWaitForRoom(t *testing.T) {
	t.Parallel()
	past := time.Now().Add(-time.Hour) // stands still, or a slow machine makes the runs late
	b := setup(t, func(c *Config) { c.Now = func() time.Time { return past } })
	j := b.job(t, one)
	first, second, third := b.trigger(t, j), b.trigger(t, j), b.trigger(t, j)
	for i, f := range []*job.Fire{&first, &second, &third} {
		f.DueAt = past.Add(-time.Second)
		b.exec(t, `UPDATE run SET due_at = $2 WHERE id = $1`, f.RunID, f.DueAt.Add(time.Duration(i)*time.Millisecond))
	}
	run(t, b.Dispatcher)
	b.Dispatch([]job.Fire{third, second, first})
	eventually(t, "the oldest", func() bool { return b.ends.has(first.RunID) })
	eventually(t, "the others wait", func() bool { return b.waiting() == 2 })
	require.Equal(t, job.Planned, b.row(t, second.RunID).State)
	b.end(t.Context(), t, first.RunID)
	eventually(t, "the next", func() bool { return b.ends.has(second.RunID) })
	require.False(t, b.ends.has(third.RunID))
	b.end(t.Context(), t, second.RunID)
	eventually(t, "the last", func() bool { return b.ends.has(third.RunID) })
}

func TestLimit_WhatWaitsForLongIsLeftToTheSweeper(t *testing.T) {
	t.Parallel()
	b := setup(t)
	j := b.job(t, one)
	first, second := b.trigger(t, j), b.trigger(t, j)
	run(t, b.Dispatcher)
	b.Dispatch([]job.Fire{first})
	eventually(t, "the first", func() bool { return b.ends.has(first.RunID) })
	second.DueAt = second.DueAt.Add(-roomPatience)
	b.Dispatch([]job.Fire{second})
	eventually(t, "not held", func() bool { return b.Free() == b.cfg.Capacity && b.waiting() == 0 })
	require.Equal(t, job.Planned, b.row(t, second.RunID).State)
}

func TestLimit_DiscardLaterDiscards(t *testing.T) {
	t.Parallel()
	for state, edit := range map[job.State]func(*job.Job){
		job.Discarded: func(*job.Job) {},
		job.Failed:    func(j *job.Job) { j.DiscardIsFailure = true },
	} {
		t.Run(state.String(), func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			j := b.job(t, one, edit, func(j *job.Job) { j.BlockStrategy = protocol.BlockDiscard })
			first, second := b.trigger(t, j), b.trigger(t, j)
			run(t, b.Dispatcher)
			b.Dispatch([]job.Fire{first})
			eventually(t, "the first", func() bool { return b.ends.has(first.RunID) })
			b.Dispatch([]job.Fire{second})
			eventually(t, "the second", func() bool { _, ok := b.ends.end(second.RunID); return ok })
			e, _ := b.ends.end(second.RunID)
			require.Equal(t, state, e.State)
			require.Equal(t, job.ReasonDiscardLater, e.Reason)
			require.Contains(t, e.Message, "limit of concurrent runs, 1,")
			require.Zero(t, b.peer.count(second.RunID))
		})
	}
}
