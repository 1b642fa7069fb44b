package chaos

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestWitness_ReadsWhatWasWritten(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "witness")
	none, err := ReadWitness(path, "e")
	require.NoError(t, err)
	require.Empty(t, none)

	w, err := OpenWitness(path, time.Now)
	require.NoError(t, err)
	require.NoError(t, w.Start(1, 10))
	require.NoError(t, w.Start(2, 20))
	require.NoError(t, w.End(t.Context(), 1, 10, EndFail))
	require.NoError(t, w.Close())
	w, err = OpenWitness(path, time.Now) // the executor restarts, and runs 2 again
	require.NoError(t, err)
	require.NoError(t, w.Start(2, 20))
	require.NoError(t, w.End(t.Context(), 2, 20, EndOK))
	require.NoError(t, w.Start(3, 20))
	killed, kill := context.WithCancel(t.Context())
	kill()
	require.NoError(t, w.End(killed, 3, 20, EndOK))
	require.NoError(t, w.Close())

	starts, err := ReadWitness(path, "e")
	require.NoError(t, err)
	require.Len(t, starts, 4)
	require.Equal(t, EndFail, starts[0].How)
	require.Empty(t, starts[1].How)
	require.True(t, starts[1].End.IsZero())
	require.Equal(t, EndOK, starts[2].How)
	require.Equal(t, int64(2), starts[2].Run)
	require.Equal(t, int32(20), starts[2].Job)
	require.Equal(t, "e", starts[2].Executor)
	require.False(t, starts[2].Stopped)
	require.True(t, starts[3].Stopped)
}

func TestReadWitness_RefusesWhatCannotBe(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"start 1\n", "end 1 10 5 ok\n", "start x 10 5 -\n", "start 1 10 5 -\nstopped 1 10 5 -\n"} {
		path := filepath.Join(t.TempDir(), "witness")
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		_, err := ReadWitness(path, "e")
		require.Error(t, err, text)
	}
}
