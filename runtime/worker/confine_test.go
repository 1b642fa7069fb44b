package worker

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestWorker_IsConfined looks at a loaded worker from outside.
func TestWorker_IsConfined(t *testing.T) {
	t.Parallel()
	e := newPooled(t, Config{})
	pooled(t, e, "a")
	dir := filepath.Join("/proc", strconv.Itoa(e.pool.pids("a")[0]))

	environ, err := os.ReadFile(filepath.Join(dir, "environ"))
	if errors.Is(err, fs.ErrPermission) {
		t.Skip("a confined worker shows itself to root only")
	}
	require.NoError(t, err)
	for variable := range strings.SplitSeq(strings.TrimRight(string(environ), "\x00"), "\x00") {
		require.Contains(t, environment(), variable)
	}

	status, err := os.ReadFile(filepath.Join(dir, "status"))
	require.NoError(t, err)
	require.Regexp(t, `NoNewPrivs:\s+1\n`, string(status))
	require.Regexp(t, `CapEff:\s+0+\n`, string(status))
	require.Regexp(t, `CapBnd:\s+0+\n`, string(status))
	limits, err := os.ReadFile(filepath.Join(dir, "limits"))
	require.NoError(t, err)
	for _, limit := range []string{`Max file size\s+0\s+0`, `Max core file size\s+0\s+0`, `Max open files\s+32\s+32`, `Max address space\s+\d+\s+\d+`} {
		require.Regexp(t, limit, string(limits))
	}

	descriptors, err := os.ReadDir(filepath.Join(dir, "fd"))
	require.NoError(t, err)
	for _, fd := range descriptors {
		target, err := os.Readlink(filepath.Join(dir, "fd", fd.Name()))
		require.NoError(t, err)
		switch fd.Name() {
		case "0", "1":
			require.Equal(t, "/dev/null", target)
		case "2":
			require.Contains(t, target, "pipe:")
		case "3":
			require.Contains(t, target, "socket:")
		default: // what it measures itself by, and the Go runtime's own
			require.Regexp(t, `^(/proc/\d+/status|anon_inode:.*)$`, target)
		}
	}

	if e.Methods().Calls != "" {
		require.Regexp(t, `Seccomp_filters:\s+2\n`, string(status))
	}
	if e.Methods().Network != "" {
		network, err := os.Readlink(filepath.Join(dir, "ns", "net"))
		require.NoError(t, err)
		ours, err := os.Readlink("/proc/self/ns/net")
		require.NoError(t, err)
		require.NotEqual(t, ours, network)
	}
}
