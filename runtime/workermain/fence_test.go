package workermain

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	"golang.org/x/sys/unix"
)

// fencedCommand has the test binary fence itself off and tell what it can still do.
const fencedCommand = "fenced"

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == fencedCommand {
		os.Exit(fenced())
	}
	goleak.VerifyTestMain(m)
}

// attempts are what a worker must not do; each returns why it did not work.
var attempts = []struct {
	name string
	try  func() error
}{
	{"open a socket", func() error { _, err := net.Dial("udp", "127.0.0.1:9"); return err }},
	{"run a program", func() error { return exec.Command("/bin/true").Run() }},
	{"become a program", func() error { return unix.Exec("/bin/true", []string{"true"}, nil) }},
	{"signal its parent", func() error { return unix.Kill(os.Getppid(), 0) }},
	{"signal a thread of its parent", func() error { return unix.Tgkill(os.Getppid(), os.Getppid(), 0) }},
	{"limit its parent", func() error { return unix.Prlimit(os.Getppid(), unix.RLIMIT_NOFILE, nil, &unix.Rlimit{}) }},
	{"trace its parent", func() error { return unix.PtraceAttach(os.Getppid()) }},
	{"make a namespace", func() error { return unix.Unshare(unix.CLONE_NEWUSER) }},
	{"mount", func() error { return unix.Mount("none", "/", "tmpfs", 0, "") }},
	{"read a file", func() error { _, err := os.ReadFile("/etc/passwd"); return err }},
	{"look at a file", func() error { _, err := os.Stat("/etc/passwd"); return err }},
	{"make a file", func() error { return os.WriteFile("fenced.txt", nil, 0o600) }},
	{"remove a file", func() error { return os.Remove("fenced.txt") }},
	{"make a link", func() error { return os.Symlink("/etc/passwd", "fenced.txt") }},
	{"rename a file", func() error { return os.Rename("a", "b") }},
	{"list a directory", func() error { _, err := os.ReadDir("/"); return err }},
}

func fenced() int {
	if err := errors.Join(unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), fenceOff(), fenceOffFiles()); err != nil {
		fmt.Println("no fence:", err)
		return 0
	}
	for _, a := range attempts {
		fmt.Printf("%s: %t\n", a.name, errors.Is(a.try(), fs.ErrPermission))
	}
	done := make(chan int)
	for range 20 { // threads can still be made
		go func() { done <- unix.Gettid() }()
	}
	for range 20 {
		<-done
	}
	return 0
}

func TestFence_RefusesWhatAWorkerMustNotDo(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.Command(self, fencedCommand)
	cmd.Dir = t.TempDir()
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	if reason, ok := strings.CutPrefix(string(out), "no fence: "); ok {
		t.Skip("this machine has no fence: " + reason)
	}
	for _, a := range attempts {
		require.Contains(t, string(out), a.name+": true\n")
	}
}
