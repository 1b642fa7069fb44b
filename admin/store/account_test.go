package store_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/admin/job"
	"github.com/gluewheel/gluewheel/admin/store"
	"github.com/gluewheel/gluewheel/admin/store/storetest"
)

func newUser(t *testing.T, s *store.Store, u job.User) job.User {
	t.Helper()
	u.PasswordHash = "h"
	made, err := s.CreateUser(t.Context(), u)
	require.NoError(t, err)
	return made
}

func TestUsers_KeepTheirGrants(t *testing.T) {
	t.Parallel()
	f := setup(t)
	a, err := f.store.CreateGroup(t.Context(), job.Group{AppName: "app-a", Title: "A"})
	require.NoError(t, err)
	b, err := f.store.CreateGroup(t.Context(), job.Group{AppName: "app-b", Title: "B"})
	require.NoError(t, err)
	newUser(t, f.store, job.User{Username: "root", Role: job.RoleAdmin})
	grants := []job.Grant{{GroupID: a.ID, Role: job.GroupViewer}, {GroupID: b.ID, Role: job.GroupPublisher}}
	u := newUser(t, f.store, job.User{Username: "ann", Role: job.RoleUser, Grants: grants})
	require.Equal(t, grants, u.Grants)

	u, err = f.store.UpdateUser(t.Context(), job.UserEdit{ID: u.ID, Version: u.Version, Role: job.RoleUser, Grants: grants[1:]})
	require.NoError(t, err)
	require.Equal(t, grants[1:], u.Grants)
	_, err = f.store.UpdateUser(t.Context(), job.UserEdit{ID: u.ID, Version: 1, Role: job.RoleUser})
	require.ErrorIs(t, err, job.ErrConflict)
	_, err = f.store.UpdateUser(t.Context(), job.UserEdit{ID: 4711, Version: 1, Role: job.RoleUser})
	require.ErrorIs(t, err, job.ErrNotFound)
	var wrong *job.FieldError
	_, err = f.store.UpdateUser(t.Context(), job.UserEdit{ID: u.ID, Version: u.Version, Role: job.RoleUser, Grants: []job.Grant{{GroupID: 4711, Role: job.GroupViewer}}})
	require.ErrorAs(t, err, &wrong)
	require.Equal(t, "grants", wrong.Field)

	require.NoError(t, f.store.DeleteGroup(t.Context(), b.ID))
	u, err = f.store.User(t.Context(), u.ID)
	require.NoError(t, err)
	require.Empty(t, u.Grants, "the grant went with its group")
	page, err := f.store.Users(t.Context(), "AN", "", job.Paging{})
	require.NoError(t, err)
	require.Len(t, page.Items, 1)
}

func TestUsers_TheLastAdminStays(t *testing.T) {
	t.Parallel()
	f := setup(t)
	root := newUser(t, f.store, job.User{Username: "root", Role: job.RoleAdmin})
	require.ErrorIs(t, f.store.DeleteUser(t.Context(), root.ID, 0), job.ErrLastAdmin)
	for _, e := range []job.UserEdit{{Role: job.RoleUser}, {Role: job.RoleAuditor}, {Role: job.RoleAdmin, Disabled: true}} {
		e.ID, e.Version = root.ID, root.Version
		_, err := f.store.UpdateUser(t.Context(), e)
		require.ErrorIs(t, err, job.ErrLastAdmin)
	}
	other := newUser(t, f.store, job.User{Username: "other", Role: job.RoleAdmin})

	// Two admins who delete each other at the same moment do not leave nobody.
	var wg sync.WaitGroup
	errs := make([]error, 2)
	for i, id := range []int32{root.ID, other.ID} {
		s := storetest.Open(t, f.url)
		wg.Go(func() { errs[i] = s.DeleteUser(t.Context(), id, 0) })
	}
	wg.Wait()
	require.True(t, (errs[0] == nil) != (errs[1] == nil), "%v", errs)
}

func TestUsers_AreLoggedOutWhenWhatTheyMayDoChanges(t *testing.T) {
	t.Parallel()
	f := setup(t)
	newUser(t, f.store, job.User{Username: "root", Role: job.RoleAdmin})
	u := newUser(t, f.store, job.User{Username: "ann", Role: job.RoleUser})
	alive := func() bool {
		_, err := f.store.SessionUser(t.Context(), []byte("s"), week)
		return err == nil
	}
	for _, c := range []struct {
		name  string
		edit  job.UserEdit
		alive bool
	}{
		{"nothing", job.UserEdit{Role: job.RoleUser}, true},
		{"role", job.UserEdit{Role: job.RoleAuditor}, false},
		{"password", job.UserEdit{Role: job.RoleAuditor, PasswordHash: "another"}, false},
		{"disabled", job.UserEdit{Role: job.RoleAuditor, Disabled: true}, false},
	} {
		require.NoError(t, f.store.CreateSession(t.Context(), job.Session{TokenHash: []byte("s"), UserID: u.ID, Lifetime: time.Hour}, week), c.name)
		require.True(t, alive(), c.name)
		c.edit.ID, c.edit.Version = u.ID, u.Version
		var err error
		u, err = f.store.UpdateUser(t.Context(), c.edit)
		require.NoError(t, err)
		require.Equal(t, c.alive, alive(), c.name)
		f.exec(t, `DELETE FROM session`)
	}
	require.ErrorIs(t, f.store.CreateSession(t.Context(), job.Session{TokenHash: []byte("s"), UserID: u.ID, Lifetime: time.Hour}, week), job.ErrNotFound, "disabled")
}

func TestSessions_AreListedAndEnded(t *testing.T) {
	t.Parallel()
	f := setup(t)
	u := newUser(t, f.store, job.User{Username: "ann", Role: job.RoleUser})
	other := newUser(t, f.store, job.User{Username: "bob", Role: job.RoleUser})
	begin := func(s job.Session) {
		t.Helper()
		s.Lifetime = time.Hour
		require.NoError(t, f.store.CreateSession(t.Context(), s, week))
	}
	begin(job.Session{TokenHash: []byte("a"), UserID: u.ID, Address: "192.0.2.1", UserAgent: "Firefox"})
	begin(job.Session{TokenHash: []byte("b"), UserID: u.ID})
	begin(job.Session{TokenHash: []byte("c"), UserID: other.ID})
	list, err := f.store.Sessions(t.Context(), u.ID, []byte("a"), week)
	require.NoError(t, err)
	require.Len(t, list, 2)
	require.Equal(t, "192.0.2.1", list[1].Address)
	require.True(t, list[1].Current)
	require.False(t, list[0].Current)

	require.ErrorIs(t, f.store.EndSession(t.Context(), other.ID, list[0].ID), job.ErrNotFound, "not one's own")
	require.NoError(t, f.store.EndSession(t.Context(), u.ID, list[0].ID))
	gone := &job.Renewal{OldHash: []byte("b"), NewHash: []byte("e")}
	require.ErrorIs(t, f.store.SetPassword(t.Context(), u.ID, "another", gone), job.ErrNotFound, "a session that has ended changes nothing")
	foreign := &job.Renewal{OldHash: []byte("c"), NewHash: []byte("e")}
	require.ErrorIs(t, f.store.SetPassword(t.Context(), u.ID, "another", foreign), job.ErrNotFound, "nor does another account's")
	kept, err := f.store.User(t.Context(), u.ID)
	require.NoError(t, err)
	require.NotEqual(t, "another", kept.PasswordHash)
	require.NoError(t, f.store.SetPassword(t.Context(), u.ID, "another", &job.Renewal{OldHash: []byte("a"), NewHash: []byte("a2")}))
	_, err = f.store.SessionUser(t.Context(), []byte("a"), week)
	require.ErrorIs(t, err, job.ErrNotFound, "its old token is nobody's")
	_, err = f.store.SessionUser(t.Context(), []byte("a2"), week)
	require.NoError(t, err)
	list, err = f.store.Sessions(t.Context(), u.ID, nil, week)
	require.NoError(t, err)
	require.Len(t, list, 1, "the one that changed the password stays")
	begin(job.Session{TokenHash: []byte("d"), OldHash: []byte("a2"), UserID: u.ID})
	list, err = f.store.Sessions(t.Context(), u.ID, []byte("d"), week)
	require.NoError(t, err)
	require.Len(t, list, 1, "the new one took the old one's place")
	require.NoError(t, f.store.EndSessions(t.Context(), u.ID))
	_, err = f.store.SessionUser(t.Context(), []byte("d"), week)
	require.ErrorIs(t, err, job.ErrNotFound)
	_, err = f.store.SessionUser(t.Context(), []byte("c"), week)
	require.NoError(t, err)
}

func TestTokens_ExpireAndAreDisabledWithTheirUser(t *testing.T) {
	t.Parallel()
	f := setup(t)
	newUser(t, f.store, job.User{Username: "root", Role: job.RoleAdmin})
	u := newUser(t, f.store, job.User{Username: "ann", Role: job.RoleUser})
	made, err := f.store.CreateToken(t.Context(), job.APIToken{UserID: u.ID, Name: "ci", Prefix: "gw_abc", TokenHash: []byte("t"), Role: "viewer", GroupIDs: []int32{f.group.ID}})
	require.NoError(t, err)
	require.Equal(t, "ann", made.Username)
	require.Nil(t, made.LastUsedAt)
	known := func() bool {
		_, _, err := f.store.TokenUser(t.Context(), []byte("t"))
		return err == nil
	}
	require.True(t, known())
	read := func() job.APIToken {
		page, err := f.store.Tokens(t.Context(), u.ID, job.Paging{})
		require.NoError(t, err)
		return page.Items[0]
	}
	used := read().LastUsedAt
	require.NotNil(t, used)
	require.True(t, known())
	require.Equal(t, used, read().LastUsedAt, "noted once a minute")

	f.exec(t, `UPDATE api_token SET expires_at = clock_timestamp() - interval '1 second'`)
	require.False(t, known(), "expired")
	f.exec(t, `UPDATE api_token SET expires_at = NULL`)
	f.exec(t, `UPDATE user_account SET disabled = true WHERE username = 'ann'`)
	require.False(t, known(), "disabled")
	f.exec(t, `UPDATE user_account SET disabled = false`)
	require.ErrorIs(t, f.store.DeleteToken(t.Context(), u.ID+1, made.ID), job.ErrNotFound, "not one's own")
	require.NoError(t, f.store.DeleteToken(t.Context(), u.ID, made.ID))
	require.False(t, known())

	for i := range 100 {
		_, err := f.store.CreateToken(t.Context(), job.APIToken{UserID: u.ID, Name: "x", TokenHash: fmt.Append(nil, i), Role: "viewer"})
		require.NoError(t, err)
	}
	var full *job.FieldError
	_, err = f.store.CreateToken(t.Context(), job.APIToken{UserID: u.ID, Name: "x", TokenHash: []byte("one too many"), Role: "viewer"})
	require.ErrorAs(t, err, &full)
}

func TestTakeLogin_CountsOverAllAdmins(t *testing.T) {
	t.Parallel()
	f := setup(t)
	buckets := []job.Bucket{{Key: "wide", Max: 100}, {Key: "narrow", Max: 5}}
	var let atomic.Int32
	var wg sync.WaitGroup
	for range 4 {
		s := storetest.Open(t, f.url)
		wg.Go(func() {
			for range 5 {
				wait, err := s.TakeLogin(t.Context(), buckets, time.Hour)
				if err == nil && wait == 0 {
					let.Add(1)
				}
			}
		})
	}
	wg.Wait()
	require.EqualValues(t, 5, let.Load())
	var level float64
	require.NoError(t, f.sql.QueryRow(t.Context(), `SELECT level FROM login_throttle WHERE key = 'wide'`).Scan(&level))
	require.InDelta(t, 5, level, 1, "what was refused by one is counted in none")
	wait, err := f.store.TakeLogin(t.Context(), buckets, time.Hour)
	require.NoError(t, err)
	require.InDelta(t, time.Hour/5, wait, float64(time.Minute))

	require.NoError(t, f.store.GiveBackLogin(t.Context(), buckets))
	wait, err = f.store.TakeLogin(t.Context(), buckets, time.Hour)
	require.NoError(t, err)
	require.Zero(t, wait)
	f.exec(t, `UPDATE login_throttle SET at = at - interval '2 hours'`)
	_, err = f.store.TakeLogin(t.Context(), []job.Bucket{{Key: "other", Max: 1}}, time.Hour)
	require.NoError(t, err)
	var left int
	require.NoError(t, f.sql.QueryRow(t.Context(), `SELECT count(*) FROM login_throttle`).Scan(&left))
	require.Equal(t, 1, left, "what has leaked out is forgotten")
}
