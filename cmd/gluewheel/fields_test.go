package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// endless writes the same byte for ever.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

func TestReadFile_IsBounded(t *testing.T) {
	_, err := readFile("-", endless{})
	require.ErrorContains(t, err, "- holds more than 64 MiB")

	text, err := readFile("-", strings.NewReader("name: x"))
	require.NoError(t, err)
	require.Equal(t, "name: x", string(text))

	file := filepath.Join(t.TempDir(), "most")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	require.NoError(t, os.Truncate(file, maxFile))
	text, err = readFile(file, io.LimitReader(nil, 0))
	require.NoError(t, err)
	require.Len(t, text, maxFile)
	require.NoError(t, os.Truncate(file, maxFile+1))
	_, err = readFile(file, nil)
	require.ErrorContains(t, err, file+" holds more than")

	_, err = readFile(file+".absent", nil)
	require.ErrorIs(t, err, os.ErrNotExist)
}
