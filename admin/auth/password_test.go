package auth

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestHasher_MatchesItsOwnHashes(t *testing.T) {
	t.Parallel()
	h := newHasher(1)
	one, err := h.hash(t.Context(), "correct horse")
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(one, "$argon2id$v=19$m=19456,t=2,p=1$"))
	two, err := h.hash(t.Context(), "correct horse")
	require.NoError(t, err)
	require.NotEqual(t, one, two, "salts must differ")
	for password, want := range map[string]bool{"correct horse": true, "Correct horse": false, "": false} {
		ok, err := h.matches(t.Context(), password, one)
		require.NoError(t, err)
		require.Equal(t, want, ok, password)
	}
}

func TestHasher_ReadsHashesOfOtherTools(t *testing.T) {
	t.Parallel()
	// A test vector of the reference implementation.
	const phc = "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"
	ok, err := newHasher(1).matches(t.Context(), "password", phc)
	require.NoError(t, err)
	require.True(t, ok)
}

func TestHasher_RefusesStoredNonsense(t *testing.T) {
	t.Parallel()
	for _, phc := range []string{
		"", "plain", "$argon2i$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc",
		"$argon2id$v=18$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc",
		"$argon2id$v=19$m=4294967295,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc",
		"$argon2id$v=19$m=65536,t=99,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc",
		"$argon2id$v=19$m=65536,t=2,p=0$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc",
		"$argon2id$v=19$m=65536,t=2,p=1$$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc",
		"$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$",
		"$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$!!!",
	} {
		_, err := newHasher(1).matches(t.Context(), "password", phc)
		require.ErrorIs(t, err, errBadHash, phc)
	}
}

func TestHasher_WaitsForAPlaceNoLongerThanItsContext(t *testing.T) {
	t.Parallel()
	h := newHasher(1)
	free, err := h.take(t.Context())
	require.NoError(t, err)
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("the client has gone")
	cancel(cause)
	_, err = h.hash(ctx, "correct horse")
	require.ErrorIs(t, err, cause)
	free()
	_, err = h.hash(t.Context(), "correct horse")
	require.NoError(t, err)
}

func TestCheckPassword(t *testing.T) {
	t.Parallel()
	require.NoError(t, CheckPassword("12345678"))
	require.NoError(t, CheckPassword(strings.Repeat("密", MaxPassword)))
	require.ErrorContains(t, CheckPassword("1234567"), "at least 8")
	require.ErrorContains(t, CheckPassword(strings.Repeat("x", MaxPassword+1)), "at most 200")
	require.ErrorContains(t, CheckPassword("\xff12345678"), "UTF-8")
}
