package seal_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/gluewheel/gluewheel/admin/seal"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func ring(t *testing.T, keys ...string) seal.Ring {
	t.Helper()
	r, err := seal.Parse(strings.Join(keys, "\n"))
	require.NoError(t, err)
	return r
}

func TestRing_OpensWhatItSealed(t *testing.T) {
	t.Parallel()
	r := ring(t, seal.NewKey())
	for _, value := range []string{"", "s3cret", strings.Repeat("x", 1<<16)} {
		sealed, err := r.Seal("secret/1/A", []byte(value))
		require.NoError(t, err)
		if value != "" {
			require.NotContains(t, string(sealed), value)
		}
		opened, err := r.Open("secret/1/A", sealed)
		require.NoError(t, err)
		require.Equal(t, value, string(opened))
	}
}

func TestRing_RefusesAnotherPlaceAndDamage(t *testing.T) {
	t.Parallel()
	r := ring(t, seal.NewKey())
	sealed, err := r.Seal("secret/1/A", []byte("v"))
	require.NoError(t, err)
	_, err = r.Open("secret/2/A", sealed)
	require.ErrorIs(t, err, seal.ErrBroken)
	for i := range sealed {
		changed := append([]byte(nil), sealed...)
		changed[i] ^= 1
		_, err := r.Open("secret/1/A", changed)
		require.Error(t, err, "byte %d", i)
		_, err = r.Open("secret/1/A", sealed[:i])
		require.Error(t, err, "length %d", i)
	}
}

func TestRing_Rotates(t *testing.T) {
	t.Parallel()
	oldKey, newKey := seal.NewKey(), seal.NewKey()
	before := ring(t, oldKey)
	sealed, err := before.Seal("p", []byte("v"))
	require.NoError(t, err)

	both := ring(t, "# new first", newKey, "", oldKey)
	require.False(t, both.Current(sealed))
	value, err := both.Open("p", sealed)
	require.NoError(t, err)
	again, err := both.Seal("p", value)
	require.NoError(t, err)
	require.True(t, both.Current(again))

	after := ring(t, newKey)
	_, err = after.Open("p", sealed)
	require.ErrorIs(t, err, seal.ErrUnknownKey)
	value, err = after.Open("p", again)
	require.NoError(t, err)
	require.Equal(t, "v", string(value))
}

func TestRing_WithoutKeys(t *testing.T) {
	t.Parallel()
	var none seal.Ring
	_, err := none.Seal("p", nil)
	require.ErrorIs(t, err, seal.ErrNoKey)
	_, err = none.Open("p", []byte{1, 2, 3, 4, 5})
	require.ErrorIs(t, err, seal.ErrNoKey)
	require.False(t, none.Current([]byte{1, 2, 3, 4, 5}))
}

func TestParse_NamesTheLine(t *testing.T) {
	t.Parallel()
	for text, message := range map[string]string{
		"":                             "there is none",
		"# only words\n":               "there is none",
		"not base64!":                  "line 1: it is not base64",
		seal.NewKey() + "\nc2hvcnQ=\n": "line 2: it has 5 bytes, not 32",
	} {
		_, err := seal.Parse(text)
		require.ErrorContains(t, err, message)
	}
}
