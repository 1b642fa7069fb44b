//go:build chaos

package chaos

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// proc is a program that is started, killed and started again on the same address. Its
// output goes to one file.
type proc struct {
	name string
	make func() *exec.Cmd
	log  string

	mu     sync.Mutex
	cmd    *exec.Cmd
	done   chan struct{} // closed when cmd has ended
	wanted bool          // it should be running: an end is its own fault
	frozen bool
	died   func(at time.Time, byItself bool)
}

func (p *proc) start() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.wanted {
		return nil
	}
	f, err := os.OpenFile(p.log, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	cmd := p.make()
	cmd.Stdout, cmd.Stderr = f, f
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Setpgid = true
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start %s: %w", p.name, err)
	}
	p.cmd, p.done, p.wanted, p.frozen = cmd, make(chan struct{}), true, false
	go p.wait(cmd, p.done)
	return nil
}

func (p *proc) wait(cmd *exec.Cmd, done chan struct{}) {
	_ = cmd.Wait()
	at := time.Now()
	close(done)
	p.mu.Lock()
	byItself := p.wanted && p.cmd == cmd
	if byItself {
		p.wanted = false
	}
	p.mu.Unlock()
	if p.died != nil {
		p.died(at, byItself)
	}
}

// end sends a signal that ends the process, and waits; SIGKILL follows after grace.
func (p *proc) end(sig syscall.Signal, grace time.Duration) error {
	p.mu.Lock()
	cmd, done, was := p.cmd, p.done, p.wanted
	p.wanted = false
	p.mu.Unlock()
	if !was {
		return nil
	}
	_ = cmd.Process.Signal(sig)
	select {
	case <-done:
		return nil
	case <-time.After(grace):
	}
	_ = cmd.Process.Signal(syscall.SIGCONT)
	_ = cmd.Process.Kill()
	<-done
	if sig == syscall.SIGKILL {
		return nil
	}
	return fmt.Errorf("%s did not stop within %v of %v", p.name, grace, sig)
}

func (p *proc) kill9() { _ = p.end(syscall.SIGKILL, 10*time.Second) }

// freeze stops the process and all below it; thaw lets them go on.
func (p *proc) freeze() { p.each(syscall.SIGSTOP) }
func (p *proc) thaw()   { p.each(syscall.SIGCONT) }

func (p *proc) each(sig syscall.Signal) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.wanted {
		return
	}
	for _, pid := range tree(p.cmd.Process.Pid) {
		_ = syscall.Kill(pid, sig)
	}
}

// tree is a process and all that descend from it.
func tree(root int) []int {
	children := map[int][]int{}
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, file := range stats {
		text, err := os.ReadFile(file)
		if err != nil {
			continue // it has ended
		}
		_, rest, ok := strings.Cut(string(text), ") ")
		fields := strings.Fields(rest)
		if !ok || len(fields) < 2 {
			continue
		}
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		parent, _ := strconv.Atoi(fields[1])
		children[parent] = append(children[parent], pid)
	}
	all := []int{root}
	for i := 0; i < len(all); i++ {
		all = append(all, children[all[i]]...)
	}
	return all
}

func tail(file string, n int) string {
	b, err := os.ReadFile(file)
	if err != nil {
		return err.Error()
	}
	return string(b[max(0, len(b)-n):])
}
