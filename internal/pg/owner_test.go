package pg

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOwner_CanEnter(t *testing.T) {
	t.Parallel()
	stranger := owner{uid: 65000, gid: 65000, name: "stranger", switched: true}
	open := shortDir(t)
	closed := filepath.Join(open, "closed")
	below := filepath.Join(closed, "below")
	require.NoError(t, os.MkdirAll(below, 0o755))
	require.NoError(t, os.Chmod(closed, 0o700))
	link := filepath.Join(open, "link")
	require.NoError(t, os.Symlink(below, link))

	require.True(t, stranger.canEnter(open))
	require.False(t, stranger.canEnter(closed))
	require.False(t, stranger.canEnter(below))
	require.False(t, stranger.canEnter(link), "a link is as closed as what it points at")
	require.False(t, stranger.canEnter(filepath.Join(open, "missing")))
}

func TestOwner_MkdirRefusesWhatOthersMayWrite(t *testing.T) {
	t.Parallel()
	own, err := pickOwner("")
	require.NoError(t, err)
	dir := filepath.Join(shortDir(t), "d")
	require.NoError(t, own.mkdir(dir))
	require.NoError(t, own.mkdir(dir), "an own directory is taken as it is")
	require.NoError(t, os.Chmod(dir, 0o777))
	require.ErrorContains(t, own.mkdir(dir), own.name)

	link := filepath.Join(shortDir(t), "link")
	require.NoError(t, os.Symlink(dir, link))
	require.Error(t, own.mkdir(link), "a planted link is not followed")
}
