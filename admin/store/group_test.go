package store_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/admin/job"
)

func TestGroup_IsWrittenWithItsVersion(t *testing.T) {
	t.Parallel()
	f := setup(t)
	g := f.group
	require.Empty(t, g.AddressList)

	g.Title, g.AddressType, g.AddressList = "Other", 1, []string{"http://a:9999/"}
	updated, err := f.store.UpdateGroup(t.Context(), g)
	require.NoError(t, err)
	require.Equal(t, g.Version+1, updated.Version)
	read, err := f.store.Group(t.Context(), g.ID)
	require.NoError(t, err)
	require.Equal(t, updated, read)
	byApp, err := f.store.GroupByApp(t.Context(), g.AppName)
	require.NoError(t, err)
	require.Equal(t, updated, byApp)

	_, err = f.store.UpdateGroup(t.Context(), g)
	require.ErrorIs(t, err, job.ErrConflict)
	g.ID = 4711
	_, err = f.store.UpdateGroup(t.Context(), g)
	require.ErrorIs(t, err, job.ErrNotFound)
}

func TestGroup_AppNameIsTakenOnce(t *testing.T) {
	t.Parallel()
	f := setup(t)
	_, err := f.store.CreateGroup(t.Context(), job.Group{AppName: f.group.AppName, Title: "Again"})
	require.ErrorIs(t, err, job.ErrDuplicateApp)
	other, err := f.store.CreateGroup(t.Context(), job.Group{AppName: "other", Title: "Other"})
	require.NoError(t, err)
	other.AppName = f.group.AppName
	_, err = f.store.UpdateGroup(t.Context(), other)
	require.ErrorIs(t, err, job.ErrDuplicateApp)
}

func TestGroup_IsDeletedOnlyWithoutJobs(t *testing.T) {
	t.Parallel()
	f := setup(t)
	j := f.job(t)
	require.ErrorIs(t, f.store.DeleteGroup(t.Context(), f.group.ID), job.ErrGroupInUse)
	_, err := f.store.DeleteJob(t.Context(), j.ID)
	require.NoError(t, err)
	require.NoError(t, f.store.DeleteGroup(t.Context(), f.group.ID))
	require.ErrorIs(t, f.store.DeleteGroup(t.Context(), f.group.ID), job.ErrNotFound)
}

func TestGroups_Page(t *testing.T) {
	t.Parallel()
	f := setup(t)
	var ids []int32
	for _, app := range []string{"b", "c"} {
		g, err := f.store.CreateGroup(t.Context(), job.Group{AppName: app, Title: app})
		require.NoError(t, err)
		ids = append(ids, g.ID)
	}

	first, err := f.store.Groups(t.Context(), nil, "", job.Paging{Limit: 2})
	require.NoError(t, err)
	require.Len(t, first.Items, 2)
	require.Equal(t, 3, first.Total)
	second, err := f.store.Groups(t.Context(), nil, "", job.Paging{Limit: 2, Cursor: first.NextCursor})
	require.NoError(t, err)
	require.Len(t, second.Items, 1)
	require.Empty(t, second.NextCursor)
	some, err := f.store.Groups(t.Context(), ids, "", job.Paging{})
	require.NoError(t, err)
	require.Equal(t, 2, some.Total)
	byID, err := f.store.GroupsByID(t.Context(), append(ids, 4711))
	require.NoError(t, err)
	require.Equal(t, some.Items, byID)
}
