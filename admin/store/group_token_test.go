package store_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/admin/job"
)

func groupToken(group int32, n int) job.GroupToken {
	token := fmt.Sprintf("token-%d", n)
	return job.GroupToken{
		GroupID: group, Name: token, Hash: job.TokenHash(token), Sealed: []byte("sealed"),
		Prefix: job.TokenPrefix(token), Weakness: job.WeakShort, CreatedBy: "ann",
	}
}

// sent are the names of the tokens that are marked as such.
func (f *fixture) sent(t *testing.T, group int32) (names []string) {
	t.Helper()
	tokens, err := f.store.GroupTokens(t.Context(), group)
	require.NoError(t, err)
	for _, token := range tokens {
		if token.Sent {
			names = append(names, token.Name)
		}
	}
	return names
}

func TestGroupToken_OneOfAGroupIsSent(t *testing.T) {
	t.Parallel()
	f := setup(t)
	other, err := f.store.CreateGroup(t.Context(), job.Group{AppName: "other", Title: "Other"})
	require.NoError(t, err)
	first, err := f.store.CreateGroupToken(t.Context(), groupToken(f.group.ID, 1))
	require.NoError(t, err)
	require.True(t, first.Sent)
	require.Nil(t, first.LastUsedAt)
	_, err = f.store.CreateGroupToken(t.Context(), groupToken(other.ID, 1))
	require.NoError(t, err, "another group may have the same token")
	second, err := f.store.CreateGroupToken(t.Context(), groupToken(f.group.ID, 2))
	require.NoError(t, err)
	require.False(t, second.Sent)
	chosen := groupToken(f.group.ID, 3)
	chosen.Sent = true
	third, err := f.store.CreateGroupToken(t.Context(), chosen)
	require.NoError(t, err)
	require.Equal(t, []string{"token-3"}, f.sent(t, f.group.ID))
	require.Equal(t, []string{"token-1"}, f.sent(t, other.ID))
	all, err := f.store.GroupTokens(t.Context(), 0)
	require.NoError(t, err)
	require.Len(t, all, 4)

	require.ErrorIs(t, f.store.DeleteGroupToken(t.Context(), other.ID, third.ID), job.ErrNotFound)
	require.NoError(t, f.store.DeleteGroupToken(t.Context(), f.group.ID, third.ID))
	require.Equal(t, []string{"token-2"}, f.sent(t, f.group.ID), "the newest of the others")
	require.NoError(t, f.store.DeleteGroupToken(t.Context(), f.group.ID, first.ID))
	require.Equal(t, []string{"token-2"}, f.sent(t, f.group.ID))
	require.NoError(t, f.store.DeleteGroupToken(t.Context(), f.group.ID, second.ID))
	require.Empty(t, f.sent(t, f.group.ID))
	require.NoError(t, f.store.DeleteGroup(t.Context(), other.ID), "its tokens go with it")
}

func TestGroupToken_Refusals(t *testing.T) {
	t.Parallel()
	f := setup(t)
	_, err := f.store.CreateGroupToken(t.Context(), groupToken(4711, 1))
	require.ErrorIs(t, err, job.ErrNotFound)
	made, err := f.store.CreateGroupToken(t.Context(), groupToken(f.group.ID, 0))
	require.NoError(t, err)
	var wrong *job.FieldError
	_, err = f.store.CreateGroupToken(t.Context(), groupToken(f.group.ID, 0))
	require.ErrorAs(t, err, &wrong)
	require.Equal(t, "token", wrong.Field)
	for n := 1; n < job.MaxGroupTokens; n++ {
		_, err = f.store.CreateGroupToken(t.Context(), groupToken(f.group.ID, n))
		require.NoError(t, err)
	}
	_, err = f.store.CreateGroupToken(t.Context(), groupToken(f.group.ID, 99))
	require.ErrorAs(t, err, &wrong)
	require.Contains(t, wrong.Message, "20 tokens already")
	require.NoError(t, f.store.TouchGroupTokens(t.Context(), []int32{made.ID, 4711}))
	tokens, err := f.store.GroupTokens(t.Context(), f.group.ID)
	require.NoError(t, err)
	require.NotNil(t, tokens[0].LastUsedAt)
	require.Nil(t, tokens[1].LastUsedAt)
}

func TestWaitingApps(t *testing.T) {
	t.Parallel()
	f := setup(t)
	require.NoError(t, f.store.StoreBeats(t.Context(), []job.Beat{
		{AppName: f.group.AppName, Address: "http://e:1/"},
		{AppName: "newcomer", Address: "http://e:3/", Dialect: job.DialectB, TokenID: 5},
		{AppName: "newcomer", Address: "http://e:2/", Dialect: job.DialectB},
		{AppName: "another", Address: "http://e:4/", Dialect: job.DialectA},
	}))
	apps, err := f.store.WaitingApps(t.Context())
	require.NoError(t, err)
	require.Len(t, apps, 2)
	require.Equal(t, "another", apps[0].AppName)
	require.Equal(t, []string{"http://e:2/", "http://e:3/"}, apps[1].Addresses)
	require.Equal(t, job.DialectB, apps[1].Dialect)
	require.False(t, apps[1].FirstSeenAt.After(apps[1].LastSeenAt))
	executors, err := f.store.Executors(t.Context())
	require.NoError(t, err)
	require.Contains(t, fmt.Sprintf("%+v", executors), "TokenID:5")

	_, err = f.store.CreateGroup(t.Context(), job.Group{AppName: "newcomer", Title: "t"})
	require.NoError(t, err)
	apps, err = f.store.WaitingApps(t.Context())
	require.NoError(t, err)
	require.Len(t, apps, 1)
	known, err := f.store.GroupApps(t.Context())
	require.NoError(t, err)
	require.Len(t, known, 2)
}

func TestGroupToken_SealedAnew(t *testing.T) {
	t.Parallel()
	f := setup(t)
	made, err := f.store.CreateGroupToken(t.Context(), groupToken(f.group.ID, 1))
	require.NoError(t, err)
	other := made
	other.Sealed = []byte("of another admin")
	require.NoError(t, f.store.ResealGroupToken(t.Context(), other, []byte("late")))
	require.NoError(t, f.store.ResealGroupToken(t.Context(), made, []byte("anew")))
	all, err := f.store.GroupTokens(t.Context(), f.group.ID)
	require.NoError(t, err)
	require.Equal(t, []byte("anew"), all[0].Sealed)
}
