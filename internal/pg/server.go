package pg

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
)

// ErrInUse says that another process runs a server on the same home directory.
var ErrInUse = errors.New("another gluewheel runs on this data directory")

const (
	// stopGrace is for a fast shutdown, whose checkpoint may have much to write.
	stopGrace = 30 * time.Second
	// quitGrace is for an immediate shutdown, which writes nothing.
	quitGrace = 5 * time.Second
	// restartDelay bounds how often a server that dies is started again.
	restartDelay = time.Second
)

// Config says which server to run and where.
type Config struct {
	// Home is the server's directory, made when missing. Required.
	Home string
	// BinDir holds the PostgreSQL programs. Empty: looked for, see Find.
	BinDir string
	// CacheDir is where Find looks last.
	CacheDir string
	// StartTimeout bounds the whole of Start; default 2 minutes, since a server that was
	// killed has to recover first.
	StartTimeout time.Duration
	// MaxConns is the server's max_connections; default 100.
	MaxConns int
	// Volatile trades durability for speed: data may be gone after a crash. For tests.
	Volatile bool
	// Log is told what happens to the server. Required.
	Log *slog.Logger
}

// Server is a running PostgreSQL. Safe for concurrent use.
type Server struct {
	cfg   Config
	bin   Binaries
	home  home
	owner owner
	log   *slog.Logger

	lock     *os.File
	stopping chan struct{}
	stopOnce sync.Once
	watch    sync.WaitGroup // supervise
	procs    sync.WaitGroup // one for each postmaster

	mu  sync.Mutex
	cur *postmaster
}

// Start makes the cluster if there is none, stops what a killed process left behind,
// starts the server and returns when it answers. ctx bounds the start only.
func Start(ctx context.Context, cfg Config) (*Server, error) {
	if cfg.Home == "" || cfg.Log == nil {
		return nil, errors.New("start postgres: Home and Log are required")
	}
	timeout := cmp.Or(cfg.StartTimeout, 2*time.Minute)
	ctx, cancel := context.WithTimeoutCause(ctx, timeout, fmt.Errorf("start postgres: not ready within %s", timeout))
	defer cancel()
	s, err := prepare(ctx, cfg)
	if err != nil {
		return nil, err
	}
	if err := s.start(ctx); err != nil {
		s.home.unlock(s.lock)
		return nil, err
	}
	return s, nil
}

// prepare does all that needs no running server.
func prepare(ctx context.Context, cfg Config) (*Server, error) {
	own, err := pickOwner(cfg.Home)
	if err != nil {
		return nil, err
	}
	h, err := makeHome(cfg.Home, own)
	if err != nil {
		return nil, err
	}
	lock, err := h.lock()
	if err != nil {
		return nil, err
	}
	s := &Server{cfg: cfg, home: h, owner: own, log: cfg.Log, lock: lock, stopping: make(chan struct{})}
	if err := s.makeCluster(ctx); err != nil {
		h.unlock(lock)
		return nil, err
	}
	return s, nil
}

func (s *Server) makeCluster(ctx context.Context) error {
	if s.home.dir != s.home.asked {
		s.log.InfoContext(ctx, "database moved: its user cannot enter the directory asked for",
			"user", s.owner.name, "asked", s.home.asked, "used", s.home.dir)
	}
	bin, err := Find(ctx, s.cfg.BinDir, s.cfg.CacheDir, s.home.majorVersion())
	if err != nil {
		return err
	}
	if s.bin, err = bin.reachableBy(s.owner, s.home); err != nil {
		return err
	}
	if err := s.home.stopLeftover(ctx, s.log); err != nil {
		return err
	}
	if err := s.home.writeAuth(s.owner); err != nil {
		return err
	}
	return s.initdb(ctx)
}

func (s *Server) start(ctx context.Context) error {
	p, err := s.launch()
	if err != nil {
		return err
	}
	s.cur = p
	if err := s.waitReady(ctx, p); err != nil {
		p.stop()
		return err
	}
	if err := s.ensureDatabase(ctx); err != nil {
		p.stop()
		return err
	}
	s.watch.Go(s.supervise)
	return nil
}

// supervise starts the server again when it ends unasked, until Stop. A server that
// cannot be started is tried each second, and reported once.
func (s *Server) supervise() {
	reported := false
	for {
		p := s.current()
		select {
		case <-s.stopping:
			return
		case <-p.done:
		}
		if !reported {
			s.log.Error("postgres ended by itself, starting it again", "cause", p.failure())
		}
		select {
		case <-s.stopping:
			return
		case <-time.After(restartDelay):
		}
		next, err := s.launch()
		if err != nil {
			// The ended server stays current, so that the next round tries again.
			if !reported {
				s.log.Error("start postgres again, and go on trying", "error", err)
			}
			reported = true
			continue
		}
		reported = false
		s.mu.Lock()
		s.cur = next
		s.mu.Unlock()
	}
}

func (s *Server) current() *postmaster {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.cur
}

// Stop shuts the server down, in order first, by force after a grace of half a minute.
func (s *Server) Stop() {
	s.stopOnce.Do(func() {
		close(s.stopping)
		s.watch.Wait()
		s.current().stop()
		s.procs.Wait()
		s.home.unlock(s.lock)
	})
}

// URL is the address of the database gluewheel, as its owner without further rights.
func (s *Server) URL() string { return s.home.url("gluewheel", "gluewheel") }

// SuperuserURL is the address of the database postgres as a superuser.
func (s *Server) SuperuserURL() string { return s.home.url("postgres", "postgres") }

// Home is the directory in use; not the one asked for when its user cannot enter that.
func (s *Server) Home() string { return s.home.dir }

// Version is the server's major version, such as 17.
func (s *Server) Version() int { return s.bin.Major }

// waitReady returns once the server answers, or tells why it never will.
func (s *Server) waitReady(ctx context.Context, p *postmaster) error {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		conn, err := pgx.Connect(ctx, s.SuperuserURL())
		if err == nil {
			return conn.Close(ctx)
		}
		select {
		case <-tick.C:
		case <-p.done:
			return fmt.Errorf("start postgres: %w", p.failure())
		case <-ctx.Done():
			return fmt.Errorf("%w (last: %w)", context.Cause(ctx), err)
		}
	}
}

// ensureDatabase makes what URL promises.
func (s *Server) ensureDatabase(ctx context.Context) error {
	conn, err := pgx.Connect(ctx, s.SuperuserURL())
	if err != nil {
		return fmt.Errorf("connect to the private postgres: %w", err)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	steps := []struct{ find, make string }{
		{`SELECT EXISTS (SELECT FROM pg_roles WHERE rolname = 'gluewheel')`, `CREATE ROLE gluewheel LOGIN`},
		{`SELECT EXISTS (SELECT FROM pg_database WHERE datname = 'gluewheel')`, `CREATE DATABASE gluewheel OWNER gluewheel`},
	}
	for _, step := range steps {
		var exists bool
		if err := conn.QueryRow(ctx, step.find).Scan(&exists); err != nil {
			return fmt.Errorf("look for the database: %w", err)
		}
		if exists {
			continue
		}
		if _, err := conn.Exec(ctx, step.make); err != nil {
			return fmt.Errorf("make the database: %w", err)
		}
	}
	return nil
}

// initdb makes the cluster, under a name of its own until it is whole.
func (s *Server) initdb(ctx context.Context) error {
	data := s.home.data()
	if s.home.majorVersion() != 0 {
		return nil
	}
	draft := data + ".new"
	if err := os.RemoveAll(draft); err != nil {
		return fmt.Errorf("remove half made cluster: %w", err)
	}
	if err := s.owner.mkdir(draft); err != nil {
		return err
	}
	args := []string{
		"--pgdata=" + draft, "--username=postgres", "--encoding=UTF8", "--locale=C",
		"--auth=peer", "--data-checksums",
	}
	if s.cfg.Volatile {
		args = append(args, "--no-sync")
	}
	cmd := s.owner.command(ctx, filepath.Join(s.bin.Dir, "initdb"), args...)
	cmd.Dir = s.home.dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("make postgres cluster: %w: %s", err, tail(out))
	}
	if err := os.Rename(draft, data); err != nil {
		return fmt.Errorf("make postgres cluster: %w", err)
	}
	return syncDir(s.home.dir)
}

// syncDir makes a rename inside dir survive a power cut.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return fmt.Errorf("sync directory: %w", err)
	}
	defer d.Close()
	if err := d.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) {
		return fmt.Errorf("sync directory: %w", err)
	}
	return nil
}

// tail is the end of a program's output, where the reason stands.
func tail(out []byte) string {
	const keep = 2000
	return string(out[max(0, len(out)-keep):])
}
