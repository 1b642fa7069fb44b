package store_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/admin/job"
)

// watch runs Watch and returns the changes that it tells of, and its error at the end.
func (f *fixture) watch(t *testing.T) (<-chan job.Change, <-chan error) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	changes, ended := make(chan job.Change, 100), make(chan error, 1)
	go func() { ended <- f.store.Watch(ctx, func(c job.Change) { changes <- c }) }()
	t.Cleanup(cancel)
	return changes, ended
}

func next(t *testing.T, changes <-chan job.Change) job.Change {
	t.Helper()
	select {
	case c := <-changes:
		return c
	case <-time.After(30 * time.Second):
		require.FailNow(t, "no change came")
		return job.Change{}
	}
}

func TestWatch_TellsOfEachChange(t *testing.T) {
	t.Parallel()
	f := setup(t)
	changes, _ := f.watch(t)
	require.Equal(t, job.Change{Kind: job.ChangeAll}, next(t, changes), "what was before is not known")

	j := f.job(t)
	require.Equal(t, job.Change{Kind: job.ChangeJob, ID: j.ID}, next(t, changes))
	_, err := f.store.StopJob(t.Context(), j.ID)
	require.NoError(t, err)
	require.Equal(t, job.Change{Kind: job.ChangeJob, ID: j.ID}, next(t, changes))
	_, err = f.store.UpdateGroup(t.Context(), f.group)
	require.NoError(t, err)
	require.Equal(t, job.Change{Kind: job.ChangeGroup, ID: f.group.ID}, next(t, changes))
}

func TestWatch_NoticesWhatWasNotNotified(t *testing.T) {
	t.Parallel()
	f := setup(t)
	changes, _ := f.watch(t)
	next(t, changes)
	f.exec(t, `UPDATE cluster SET change_counter = change_counter + 1`)
	require.Equal(t, job.Change{Kind: job.ChangeAll}, next(t, changes), "found by polling")

	j := f.job(t)
	require.Equal(t, job.Change{Kind: job.ChangeJob, ID: j.ID}, next(t, changes), "and in step again")
}

func TestWatch_EndsWithItsConnection(t *testing.T) {
	t.Parallel()
	f := setup(t)
	changes, ended := f.watch(t)
	next(t, changes)
	f.exec(t, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
		WHERE datname = current_database() AND pid <> pg_backend_pid() AND query LIKE '%change_counter FROM cluster%'`)
	select {
	case err := <-ended:
		require.ErrorContains(t, err, "watch changes")
	case <-time.After(30 * time.Second):
		require.FailNow(t, "the watch goes on without a connection")
	}
}
