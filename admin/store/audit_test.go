package store_test

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/admin/audit"
	"github.com/gluewheel/gluewheel/admin/job"
	"github.com/gluewheel/gluewheel/admin/store"
)

func entries(t *testing.T, s *store.Store, f job.AuditFilter) []job.AuditEntry {
	t.Helper()
	page, err := s.Audit(t.Context(), f, job.Paging{})
	require.NoError(t, err)
	require.Equal(t, len(page.Items), page.Total)
	return page.Items
}

func asked(t *testing.T, action string) job.AuditEntry {
	t.Helper()
	return job.AuditEntry{Actor: "ann", ActorKind: job.ActorUser, Action: action, Address: "192.0.2.1", RequestID: "r1"}
}

func TestAudit_IsWrittenWithTheChange(t *testing.T) {
	t.Parallel()
	f := setup(t)
	ctx := audit.With(t.Context(), asked(t, "createGroup"))
	g, err := f.store.CreateGroup(ctx, job.Group{AppName: "app-a", Title: "A"})
	require.NoError(t, err)
	got := entries(t, f.store, job.AuditFilter{})
	require.Len(t, got, 1)
	e := got[0]
	require.Equal(t, []string{"ann", "createGroup", "group", "192.0.2.1", "r1"}, []string{e.Actor, e.Action, e.ObjectType, e.Address, e.RequestID})
	require.Equal(t, g.ID, *e.GroupID)
	require.Empty(t, e.Before)
	require.Contains(t, string(e.After), `"app_name": "app-a"`)

	_, pending := audit.Of(ctx).Pending()
	require.False(t, pending)
	g.Title = "B"
	g, err = f.store.UpdateGroup(ctx, g)
	require.NoError(t, err)
	require.Len(t, entries(t, f.store, job.AuditFilter{}), 1, "one entry a request")

	ctx = audit.With(t.Context(), asked(t, "updateGroup"))
	audit.Record(ctx, audit.Change{Before: g})
	g.Title = "C"
	g, err = f.store.UpdateGroup(ctx, g)
	require.NoError(t, err)
	e = entries(t, f.store, job.AuditFilter{Action: "updateGroup"})[0]
	require.JSONEq(t, `{"title":"B"}`, string(e.Before))
	require.JSONEq(t, `{"title":"C"}`, string(e.After))

	ctx = audit.With(t.Context(), asked(t, "fails"))
	g.Version = 1
	_, err = f.store.UpdateGroup(ctx, g)
	require.ErrorIs(t, err, job.ErrConflict)
	require.Empty(t, entries(t, f.store, job.AuditFilter{Action: "fails"}), "nothing changed, nothing is recorded")
}

func TestAudit_AChangeWithoutItsEntryIsUndone(t *testing.T) {
	t.Parallel()
	f := setup(t)
	f.exec(t, `ALTER TABLE audit_log ADD CONSTRAINT broken CHECK (action <> 'createGroup')`)
	_, err := f.store.CreateGroup(audit.With(t.Context(), asked(t, "createGroup")), job.Group{AppName: "app-a", Title: "A"})
	require.Error(t, err)
	_, err = f.store.GroupByApp(t.Context(), "app-a")
	require.ErrorIs(t, err, job.ErrNotFound)
}

func TestAudit_RecordsWhatAJobWasAndBecame(t *testing.T) {
	t.Parallel()
	f := setup(t)
	g, err := f.store.CreateGroup(t.Context(), job.Group{AppName: "app-a", Title: "A"})
	require.NoError(t, err)
	ctx := audit.With(t.Context(), asked(t, "createJob"))
	j, err := f.store.CreateJob(ctx, job.Job{GroupID: g.ID, Name: "n", GlueType: "GLUE_LUA", ScheduleType: "FIX_RATE", ScheduleConf: "60", Author: "wombat"})
	require.NoError(t, err)
	_, err = f.store.StartJob(audit.With(t.Context(), asked(t, "startJob")), j.ID, func(after time.Time) (time.Time, error) { return after.Add(time.Hour), nil })
	require.NoError(t, err)
	_, err = f.store.DeleteJob(audit.With(t.Context(), asked(t, "deleteJob")), j.ID)
	require.NoError(t, err)
	got := entries(t, f.store, job.AuditFilter{ObjectType: "job", GroupIDs: []int32{g.ID}})
	require.Len(t, got, 3)
	var before, after map[string]any
	require.NoError(t, json.Unmarshal(got[1].Before, &before))
	require.NoError(t, json.Unmarshal(got[1].After, &after))
	require.Equal(t, false, before["enabled"])
	require.Equal(t, true, after["enabled"])
	require.NotContains(t, after, "name", "only what changed")
	require.Empty(t, got[0].After)
	require.Contains(t, string(got[0].Before), `"name": "n"`)
	require.Empty(t, entries(t, f.store, job.AuditFilter{GroupIDs: []int32{}}))
	require.Len(t, entries(t, f.store, job.AuditFilter{Query: "wombat"}), 2)
	require.Len(t, entries(t, f.store, job.AuditFilter{Actor: "ann", From: time.Now().Add(-time.Hour)}), 3)
	require.Empty(t, entries(t, f.store, job.AuditFilter{To: time.Now().Add(-time.Hour)}))
}

func TestAudit_EachPartOfAChangeHasItsEntry(t *testing.T) {
	t.Parallel()
	f := setup(t)
	ctx := audit.With(t.Context(), asked(t, "bulk"))
	for _, app := range []string{"app-a", "app-b"} {
		_, err := f.store.CreateGroup(audit.Each(ctx, audit.Change{}), job.Group{AppName: app, Title: "A"})
		require.NoError(t, err)
	}
	require.Len(t, entries(t, f.store, job.AuditFilter{}), 2)
	require.NoError(t, f.store.WriteAudit(ctx))
	require.NoError(t, f.store.WriteAudit(t.Context()))
	require.Len(t, entries(t, f.store, job.AuditFilter{}), 2, "the parts say it all")
	require.NoError(t, f.store.WriteAudit(audit.With(t.Context(), asked(t, "killRun"))))
	require.Len(t, entries(t, f.store, job.AuditFilter{Action: "killRun"}), 1)
}

func TestAudit_OnlyGrows(t *testing.T) {
	t.Parallel()
	f := setup(t)
	for _, action := range []string{"old", "new"} {
		require.NoError(t, f.store.WriteAudit(audit.With(t.Context(), asked(t, action))))
	}
	for _, sql := range []string{
		`UPDATE audit_log SET actor = 'nobody'`, `DELETE FROM audit_log`, `TRUNCATE audit_log`,
		`SET gluewheel.audit_retention = 'on'; UPDATE audit_log SET actor = 'nobody'`,
		`SET gluewheel.audit_retention = 'on'; TRUNCATE audit_log`,
	} {
		_, err := f.sql.Exec(t.Context(), sql)
		require.ErrorContains(t, err, "append-only", sql)
	}
	f.exec(t, `ALTER TABLE audit_log DISABLE TRIGGER audit_log_keep_rows; UPDATE audit_log SET at = at - interval '2 days' WHERE action = 'old'; ALTER TABLE audit_log ENABLE TRIGGER audit_log_keep_rows`)
	n, err := f.store.ClearAudit(t.Context(), 24*time.Hour, 10)
	require.NoError(t, err)
	require.Equal(t, 1, n)
	left := entries(t, f.store, job.AuditFilter{})
	require.Len(t, left, 1)
	require.Equal(t, "new", left[0].Action)
	_, err = f.store.Audit(t.Context(), job.AuditFilter{}, job.Paging{Cursor: "nonsense"})
	var wrong *job.FieldError
	require.True(t, errors.As(err, &wrong))
}
