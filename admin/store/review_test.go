package store_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/admin/job"
	"github.com/gluewheel/gluewheel/admin/store/storetest"
	"github.com/gluewheel/gluewheel/glue"
)

// reviewed makes the fixture's group ask for approval.
func (f *fixture) reviewed(t *testing.T, required bool) {
	t.Helper()
	g, err := f.store.Group(t.Context(), f.group.ID)
	require.NoError(t, err)
	g.RequireReview = required
	_, err = f.store.UpdateGroup(t.Context(), g)
	require.NoError(t, err)
}

func decision(j job.Job, number int32, to glue.Review, by string) job.Review {
	return job.Review{JobID: j.ID, Number: number, To: to, By: by, Note: "a note"}
}

func TestReviewVersion_ApprovedIsLiveAndNothingElse(t *testing.T) {
	t.Parallel()
	f := setup(t)
	j := f.job(t, isLua)
	f.publish(t, j.ID, 0, "print(1)")
	f.reviewed(t, true)
	before := f.read(t, j.ID)
	p := f.publish(t, j.ID, 1, "print(2)")
	require.Equal(t, glue.ReviewPending, p.Version.Review)
	require.Equal(t, before, f.read(t, j.ID), "the job stays as it is")
	_, err := f.store.PublishVersion(t.Context(), job.Publish{JobID: j.ID, BaseVersion: 1, Source: "print(2)", Remark: "again", Author: "bob"})
	require.ErrorIs(t, err, job.ErrPending)

	_, err = f.store.ReviewVersion(t.Context(), decision(j, 2, glue.ReviewApproved, "ann"))
	require.ErrorIs(t, err, job.ErrOwnVersion)
	_, err = f.store.ReviewVersion(t.Context(), decision(j, 1, glue.ReviewApproved, "bob"))
	require.ErrorIs(t, err, job.ErrNotPending)
	_, err = f.store.ReviewVersion(t.Context(), decision(j, 3, glue.ReviewApproved, "bob"))
	require.ErrorIs(t, err, job.ErrNotFound)
	require.Equal(t, before, f.read(t, j.ID))

	f.claimed(t, before, 1)
	f.reviewed(t, false) // what waits goes on waiting
	out, err := f.store.ReviewVersion(t.Context(), decision(j, 2, glue.ReviewApproved, "bob"))
	require.NoError(t, err)
	require.Equal(t, 1, out.AlreadyClaimed)
	v, err := f.store.Version(t.Context(), j.ID, 2)
	require.NoError(t, err)
	require.Equal(t, []any{glue.ReviewApproved, "bob", "a note"}, []any{v.Review, v.ReviewedBy, v.ReviewNote})
	require.NotNil(t, v.ReviewedAt)
	after := f.read(t, j.ID)
	require.Equal(t, int32(2), after.GlueVersion)
	require.Equal(t, before.Version+1, after.Version)
}

func TestReviewVersion_NotWhenAnotherBecameLive(t *testing.T) {
	t.Parallel()
	f := setup(t)
	j := f.job(t, isLua)
	f.reviewed(t, true)
	f.publish(t, j.ID, 0, "print(1)")
	f.publish(t, j.ID, 0, "print(2)")
	_, err := f.store.ReviewVersion(t.Context(), decision(j, 2, glue.ReviewApproved, "bob"))
	require.NoError(t, err)
	_, err = f.store.ReviewVersion(t.Context(), decision(j, 1, glue.ReviewApproved, "bob"))
	require.ErrorIs(t, err, job.ErrConflict)
	_, err = f.store.ReviewVersion(t.Context(), decision(j, 1, glue.ReviewRejected, "bob"))
	require.NoError(t, err)
	require.Equal(t, int32(2), f.read(t, j.ID).GlueVersion)

	var wrong *job.FieldError
	_, err = f.store.RollbackVersion(t.Context(), job.Rollback{JobID: j.ID, Number: 1, BaseVersion: 2, Remark: "again", Author: "ann"})
	require.ErrorAs(t, err, &wrong, "what was never live is nothing to roll back to")
	versions, err := f.store.VersionsByKey(t.Context(), []job.VersionKey{{JobID: j.ID, Number: 1}, {JobID: j.ID, Number: 2}})
	require.NoError(t, err)
	require.Len(t, versions, 1)
	require.Equal(t, int32(2), versions[0].Number, "only this one may be sent")
}

func TestReviewVersion_OneOfManyAtOnceDecides(t *testing.T) {
	t.Parallel()
	f := setup(t)
	j := f.job(t, isLua)
	f.reviewed(t, true)
	f.publish(t, j.ID, 0, "print(1)")
	errs := make([]error, 6)
	var wg sync.WaitGroup
	for i := range errs {
		s := storetest.Open(t, f.url)
		to := []glue.Review{glue.ReviewApproved, glue.ReviewRejected}[i%2]
		wg.Go(func() { _, errs[i] = s.ReviewVersion(t.Context(), decision(j, 1, to, fmt.Sprint("user ", i))) })
	}
	wg.Wait()
	won := -1
	for i, err := range errs {
		if err == nil {
			require.Equal(t, -1, won, "two have decided")
			won = i
			continue
		}
		require.ErrorIs(t, err, job.ErrNotPending)
	}
	require.NotEqual(t, -1, won)
	v, err := f.store.Version(t.Context(), j.ID, 1)
	require.NoError(t, err)
	require.Equal(t, fmt.Sprint("user ", won), v.ReviewedBy)
	require.Equal(t, v.Review == glue.ReviewApproved, f.read(t, j.ID).GlueVersion == 1)
}

func TestUpdateJob_BringsNoUnseenCodeIntoAReviewedGroup(t *testing.T) {
	t.Parallel()
	f := setup(t)
	f.reviewed(t, true)
	free, err := f.store.CreateGroup(t.Context(), job.Group{AppName: "free", Title: "Free"})
	require.NoError(t, err)
	inFree := func(j *job.Job) { j.GroupID = free.ID }
	empty, coded := f.job(t, isLua, inFree), f.job(t, isLua, inFree)
	f.publish(t, coded.ID, 0, "print(1)")
	for _, c := range []struct {
		id      int32
		refused bool
	}{{empty.ID, false}, {coded.ID, true}} {
		j := f.read(t, c.id)
		j.GroupID = f.group.ID
		_, err := f.store.UpdateJob(t.Context(), j, nextSecond)
		if !c.refused {
			require.NoError(t, err)
			continue
		}
		var wrong *job.FieldError
		require.ErrorAs(t, err, &wrong)
		require.Equal(t, "group_id", wrong.Field)
	}
}

func TestPendingVersions_PageByGroups(t *testing.T) {
	t.Parallel()
	f := setup(t)
	f.reviewed(t, true)
	var want []string
	for range 2 {
		j := f.job(t, isLua)
		for i := range 2 {
			p := f.publish(t, j.ID, 0, fmt.Sprint("print(", i, ")"))
			want = append(want, fmt.Sprint(j.ID, p.Version.Number))
		}
	}
	var got []string
	for cursor := ""; ; {
		page, err := f.store.PendingVersions(t.Context(), []int32{f.group.ID}, job.Paging{Limit: 3, Cursor: cursor})
		require.NoError(t, err)
		require.Equal(t, 4, page.Total)
		for _, v := range page.Items {
			require.Equal(t, []any{"ann", "a remark", f.group.ID, int32(0), int32(0)}, []any{v.Author, v.Remark, v.GroupID, v.BaseVersion, v.LiveVersion})
			got = append(got, fmt.Sprint(v.JobID, v.Number))
		}
		if cursor = page.NextCursor; cursor == "" {
			break
		}
	}
	require.Equal(t, want, got)
	for groups, n := range map[*[]int32]int{nil: 4, {}: 0, {f.group.ID + 1}: 0} {
		var ids []int32
		if groups != nil {
			ids = *groups
		}
		page, err := f.store.PendingVersions(t.Context(), ids, job.Paging{})
		require.NoError(t, err)
		require.Len(t, page.Items, n)
	}
}
