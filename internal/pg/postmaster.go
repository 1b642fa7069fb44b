package pg

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	goruntime "runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// postmaster is one process of the server, from its start to its end.
type postmaster struct {
	proc *os.Process
	done chan struct{} // closed after the process was waited for
	err  error         // why it ended; read after done
}

// launch starts the server process. It may not answer yet.
func (s *Server) launch() (*postmaster, error) {
	stderr, err := os.CreateTemp("", "gluewheel-pg-*.log")
	if err != nil {
		return nil, fmt.Errorf("start postgres: %w", err)
	}
	// The file goes on without a name: it is read through the descriptor only, which
	// catches what the server says before its own log is open.
	_ = os.Remove(stderr.Name())
	// Stop ends it, not a context: the shutdown takes more than one signal.
	cmd := s.owner.command(context.Background(), filepath.Join(s.bin.Dir, "postgres"), s.args()...)
	cmd.Dir = s.home.dir
	cmd.Stdout, cmd.Stderr = stderr, stderr
	cmd.SysProcAttr.Setsid = true // Ctrl-C at the terminal is for us to pass on
	dieWithParent(cmd.SysProcAttr)
	p := &postmaster{done: make(chan struct{})}
	started := make(chan error)
	s.procs.Go(func() {
		// The kernel's death signal is sent when the starting thread ends, so this
		// thread stays as long as the server.
		goruntime.LockOSThread()
		defer stderr.Close()
		err := cmd.Start()
		p.proc = cmd.Process
		started <- err
		if err == nil {
			p.err = explain(cmd.Wait(), stderr)
			close(p.done)
		}
	})
	if err := <-started; err != nil {
		return nil, fmt.Errorf("start postgres: %w", err)
	}
	return p, nil
}

// explain joins how the process ended and what it said last.
func explain(err error, stderr *os.File) error {
	if err == nil {
		err = errors.New("postgres exited")
	}
	said := make([]byte, 2000)
	size, _ := stderr.Seek(0, 2)
	n, _ := stderr.ReadAt(said, max(0, size-int64(len(said))))
	if text := strings.TrimSpace(string(said[:n])); text != "" {
		return fmt.Errorf("%w: %s", err, text)
	}
	return err
}

// failure is why the process ended. Call it after done.
func (p *postmaster) failure() error {
	<-p.done
	return p.err
}

// stop ends the process for certain and waits for it.
func (p *postmaster) stop() {
	for _, step := range []struct {
		signal syscall.Signal
		grace  time.Duration
	}{
		{syscall.SIGINT, stopGrace},  // fast shutdown: roll back, checkpoint, end
		{syscall.SIGQUIT, quitGrace}, // immediate shutdown: recover at the next start
	} {
		_ = p.proc.Signal(step.signal)
		select {
		case <-p.done:
			return
		case <-time.After(step.grace):
		}
	}
	_ = p.proc.Kill()
	<-p.done
}

// args is the whole configuration. It is given anew with each start, so that a change
// here reaches existing clusters.
func (s *Server) args() []string {
	settings := []string{
		"listen_addresses=",
		"unix_socket_directories=" + quoteDir(s.home.socketDir()),
		"unix_socket_permissions=0700",
		"port=" + port,
		"hba_file=" + s.home.hbaFile(),
		"ident_file=" + s.home.identFile(),
		"max_connections=" + strconv.Itoa(cmp.Or(s.cfg.MaxConns, 100)),
		"cluster_name=gluewheel",
		"timezone=UTC",
		"jit=off", // our statements are short; compiling them costs more than it saves
		"logging_collector=on",
		"log_directory=" + s.home.logDir(),
		"log_filename=postgres-%a.log",
		"log_truncate_on_rotation=on",
		"log_rotation_age=1d",
		"log_rotation_size=0",
		"log_timezone=UTC",
	}
	if s.cfg.Volatile {
		settings = append(settings, "fsync=off", "synchronous_commit=off", "full_page_writes=off")
	}
	args := []string{"-D", s.home.data()}
	for _, kv := range settings {
		args = append(args, "-c", kv)
	}
	return args
}

// quoteDir keeps a comma in a path from splitting the list of directories.
func quoteDir(dir string) string { return `"` + strings.ReplaceAll(dir, `"`, `""`) + `"` }
