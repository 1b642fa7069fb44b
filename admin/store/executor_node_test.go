package store_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/admin/job"
)

func TestStoreBeats(t *testing.T) {
	t.Parallel()
	f := setup(t)
	beat := job.Beat{AppName: "app", Address: "http://e:1/", Dialect: job.DialectGluewheel, InstanceID: "i", BootID: "b1", Info: []byte(`{"version":"1"}`)}
	java := job.Beat{AppName: "app", Address: "http://e:2/", Dialect: job.DialectA}
	require.NoError(t, f.store.StoreBeats(t.Context(), []job.Beat{java, beat, beat}))
	first, err := f.store.Executors(t.Context())
	require.NoError(t, err)
	require.Len(t, first, 2)
	require.JSONEq(t, `{"version":"1"}`, string(first[0].Info))
	require.Less(t, first[0].Silent, time.Minute)

	require.NoError(t, f.store.StoreBeats(t.Context(), []job.Beat{beat}))
	again, err := f.store.Executors(t.Context())
	require.NoError(t, err)
	require.Equal(t, first[0].RegisteredAt, again[0].RegisteredAt, "the same boot")
	require.True(t, again[0].HeartbeatAt.After(first[0].HeartbeatAt))

	beat.BootID = "b2"
	require.NoError(t, f.store.StoreBeats(t.Context(), []job.Beat{beat}))
	restarted, err := f.store.Executors(t.Context())
	require.NoError(t, err)
	require.True(t, restarted[0].RegisteredAt.After(first[0].RegisteredAt))

	require.NoError(t, f.store.RemoveExecutor(t.Context(), "app", "http://e:1"))
	left, err := f.store.Executors(t.Context())
	require.NoError(t, err)
	require.Len(t, left, 1, "with or without trailing slash")
}

func TestExecutors_SilenceCountsFromTheEndOfAnOutage(t *testing.T) {
	t.Parallel()
	f := setup(t)
	require.NoError(t, f.store.StoreBeats(t.Context(), []job.Beat{{AppName: "app", Address: "http://e:1/"}}))
	f.exec(t, `UPDATE executor_node SET heartbeat_at = clock_timestamp() - interval '50 min'`)
	f.exec(t, `UPDATE cluster SET outage_ended_at = clock_timestamp() - interval '20 min'`)

	list, err := f.store.Executors(t.Context())
	require.NoError(t, err)
	require.InDelta(t, 20, list[0].Silent.Minutes(), 5)
	require.NoError(t, f.store.ForgetExecutors(t.Context(), time.Hour/2))
	list, err = f.store.Executors(t.Context())
	require.NoError(t, err)
	require.Len(t, list, 1)

	require.NoError(t, f.store.ForgetExecutors(t.Context(), 10*time.Minute))
	list, err = f.store.Executors(t.Context())
	require.NoError(t, err)
	require.Empty(t, list)
}

func TestOpenRuns(t *testing.T) {
	t.Parallel()
	f := setup(t)
	runs := f.claimed(t, f.job(t), 3)
	f.exec(t, `UPDATE run SET due_at = due_at - interval '1 h', address = 'http://e:9999/' WHERE id = $1`, runs[0].RunID)
	require.NoError(t, f.store.MarkRunning(t.Context(), []job.Acceptance{
		{RunID: runs[0].RunID, At: time.Now().Add(-time.Hour)}, {RunID: runs[1].RunID, At: time.Now()},
	}))

	open, err := f.store.OpenRuns(t.Context(), []job.State{job.Running}, []string{"http://e:9999"}, time.Minute, 10)
	require.NoError(t, err)
	require.Len(t, open, 1, "old enough, and running")
	require.Equal(t, runs[0].RunID, open[0].RunID)

	at, err := f.store.OpenAddresses(t.Context())
	require.NoError(t, err)
	require.Len(t, at, 2)
	require.Equal(t, "http://e:9999", at[0].Address)
	require.Equal(t, int64(1), at[0].Runs)
	require.InDelta(t, time.Hour.Seconds(), at[1].Oldest.Seconds(), 60)
}

func TestRunArtifact_OnlyForAnOpenRunOfThatEpoch(t *testing.T) {
	t.Parallel()
	f := setup(t)
	j := f.job(t)
	f.exec(t, `INSERT INTO artifact (digest, size_bytes, content) VALUES ('sha256:x', 1, 'x')`)
	f.exec(t, `INSERT INTO glue_version (job_id, number, glue_type, source, digest, artifact, remark, author)
		VALUES ($1, 1, 'GLUE_WASM', '', 'sha256:x', 'sha256:x', 'first', 'a')`, j.ID)
	f.exec(t, `UPDATE job SET glue_version = 1 WHERE id = $1`, j.ID)
	run := f.claimed(t, j, 1)[0]

	grant, err := f.store.RunArtifact(t.Context(), job.Hold{RunID: run.RunID, Epoch: run.Epoch})
	require.NoError(t, err)
	require.Equal(t, job.RunGrant{
		RunPlace: job.RunPlace{JobID: j.ID, GroupID: j.GroupID, Address: run.Address}, Artifact: "sha256:x",
	}, grant)
	_, err = f.store.RunArtifact(t.Context(), job.Hold{RunID: run.RunID, Epoch: run.Epoch + 1})
	require.ErrorIs(t, err, job.ErrNotFound)
	f.end(t, result(run.RunID, job.Succeeded))
	_, err = f.store.RunArtifact(t.Context(), job.Hold{RunID: run.RunID, Epoch: run.Epoch})
	require.ErrorIs(t, err, job.ErrNotFound)
}

func TestRunsOfGroups(t *testing.T) {
	t.Parallel()
	f := setup(t)
	runs := f.claimed(t, f.job(t), 2)
	ids := []int64{runs[0].RunID, runs[1].RunID, 1, 1 << 62}
	own, err := f.store.RunsOfGroups(t.Context(), ids, []int32{f.group.ID, 4711})
	require.NoError(t, err)
	require.ElementsMatch(t, ids[:2], own)
	own, err = f.store.RunsOfGroups(t.Context(), ids, []int32{4711})
	require.NoError(t, err)
	require.Empty(t, own)
	own, err = f.store.RunsOfGroups(t.Context(), nil, []int32{f.group.ID})
	require.NoError(t, err)
	require.Empty(t, own)
}
