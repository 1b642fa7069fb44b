package store_test

import (
	"encoding/json"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/admin/job"
	"github.com/gluewheel/gluewheel/admin/store/storetest"
	"github.com/gluewheel/gluewheel/glue"
)

func isLua(j *job.Job) { j.GlueType = glue.Lua }

func (f *fixture) publish(t *testing.T, jobID, base int32, source string) job.Published {
	t.Helper()
	p, err := f.store.PublishVersion(t.Context(), job.Publish{JobID: jobID, BaseVersion: base, Source: source, Remark: "a remark", Author: "ann"})
	require.NoError(t, err)
	return p
}

func TestPublishVersion_MovesTheJobAndTellsEverybody(t *testing.T) {
	t.Parallel()
	f := setup(t)
	j := f.job(t, isLua)
	changes, _ := f.watch(t)
	for range 2 { // the connection's own, then the job's
		if next(t, changes).Kind == job.ChangeAll {
			break
		}
	}
	p := f.publish(t, j.ID, 0, "print(1)")
	require.Equal(t, int32(1), p.Version.Number)
	require.Equal(t, glue.Lua, p.Version.Type)
	require.Equal(t, glue.Digest([]byte("print(1)")), p.Version.Digest)
	require.Equal(t, job.Change{Kind: job.ChangeJob, ID: j.ID}, next(t, changes))
	after := f.read(t, j.ID)
	require.Equal(t, int32(1), after.GlueVersion)
	require.Equal(t, j.Version+1, after.Version)
	require.Equal(t, after.Version, p.Write.Version)
}

func TestPublishVersion_CountsFiresThatItComesTooLateFor(t *testing.T) {
	t.Parallel()
	f := setup(t)
	j := f.job(t, isLua)
	f.trigger(t, j, 1)
	f.claimed(t, j, 2)
	require.Equal(t, 2, f.publish(t, j.ID, 0, "print(1)").AlreadyClaimed)
}

func TestPublishVersion_OneOfManyAtOnceWins(t *testing.T) {
	t.Parallel()
	f := setup(t)
	j := f.job(t, isLua)
	errs := make([]error, 6)
	var wg sync.WaitGroup
	for i := range errs {
		s := storetest.Open(t, f.url)
		wg.Go(func() {
			_, errs[i] = s.PublishVersion(t.Context(), job.Publish{JobID: j.ID, Source: fmt.Sprint(i), Remark: "a remark", Author: "ann"})
		})
	}
	wg.Wait()
	won := 0
	for _, err := range errs {
		if err == nil {
			won++
			continue
		}
		require.ErrorIs(t, err, job.ErrConflict)
	}
	require.Equal(t, 1, won)
}

func TestPublishVersion_RefusesWhatIsLive(t *testing.T) {
	t.Parallel()
	f := setup(t)
	j := f.job(t, isLua)
	f.publish(t, j.ID, 0, "print(1)")
	same := job.Publish{JobID: j.ID, BaseVersion: 1, Source: "print(1)", Remark: "a remark", Author: "ann"}
	_, err := f.store.PublishVersion(t.Context(), same)
	require.ErrorIs(t, err, job.ErrUnchanged)
	require.Equal(t, int32(1), f.read(t, j.ID).GlueVersion)

	same.Manifest = glue.Manifest{Hosts: []string{"a.example"}}
	p, err := f.store.PublishVersion(t.Context(), same)
	require.NoError(t, err, "another manifest is a change")
	require.Equal(t, int32(2), p.Version.Number)
	_, err = f.store.PublishVersion(t.Context(), job.Publish{JobID: 4711})
	require.ErrorIs(t, err, job.ErrNotFound)
}

func TestRollbackVersion_PublishesTheOldOneAgain(t *testing.T) {
	t.Parallel()
	f := setup(t)
	j := f.job(t, isLua)
	f.publish(t, j.ID, 0, "print(1)")
	f.publish(t, j.ID, 1, "print(2)")
	p, err := f.store.RollbackVersion(t.Context(), job.Rollback{JobID: j.ID, Number: 1, BaseVersion: 2, Remark: "broken", Author: "bob"})
	require.NoError(t, err)
	require.Equal(t, int32(3), p.Version.Number)
	require.Equal(t, "print(1)", p.Version.Source)
	require.Equal(t, "rollback to 1: broken", p.Version.Remark)
	require.Equal(t, "bob", p.Version.Author)
	_, err = f.store.RollbackVersion(t.Context(), job.Rollback{JobID: j.ID, Number: 1, BaseVersion: 2, Remark: "late"})
	require.ErrorIs(t, err, job.ErrConflict)
	_, err = f.store.RollbackVersion(t.Context(), job.Rollback{JobID: j.ID, Number: 9, BaseVersion: 3, Remark: "none"})
	var wrong *job.FieldError
	require.ErrorAs(t, err, &wrong)
	require.Equal(t, "number", wrong.Field)
}

func TestArtifacts_LeaveWhenNothingRefersToThem(t *testing.T) {
	t.Parallel()
	f := setup(t)
	put := func(content string) job.Artifact {
		t.Helper()
		a, err := f.store.StoreArtifact(t.Context(), []byte(content), json.RawMessage(`{"n":1}`), "ann")
		require.NoError(t, err)
		return a
	}
	used, unused, fresh := put("used"), put("unused"), put("fresh")
	j := f.job(t, func(j *job.Job) { j.GlueType = glue.WASM })
	_, err := f.store.PublishVersion(t.Context(), job.Publish{JobID: j.ID, Artifact: &used.Digest, Remark: "a remark", Author: "ann"})
	require.NoError(t, err)
	f.exec(t, `UPDATE artifact SET created_at = created_at - interval '2 days' WHERE digest <> $1`, fresh.Digest)

	n, err := f.store.DeleteUnusedArtifacts(t.Context(), 24*time.Hour, 10)
	require.NoError(t, err)
	require.Equal(t, 1, n)
	_, err = f.store.ArtifactContent(t.Context(), unused.Digest)
	require.ErrorIs(t, err, job.ErrNotFound)
	for _, kept := range []string{used.Digest, fresh.Digest} {
		_, err = f.store.ArtifactContent(t.Context(), kept)
		require.NoError(t, err)
	}

	f.exec(t, `UPDATE artifact SET created_at = created_at - interval '2 days'`)
	put("fresh") // uploaded again: not collected before it can be published
	n, err = f.store.DeleteUnusedArtifacts(t.Context(), 24*time.Hour, 10)
	require.NoError(t, err)
	require.Zero(t, n)
}
