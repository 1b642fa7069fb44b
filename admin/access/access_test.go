package access_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/gluewheel/gluewheel/admin/access"
	"github.com/gluewheel/gluewheel/admin/job"
	"github.com/gluewheel/gluewheel/admin/seal"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fakeStore has groups 1 (orders), 2 (stock) and 3 (bare).
type fakeStore struct {
	mu      sync.Mutex
	away    bool
	tokens  []job.GroupToken
	touched []int32
}

func (s *fakeStore) GroupTokens(context.Context, int32) ([]job.GroupToken, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.away {
		return nil, errors.New("connection refused")
	}
	return s.tokens, nil
}

func (s *fakeStore) GroupApps(context.Context) ([]job.GroupApp, error) {
	return []job.GroupApp{{ID: 1, AppName: "orders"}, {ID: 2, AppName: "stock"}, {ID: 3, AppName: "bare"}}, nil
}

func (s *fakeStore) TouchGroupTokens(_ context.Context, ids []int32) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.touched = append(s.touched, ids...)
	return nil
}

func (s *fakeStore) ResealGroupToken(_ context.Context, t job.GroupToken, sealed []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.tokens {
		if s.tokens[i].ID == t.ID && bytes.Equal(s.tokens[i].Sealed, t.Sealed) {
			s.tokens[i].Sealed = sealed
		}
	}
	return nil
}

// add stores a token as the API does.
func (s *fakeStore) add(t *testing.T, ring seal.Ring, id, group int32, token string, sent bool) {
	t.Helper()
	made, err := access.Seal(ring, group, token)
	require.NoError(t, err)
	made.ID, made.Name, made.Sent = id, "name", sent
	s.mu.Lock()
	s.tokens = append(s.tokens, made)
	s.mu.Unlock()
}

type bundle struct {
	*access.Access
	store *fakeStore
	ring  seal.Ring
	log   *bytes.Buffer
}

func newRing(t *testing.T) seal.Ring {
	t.Helper()
	ring, err := seal.Parse(seal.NewKey())
	require.NoError(t, err)
	return ring
}

const (
	global = "the-global-token-of-this-test"
	older  = "an-older-token-of-the-orders"
	newer  = "a-newer-token-of-the-orders-"
	shared = "one-token-of-orders-and-stock"
)

func setup(t *testing.T, token string) *bundle {
	t.Helper()
	b := &bundle{store: &fakeStore{}, ring: newRing(t), log: &bytes.Buffer{}}
	b.store.add(t, b.ring, 11, 1, older, true)
	b.store.add(t, b.ring, 12, 1, newer, false)
	b.store.add(t, b.ring, 13, 1, shared, false)
	b.store.add(t, b.ring, 21, 2, shared, true)
	var err error
	b.Access, err = access.New(access.Config{Store: b.store, Seal: b.ring, Token: token, Log: slog.New(slog.NewTextHandler(b.log, nil))})
	require.NoError(t, err)
	require.NoError(t, b.Load(t.Context()))
	return b
}

func TestAccess_Check(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, global, token, app string
		apps                     []string // that it speaks for, of the three
	}{
		{"global", global, global, "", []string{"orders", "stock", "bare"}},
		{"global, with an app name", global, global, "nobody", []string{"orders", "stock", "bare"}},
		{"a group's", global, older, "", []string{"orders"}},
		{"a group's, without a global one", "", newer, "", []string{"orders"}},
		{"of two groups", global, shared, "", []string{"orders", "stock"}},
		{"of two groups, with an app name", global, shared, "stock", []string{"stock"}},
		{"a group's, with another app name", global, older, "stock", nil},
		{"a group's, with no group's app name", global, older, "nobody", nil},
		{"wrong", global, "no", "", nil},
		{"none", global, "", "", nil},
		{"none, and no global one", "", "", "", nil},
		{"none, and no global one, with an app name", "", "", "bare", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			pass, ok := setup(t, c.global).Check(c.token, c.app)
			require.Equal(t, c.apps != nil, ok)
			var may []string
			for _, app := range []string{"orders", "stock", "bare"} {
				if pass.May(app) {
					may = append(may, app)
				}
			}
			require.Equal(t, c.apps, may)
			require.Equal(t, c.token == c.global && c.global != "", pass.May("no group's"))
			require.Equal(t, c.token == c.global || !ok, pass.Groups() == nil)
		})
	}
}

func TestAccess_Sent(t *testing.T) {
	t.Parallel()
	id := func(n int32) *int32 { return &n }
	for _, c := range []struct {
		name, global string
		group        int32
		registered   *int32
		want         string
	}{
		{"registered with the older one", global, 1, id(11), older},
		{"registered with the newer one", global, 1, id(12), newer},
		{"registered with the global one", global, 1, id(0), global},
		{"not registered", global, 1, nil, older},
		{"registered with one that is gone", global, 1, id(99), older},
		{"registered with another group's", global, 1, id(21), older},
		{"registered with a global one that is gone", "", 1, id(0), older},
		{"group without tokens", global, 3, nil, global},
		{"group without tokens, no global one", "", 3, nil, ""},
		{"no group", global, 0, nil, global},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			token, ok := setup(t, c.global).Sent(c.group, c.registered)
			require.True(t, ok)
			require.Equal(t, c.want, token)
		})
	}
}

func TestAccess_UnreadableTokensAreNotReplacedByOthers(t *testing.T) {
	t.Parallel()
	b := setup(t, global)
	for _, ring := range []seal.Ring{{}, newRing(t)} {
		log := &bytes.Buffer{}
		other, err := access.New(access.Config{Store: b.store, Seal: ring, Token: global, Log: slog.New(slog.NewTextHandler(log, nil))})
		require.NoError(t, err)
		require.NoError(t, other.Load(t.Context()))
		token, ok := other.Sent(1, nil)
		require.False(t, ok)
		require.Empty(t, token)
		require.Contains(t, log.String(), "cannot be read")
		require.Len(t, other.Warnings(), 4)
		require.NotContains(t, log.String(), older)
		_, ok = other.Check(older, "")
		require.True(t, ok, "to compare a token its hash is enough")
	}
}

func TestAccess_WarnsOfWellKnownTokens(t *testing.T) {
	t.Parallel()
	b := setup(t, "default_token")
	b.store.add(t, b.ring, 31, 3, "Default_Token", true)
	b.store.add(t, b.ring, 32, 3, "abcd", false)
	require.NoError(t, b.Load(t.Context()))
	require.NoError(t, b.Load(t.Context()))
	require.Equal(t, 2, bytes.Count(b.log.Bytes(), []byte("well-known")), "once each: %s", b.log)
	warnings := b.Warnings()
	require.Len(t, warnings, 3)
	require.Contains(t, warnings[0], "global executor token")
	require.Contains(t, warnings[1], "bare")
	require.Contains(t, warnings[2], "short")
	_, ok := b.Check("default_token", "")
	require.True(t, ok, "the operator has said so")
}

func TestAccess_FollowsChanges(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := setup(t, "")
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- b.Run(ctx) }()
		synctest.Wait()
		const late = "a-token-that-came-later"
		b.store.add(t, b.ring, 31, 3, late, true)
		_, ok := b.Check(late, "")
		require.False(t, ok)
		b.Changed(job.Change{Kind: job.ChangeGroup, ID: 3})
		synctest.Wait()
		_, ok = b.Check(late, "bare")
		require.True(t, ok)

		b.store.mu.Lock()
		b.store.away = true
		b.store.mu.Unlock()
		b.Changed(job.Change{Kind: job.ChangeAll})
		time.Sleep(time.Minute)
		_, ok = b.Check(late, "")
		require.True(t, ok, "the last known ones hold")
		b.store.mu.Lock()
		b.store.away, b.store.tokens = false, nil
		b.store.mu.Unlock()
		time.Sleep(time.Minute)
		_, ok = b.Check(late, "")
		require.False(t, ok)
		b.store.mu.Lock()
		require.Equal(t, []int32{31}, b.store.touched)
		b.store.mu.Unlock()
		stop()
		require.NoError(t, <-ended)
	})
}

func TestAccess_FindsWhatNobodyToldOf(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := setup(t, "")
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- b.Run(ctx) }()
		synctest.Wait()
		_, ok := b.Check(older, "orders")
		require.True(t, ok)
		b.store.mu.Lock()
		b.store.tokens = b.store.tokens[1:]
		b.store.mu.Unlock()
		time.Sleep(time.Minute)
		_, ok = b.Check(older, "orders")
		require.False(t, ok, "it was taken back a minute ago")
		stop()
		require.NoError(t, <-ended)
	})
}

func TestAccess_Rotates(t *testing.T) {
	t.Parallel()
	oldest, old, fresh := seal.NewKey(), seal.NewKey(), seal.NewKey()
	ring := func(keys string) seal.Ring {
		r, err := seal.Parse(keys)
		require.NoError(t, err)
		return r
	}
	store := &fakeStore{}
	store.add(t, ring(old), 11, 1, older, true)
	store.add(t, ring(oldest), 21, 2, newer, true) // nobody has its key any more
	use := func(keys string) *access.Access {
		a, err := access.New(access.Config{Store: store, Seal: ring(keys), Log: slog.New(slog.DiscardHandler)})
		require.NoError(t, err)
		require.NoError(t, a.Reseal(t.Context()))
		require.NoError(t, a.Load(t.Context()))
		return a
	}
	use(fresh + "\n" + old)
	token, ok := use(fresh).Sent(1, nil)
	require.True(t, ok)
	require.Equal(t, older, token)
	_, ok = use(fresh).Sent(2, nil)
	require.False(t, ok)
	token, ok = use(oldest).Sent(2, nil)
	require.True(t, ok, "what could not be opened was left as it is")
	require.Equal(t, newer, token)

	store.away = true
	a, err := access.New(access.Config{Store: store, Seal: ring(fresh), Log: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	require.Error(t, a.Reseal(t.Context()), "the loop tries again")
}
