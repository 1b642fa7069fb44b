package main

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSecret_IsMadeUpOnceAndPrivate(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "token")
	first, isNew, err := secret(path, newToken)
	require.NoError(t, err)
	require.True(t, isNew)
	require.Len(t, first, 26)
	again, isNew, err := secret(path, newToken)
	require.NoError(t, err)
	require.False(t, isNew)
	require.Equal(t, first, again)
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())

	require.NoError(t, os.WriteFile(path, nil, 0o600))
	other, isNew, err := secret(path, newToken)
	require.NoError(t, err)
	require.True(t, isNew, "an empty file is no secret")
	require.NotEqual(t, first, other)
}

func TestNewPassword_CanBeTyped(t *testing.T) {
	t.Parallel()
	password := newPassword()
	require.Regexp(t, `^([a-z2-7]{4}-){3}[a-z2-7]{4}$`, password)
	require.NotEqual(t, password, newPassword())
}

func TestOpenDataDir_IsClosedToOthers(t *testing.T) {
	t.Parallel()
	dir, err := openDataDir(filepath.Join(t.TempDir(), "deep", "data"))
	require.NoError(t, err)
	info, err := os.Stat(string(dir))
	require.NoError(t, err)
	require.Zero(t, info.Mode().Perm()&0o066, "others can neither list nor write")

	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	_, err = openDataDir(file)
	require.ErrorContains(t, err, "GLUEWHEEL_DATA_DIR")
}

func TestCheckPort_SaysHowToChangeIt(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	taken := l.Addr().String()
	err = checkPort(taken, "listen", "GLUEWHEEL_LISTEN")
	require.ErrorContains(t, err, taken+" is taken")
	require.ErrorContains(t, err, "GLUEWHEEL_LISTEN")
	require.NoError(t, l.Close())
	require.NoError(t, checkPort(taken, "listen", "GLUEWHEEL_LISTEN"))

	other := errors.New("other")
	require.Equal(t, other, hintPort(other, taken, "listen", "GLUEWHEEL_LISTEN"))
}

func TestLocalURL(t *testing.T) {
	t.Parallel()
	for addr, want := range map[string]string{
		"127.0.0.1:8080": "http://127.0.0.1:8080",
		"0.0.0.0:80":     "http://127.0.0.1:80",
		":8080":          "http://127.0.0.1:8080",
		"[::]:8080":      "http://127.0.0.1:8080",
		"[::1]:8080":     "http://[::1]:8080",
		"host.name:8080": "http://host.name:8080",
	} {
		require.Equal(t, want, localURL(addr), addr)
	}
}

func TestProblemOf(t *testing.T) {
	t.Parallel()
	err := problemOf(422, []byte(`{"title":"Unprocessable","status":422,"detail":"Wrong input.","errors":[{"location":"body.name","message":"is empty"}]}`))
	require.EqualError(t, err, "Wrong input.; body.name: is empty")
	err = problemOf(502, []byte("<html>"))
	require.EqualError(t, err, "the admin answered 502 Bad Gateway")
	require.False(t, strings.Contains(err.Error(), "<"))
}
