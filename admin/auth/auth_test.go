package auth

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/admin/job"
)

// memory is a store of accounts in memory; it has what these tests call.
type memory struct {
	accounts
	users    []job.User
	sessions []job.Session
	err      error
	taken    int           // attempts that were counted over all admins
	wait     time.Duration // of which there were too many
}

func (m *memory) UserByName(_ context.Context, name string) (job.User, error) {
	for _, u := range m.users {
		if u.Username == name {
			return u, m.err
		}
	}
	return job.User{}, errors.Join(job.ErrNotFound, m.err)
}

func (m *memory) CreateUser(_ context.Context, u job.User) (job.User, error) {
	u.ID = int32(len(m.users) + 1)
	m.users = append(m.users, u)
	return u, m.err
}

func (m *memory) CreateFirstUser(ctx context.Context, u job.User) (bool, error) {
	if len(m.users) > 0 {
		return false, m.err
	}
	_, err := m.CreateUser(ctx, u)
	return true, err
}

func (m *memory) HasUsers(context.Context) (bool, error) { return len(m.users) > 0, m.err }

func (m *memory) CreateSession(_ context.Context, s job.Session, _ time.Duration) error {
	m.sessions = slices.DeleteFunc(m.sessions, func(old job.Session) bool { return bytes.Equal(old.TokenHash, s.OldHash) })
	m.sessions = append(m.sessions, s)
	return m.err
}

func (m *memory) SessionUser(_ context.Context, hash []byte, _ time.Duration) (job.User, error) {
	for _, s := range m.sessions {
		if bytes.Equal(s.TokenHash, hash) {
			return m.users[s.UserID-1], m.err
		}
	}
	return job.User{}, errors.Join(job.ErrNotFound, m.err)
}

func (m *memory) TakeLogin(context.Context, []job.Bucket, time.Duration) (time.Duration, error) {
	m.taken++
	return m.wait, nil
}

func (m *memory) GiveBackLogin(context.Context, []job.Bucket) error {
	m.taken--
	return nil
}

func (m *memory) DeleteSession(_ context.Context, hash []byte) error {
	for i, s := range m.sessions {
		if bytes.Equal(s.TokenHash, hash) {
			m.sessions = append(m.sessions[:i], m.sessions[i+1:]...)
			break
		}
	}
	return m.err
}

const password = "correct horse"

func setup(t *testing.T) (*Auth, *memory) {
	t.Helper()
	m := &memory{}
	a, err := New(t.Context(), m)
	require.NoError(t, err)
	created, err := a.EnsureAdmin(t.Context(), password)
	require.NoError(t, err)
	require.True(t, created)
	return a, m
}

func TestAuth_EnsuresOneFirstUserWithoutADefault(t *testing.T) {
	t.Parallel()
	a, m := setup(t)
	created, err := a.EnsureAdmin(t.Context(), "another password")
	require.NoError(t, err)
	require.False(t, created)
	require.Len(t, m.users, 1)
	_, err = a.EnsureAdmin(t.Context(), "")
	require.ErrorContains(t, err, "at least 8")
}

func TestAuth_SessionsAreStoredHashed(t *testing.T) {
	t.Parallel()
	a, m := setup(t)
	id, token, err := a.Login(t.Context(), FirstUser, password, Client{Addr: here})
	require.NoError(t, err)
	require.True(t, id.Admin())
	require.Len(t, token, 43) // 32 bytes in base64
	require.Len(t, m.sessions[0].TokenHash, 32)
	require.NotContains(t, string(m.sessions[0].TokenHash), token)

	again, err := a.Authenticate(t.Context(), token)
	require.NoError(t, err)
	require.Equal(t, id, again)
	for _, wrong := range []string{"", "x", token + "x"} {
		_, err = a.Authenticate(t.Context(), wrong)
		require.ErrorIs(t, err, ErrNoSession)
	}
	_, next, err := a.Login(t.Context(), FirstUser, password, Client{Addr: here, Session: token})
	require.NoError(t, err)
	require.NotEqual(t, token, next)
	_, err = a.Authenticate(t.Context(), token)
	require.ErrorIs(t, err, ErrNoSession)
	require.NoError(t, a.Logout(t.Context(), next))
	_, err = a.Authenticate(t.Context(), next)
	require.ErrorIs(t, err, ErrNoSession)
}

func TestAuth_CountsOnlyWrongPasswords(t *testing.T) {
	t.Parallel()
	a, m := setup(t)
	m.err = errors.New("database is away")
	for range 2 * failuresPerPair {
		_, _, err := a.Login(t.Context(), FirstUser, password, Client{Addr: here})
		require.ErrorIs(t, err, m.err)
	}
	m.err = nil
	for range 2 * failuresPerPair {
		_, _, err := a.Login(t.Context(), FirstUser, password, Client{Addr: here})
		require.NoError(t, err)
	}
	for range failuresPerPair {
		_, _, err := a.Login(t.Context(), FirstUser, "wrong password", Client{Addr: here})
		require.ErrorIs(t, err, ErrWrongLogin)
	}
	_, _, err := a.Login(t.Context(), FirstUser, password, Client{Addr: here})
	refused(t, err)
}

func TestAuth_HeedsWhatOtherAdminsCounted(t *testing.T) {
	t.Parallel()
	a, m := setup(t)
	m.wait = time.Minute
	for range 2 * failuresPerPair {
		_, _, err := a.Login(t.Context(), FirstUser, password, Client{Addr: here})
		require.Equal(t, time.Minute, refused(t, err))
	}
	m.wait, m.taken = 0, 0
	_, _, err := a.Login(t.Context(), FirstUser, password, Client{Addr: here})
	require.NoError(t, err, "what the others refused is not counted here too")
	require.Zero(t, m.taken, "a login is no failure")
	_, _, err = a.Login(t.Context(), FirstUser, "wrong password", Client{Addr: here})
	require.ErrorIs(t, err, ErrWrongLogin)
	require.Equal(t, 1, m.taken)
}

func TestAuth_LetsInNobodyWhoIsDisabledOrHasNoPassword(t *testing.T) {
	t.Parallel()
	a, m := setup(t)
	m.users[0].Disabled = true
	_, _, err := a.Login(t.Context(), FirstUser, password, Client{Addr: here})
	require.ErrorIs(t, err, ErrWrongLogin)
	m.users = append(m.users, job.User{ID: 2, Username: "sso"})
	for _, p := range []string{"", "password"} {
		_, _, err = a.Login(t.Context(), "sso", p, Client{Addr: here})
		require.ErrorIs(t, err, ErrWrongLogin)
	}
}
