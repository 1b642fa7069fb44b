package pg

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// fakeBinaries makes a directory that looks like PostgreSQL's of that version.
func fakeBinaries(t *testing.T, version string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "bin")
	require.NoError(t, os.MkdirAll(dir, 0o755))
	script := fmt.Sprintf("#!/bin/sh\necho 'postgres (PostgreSQL) %s'\n", version)
	for _, name := range []string{"postgres", "initdb"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(script), 0o755))
	}
	return dir
}

func TestFind_ExplicitDirectory(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, version string
		major         int // of the existing cluster
		want          int // 0 = refused
	}{
		{name: "newer than needed", version: "17.2 (Debian 17.2-1.pgdg120+1)", want: 17},
		{name: "oldest supported", version: "15.0", want: 15},
		{name: "beta", version: "19beta1", want: 19},
		{name: "too old", version: "14.9"},
		{name: "fits the data", version: "16.1", major: 16, want: 16},
		{name: "newer than the data", version: "17.1", major: 16},
		{name: "not postgres", version: "?"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := fakeBinaries(t, c.version)
			b, err := Find(t.Context(), dir, "", c.major)
			if c.want == 0 {
				require.ErrorIs(t, err, ErrNoBinaries)
				return
			}
			require.NoError(t, err)
			require.Equal(t, Binaries{Dir: dir, Major: c.want}, b)
		})
	}
}

func TestFind_FallsBackToTheCache(t *testing.T) {
	t.Parallel()
	// No system has this version, so only the cache can have made the data.
	dir := fakeBinaries(t, "99.1")
	b, err := Find(t.Context(), "", filepath.Dir(dir), 99)
	require.NoError(t, err)
	require.Equal(t, Binaries{Dir: dir, Major: 99}, b)
}

func TestFind_TellsHowToGoOn(t *testing.T) {
	t.Parallel()
	_, err := Find(t.Context(), t.TempDir(), "", 0)
	require.ErrorIs(t, err, ErrNoBinaries)
	require.ErrorContains(t, err, "make postgres")
	require.ErrorContains(t, err, "--database-url")
}
