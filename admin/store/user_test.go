package store_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/admin/job"
	"github.com/gluewheel/gluewheel/admin/store/storetest"
)

const week = 7 * 24 * time.Hour

func TestUsers_AreUniqueByName(t *testing.T) {
	t.Parallel()
	f := setup(t)
	has, err := f.store.HasUsers(t.Context())
	require.NoError(t, err)
	require.False(t, has)
	made, err := f.store.CreateUser(t.Context(), job.User{Username: "ann", PasswordHash: "h", Role: job.RoleUser})
	require.NoError(t, err)
	read, err := f.store.UserByName(t.Context(), "ann")
	require.NoError(t, err)
	require.Equal(t, made, read)
	_, err = f.store.CreateUser(t.Context(), job.User{Username: "ann", PasswordHash: "h", Role: job.RoleUser})
	require.ErrorIs(t, err, job.ErrDuplicateUser)
	_, err = f.store.UserByName(t.Context(), "Ann")
	require.ErrorIs(t, err, job.ErrNotFound)
}

func TestCreateFirstUser_IsWonByOneAdmin(t *testing.T) {
	t.Parallel()
	f := setup(t)
	won := make([]bool, 4)
	errs := make([]error, len(won))
	var wg sync.WaitGroup
	for i := range won {
		s := storetest.Open(t, f.url)
		wg.Go(func() {
			u := job.User{Username: fmt.Sprint("admin", i), PasswordHash: "h", Role: job.RoleAdmin}
			won[i], errs[i] = s.CreateFirstUser(t.Context(), u)
		})
	}
	wg.Wait()
	n := 0
	for i := range won {
		require.NoError(t, errs[i])
		if won[i] {
			n++
		}
	}
	require.Equal(t, 1, n)
}

func TestSessions_EndWhenIdleOrOld(t *testing.T) {
	t.Parallel()
	f := setup(t)
	u, err := f.store.CreateUser(t.Context(), job.User{Username: "ann", PasswordHash: "h", Role: job.RoleUser})
	require.NoError(t, err)
	token := []byte("a hash")
	begin := func(token []byte) {
		t.Helper()
		require.NoError(t, f.store.CreateSession(t.Context(), job.Session{TokenHash: token, UserID: u.ID, Lifetime: 30 * 24 * time.Hour}, week))
	}
	alive := func() bool {
		t.Helper()
		got, err := f.store.SessionUser(t.Context(), token, week)
		if err == nil {
			require.NotNil(t, got.LastLoginAt)
			got.LastLoginAt = nil
			require.Equal(t, u, got)
			return true
		}
		require.ErrorIs(t, err, job.ErrNotFound)
		return false
	}
	begin(token)
	require.True(t, alive())

	f.exec(t, `UPDATE session SET used_at = clock_timestamp() - interval '6 days 23 hours'`)
	require.True(t, alive(), "nearly idle")
	var used time.Time
	require.NoError(t, f.sql.QueryRow(t.Context(), `SELECT used_at FROM session`).Scan(&used))
	require.WithinDuration(t, time.Now(), used, time.Minute, "use is noted")

	f.exec(t, `UPDATE session SET used_at = clock_timestamp() - interval '7 days 1 minute'`)
	require.False(t, alive(), "idle")
	f.exec(t, `UPDATE session SET used_at = clock_timestamp(), expires_at = clock_timestamp() - interval '1 second'`)
	require.False(t, alive(), "old")

	begin([]byte("another hash"))
	var left int
	require.NoError(t, f.sql.QueryRow(t.Context(), `SELECT count(*) FROM session`).Scan(&left))
	require.Equal(t, 1, left, "what has ended is cleared away")
	require.NoError(t, f.store.DeleteSession(t.Context(), token))
}

func TestSessions_AreBoundedPerUser(t *testing.T) {
	t.Parallel()
	f := setup(t)
	u, err := f.store.CreateUser(t.Context(), job.User{Username: "ann", PasswordHash: "h", Role: job.RoleUser})
	require.NoError(t, err)
	for i := range 25 {
		s := job.Session{TokenHash: []byte(fmt.Sprint("hash", i)), UserID: u.ID, Lifetime: time.Hour}
		require.NoError(t, f.store.CreateSession(t.Context(), s, week))
	}
	for i, alive := range map[int]bool{4: false, 5: true, 24: true} {
		_, err := f.store.SessionUser(t.Context(), []byte(fmt.Sprint("hash", i)), week)
		require.Equal(t, alive, err == nil, i)
	}
}
