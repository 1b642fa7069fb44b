//go:build long

package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/internal/freeaddr"
)

// proc is a child process whose output goes to a file that a failed test shows.
type proc struct {
	t    *testing.T
	name string
	cmd  *exec.Cmd
	log  string
	done chan struct{}
}

// startProc runs bin with env added to a bare environment.
func startProc(t *testing.T, name, bin string, args, env []string) *proc {
	t.Helper()
	log := filepath.Join(t.TempDir(), name+".log")
	f, err := os.Create(log)
	require.NoError(t, err)
	defer f.Close()
	cmd := exec.Command(bin, args...)
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME")}, env...)
	cmd.Stdout, cmd.Stderr = f, f
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	require.NoError(t, cmd.Start())
	p := &proc{t: t, name: name, cmd: cmd, log: log, done: make(chan struct{})}
	go func() { defer close(p.done); _ = cmd.Wait() }()
	t.Cleanup(func() {
		p.kill9()
		if t.Failed() {
			t.Logf("last output of %s:\n%s", name, tail(log, 6000))
		}
	})
	return p
}

func (p *proc) signal(sig syscall.Signal) { _ = p.cmd.Process.Signal(sig) }

// kill9 ends the process and waits for it.
func (p *proc) kill9() {
	p.signal(syscall.SIGCONT)
	p.signal(syscall.SIGKILL)
	<-p.done
}

// alive reports whether the process still runs.
func (p *proc) alive() bool {
	select {
	case <-p.done:
		return false
	default:
		return true
	}
}

// rssMiB is the resident memory in MiB.
func (p *proc) rssMiB() int {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", p.cmd.Process.Pid))
	require.NoError(p.t, err)
	var size, rss int
	_, err = fmt.Sscan(string(b), &size, &rss)
	require.NoError(p.t, err)
	return rss * os.Getpagesize() >> 20
}

func tail(file string, n int) string {
	b, err := os.ReadFile(file)
	if err != nil {
		return err.Error()
	}
	return string(b[max(0, len(b)-n):])
}

func freeAddr(t *testing.T) string {
	t.Helper()
	addr, err := freeaddr.Get()
	require.NoError(t, err)
	return addr
}
