package store_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/admin/job"
	"github.com/gluewheel/gluewheel/glue"
)

// chosen asks for a version.
func chosen(number int32) func(*job.TriggerRequest) {
	return func(r *job.TriggerRequest) { r.Version = number }
}

func TestTrigger_RunsTheChosenVersionAndItsRetriesToo(t *testing.T) {
	t.Parallel()
	f := setup(t)
	child := f.job(t, isLua, named(2))
	f.publish(t, child.ID, 0, "print(9)")
	j := f.job(t, isLua, func(j *job.Job) { j.RetryCount, j.ChildJobIDs = 2, []int32{child.ID} })
	f.publish(t, j.ID, 0, "print(1)")
	f.publish(t, j.ID, 1, "print(2)")
	fires := append(f.trigger(t, j, 1, chosen(1)), f.trigger(t, j, 1)...)
	f.publish(t, j.ID, 2, "print(3)")
	j = f.read(t, j.ID)

	won, err := f.store.Claim(t.Context(), f.node, lease, claims(j, fires))
	require.NoError(t, err)
	require.Equal(t, []int32{1, 3}, []int32{won[0].GlueVersion, won[1].GlueVersion})

	retries := f.end(t, result(fires[0].RunID, job.Failed), result(fires[1].RunID, job.Failed)).Fires
	require.Len(t, retries, 2)
	for i, number := range []int32{1, 3} {
		parent := *f.run(t, retries[i].RunID).ParentID
		require.Equal(t, fires[i].RunID, parent)
		again, err := f.store.Claim(t.Context(), f.node, lease, claims(j, retries[i:i+1]))
		require.NoError(t, err)
		require.Equal(t, number, again[0].GlueVersion)
	}
	born := f.end(t, result(retries[0].RunID, job.Succeeded)).Fires
	require.Len(t, born, 1)
	require.Equal(t, child.ID, born[0].JobID)
	require.Nil(t, f.run(t, born[0].RunID).VersionPin, "children run what is live")
}

func TestTrigger_ChosenVersionReachesEachShard(t *testing.T) {
	t.Parallel()
	f := setup(t)
	j := f.job(t, isLua, func(j *job.Job) { j.RouteStrategy, j.RetryCount = job.RouteBroadcast, 1 })
	f.publish(t, j.ID, 0, "print(1)")
	f.publish(t, j.ID, 1, "print(2)")
	j = f.read(t, j.ID)
	parent := f.trigger(t, j, 1, chosen(1))[0]
	expand := func(id int64) []job.Claimed {
		t.Helper()
		got, err := f.store.ExpandBroadcast(t.Context(), f.node, lease, []job.Expansion{
			{RunID: id, JobID: j.ID, JobVersion: j.Version, Addresses: []string{"http://a", "http://b"}},
		})
		require.NoError(t, err)
		require.Len(t, got, 2)
		return got
	}
	shards := expand(parent.RunID)
	for i, s := range shards {
		require.Equal(t, int32(1), s.GlueVersion)
		require.Equal(t, &job.Route{Strategy: job.RouteBroadcast, Candidates: 2, Place: int32(i) + 1}, f.run(t, s.RunID).Route)
	}
	require.Equal(t, int32(1), f.run(t, parent.RunID).GlueVersion)
	retry := f.end(t, result(shards[1].RunID, job.Failed)).Fires
	require.Equal(t, int32(1), *f.run(t, retry[0].RunID).VersionPin)

	again, err := f.store.Rerun(t.Context(), f.run(t, parent.RunID), true)
	require.NoError(t, err)
	for _, s := range expand(again.RunID) {
		require.Equal(t, int32(1), s.GlueVersion, "a broadcast that is repeated with the same version")
	}
}

func TestTrigger_RefusesAVersionThatWasNeverLive(t *testing.T) {
	t.Parallel()
	f := setup(t)
	j := f.job(t, isLua)
	f.publish(t, j.ID, 0, "print(1)")
	f.exec(t, `UPDATE job_group SET require_review = true WHERE id = $1`, f.group.ID)
	for i, to := range []glue.Review{glue.ReviewPending, glue.ReviewRejected, glue.ReviewApproved} {
		number := f.publish(t, j.ID, 1, "print("+string(to)+")").Version.Number
		require.Equal(t, int32(i)+2, number)
		if to != glue.ReviewPending {
			_, err := f.store.ReviewVersion(t.Context(), job.Review{JobID: j.ID, Number: number, To: to, By: "bob", Note: "n"})
			require.NoError(t, err)
		}
	}
	require.NoError(t, f.store.KeepPartitions(t.Context()))
	for number, fine := range map[int32]bool{1: true, 2: false, 3: false, 4: true, 5: false} {
		_, err := f.store.Trigger(t.Context(), job.TriggerRequest{JobID: j.ID, Cause: job.CauseManual, Version: number})
		if fine {
			require.NoError(t, err)
			continue
		}
		wrong, ok := errors.AsType[*job.FieldError](err)
		require.True(t, ok, "%v", err)
		require.Equal(t, "version", wrong.Field)
	}
	require.Equal(t, 2, f.count(t, `version_pin IS NOT NULL`), "what is refused leaves nothing")
}
