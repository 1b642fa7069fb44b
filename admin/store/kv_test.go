package store_test

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/admin/job"
	"github.com/gluewheel/gluewheel/glue"
)

func TestKV_IsAJobsOwn(t *testing.T) {
	t.Parallel()
	f := setup(t)
	mine, other := f.job(t), f.job(t)
	require.NoError(t, f.store.KVSet(t.Context(), mine.ID, "b", []byte("1")))
	require.NoError(t, f.store.KVSet(t.Context(), mine.ID, "b", []byte("\x00\xff")))
	require.NoError(t, f.store.KVSet(t.Context(), mine.ID, "a", nil))
	require.NoError(t, f.store.KVSet(t.Context(), other.ID, "b", []byte("other")))

	value, found, err := f.store.KVGet(t.Context(), mine.ID, "b")
	require.NoError(t, err)
	require.True(t, found)
	require.Equal(t, []byte("\x00\xff"), value)
	keys, err := f.store.KVKeys(t.Context(), mine.ID, "")
	require.NoError(t, err)
	require.Equal(t, []string{"a", "b"}, keys)
	keys, err = f.store.KVKeys(t.Context(), mine.ID, "b")
	require.NoError(t, err)
	require.Equal(t, []string{"b"}, keys)

	was, err := f.store.KVDelete(t.Context(), mine.ID, "b")
	require.NoError(t, err)
	require.True(t, was)
	was, err = f.store.KVDelete(t.Context(), mine.ID, "b")
	require.NoError(t, err)
	require.False(t, was)
	_, found, err = f.store.KVGet(t.Context(), mine.ID, "b")
	require.NoError(t, err)
	require.False(t, found)

	require.ErrorIs(t, f.store.KVSet(t.Context(), 1<<30, "a", nil), job.ErrNotFound)
}

// TestKV_IsBounded has several writers add keys at the same time.
func TestKV_IsBounded(t *testing.T) {
	t.Parallel()
	f := setup(t)
	j := f.job(t)
	const writers, each, few = 4, 10, 7
	f.exec(t, `INSERT INTO job_kv (job_id, key, value) SELECT $1, 'old' || n, '' FROM generate_series(1, $2::int) AS n`,
		j.ID, glue.MaxKVKeys-few)
	var kept atomic.Int32
	var all sync.WaitGroup
	for w := range writers {
		all.Go(func() {
			for i := range each {
				err := f.store.KVSet(t.Context(), j.ID, fmt.Sprintf("new%d_%d", w, i), nil)
				if err == nil {
					kept.Add(1)
					continue
				}
				if !errors.Is(err, job.ErrKVFull) {
					t.Errorf("set: %v", err)
				}
			}
		})
	}
	all.Wait()
	require.EqualValues(t, few, kept.Load())
	require.NoError(t, f.store.KVSet(t.Context(), j.ID, "old1", []byte("again")), "a key that is there")
}

func TestOpenRun_OnlyOfThatEpoch(t *testing.T) {
	t.Parallel()
	f := setup(t)
	j := f.job(t)
	run := f.claimed(t, j, 1)[0]
	place, err := f.store.OpenRun(t.Context(), job.Hold{RunID: run.RunID, Epoch: run.Epoch})
	require.NoError(t, err)
	require.Equal(t, job.RunPlace{JobID: j.ID, GroupID: j.GroupID, Address: run.Address}, place)
	_, err = f.store.OpenRun(t.Context(), job.Hold{RunID: run.RunID, Epoch: run.Epoch + 1})
	require.ErrorIs(t, err, job.ErrNotFound)
	f.end(t, result(run.RunID, job.Succeeded))
	_, err = f.store.OpenRun(t.Context(), job.Hold{RunID: run.RunID, Epoch: run.Epoch})
	require.ErrorIs(t, err, job.ErrNotFound)
}
