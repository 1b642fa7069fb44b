//go:build chaos

package chaos

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gluewheel/gluewheel/internal/freeaddr"
	"github.com/gluewheel/gluewheel/internal/pg"
)

// diskBytes is the size of the disk of its own that Postgres or an executor gets.
const (
	postgresDisk = "600m"
	executorDisk = "64m"
)

// postgres is the suite's own server: what it may do to it, it must not do to another.
type postgres struct {
	*proc
	dir, data string
	bin       string
	addr      string
	cred      *syscall.Credential // nil when we are not root
	disk      *disk               // nil without root
}

func newPostgres(ctx context.Context, dir string) (*postgres, error) {
	bin, err := pg.Find(ctx, "", os.Getenv("GLUEWHEEL_PG_CACHE"), 0)
	if err != nil {
		return nil, err
	}
	p := &postgres{dir: dir, data: filepath.Join(dir, "data"), bin: bin.Dir}
	if p.addr, err = freeaddr.Get(); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	if os.Geteuid() == 0 {
		p.disk = mountDisk(dir, postgresDisk)
		if p.cred, err = unprivileged(); err != nil {
			return nil, err
		}
		if err := os.Chown(dir, int(p.cred.Uid), int(p.cred.Gid)); err != nil {
			return nil, err
		}
	}
	initdb := p.command("initdb", "-D", p.data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
	if out, err := initdb.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("initdb: %w: %s", err, out)
	}
	host, port, _ := net.SplitHostPort(p.addr)
	// Kills of processes lose nothing that was written, so the disk need not be waited
	// for; commits are written before they are answered all the same.
	p.proc = &proc{name: "postgres", log: filepath.Join(filepath.Dir(dir), "postgres.log"), make: func() *exec.Cmd {
		return p.command("postgres", "-D", p.data, "-c", "listen_addresses="+host, "-c", "port="+port,
			"-c", "unix_socket_directories=", "-c", "fsync=off", "-c", "max_connections=80", "-c", "timezone=UTC",
			"-c", "max_wal_size=128MB", "-c", "jit=off", "-c", "log_line_prefix=%m [%p] %a ")
	}}
	if err := p.up(ctx); err != nil {
		return nil, err
	}
	return p, p.sql(ctx, "postgres", `CREATE ROLE gluewheel LOGIN`, `CREATE DATABASE gluewheel OWNER gluewheel`)
}

func (p *postgres) command(program string, args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(p.bin, program), args...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C", "TZ=UTC"}
	cmd.Dir = p.dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: p.cred, Pdeathsig: syscall.SIGQUIT}
	return cmd
}

func unprivileged() (*syscall.Credential, error) {
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, _ := strconv.Atoi(u.Uid)
		gid, _ := strconv.Atoi(u.Gid)
		return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
	}
	return nil, errors.New("run postgres as root: no user postgres or nobody")
}

// url is the database for a role, at an address: the server's own or a link's.
func (p *postgres) url(role, addr, database string) string {
	return fmt.Sprintf("postgres://%s@%s/%s?sslmode=disable", role, addr, database)
}

// up starts the server if it does not run, and waits until it answers.
func (p *postgres) up(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for {
		if err := p.start(); err != nil {
			return err
		}
		conn, err := pgx.Connect(ctx, p.url("postgres", p.addr, "postgres"))
		if err == nil {
			return conn.Close(ctx)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("postgres does not answer: %w\n%s", err, tail(p.log, 3000))
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// crash kills the server and every process of it, as a power cut that spares the disk.
func (p *postgres) crash() {
	pids := tree(p.cmd.Process.Pid)
	p.kill9()
	for _, pid := range pids[1:] {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
}

// sql runs statements as the superuser, in a session that may write.
func (p *postgres) sql(ctx context.Context, database string, statements ...string) error {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	conn, err := pgx.Connect(ctx, p.url("postgres", p.addr, database))
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	for _, s := range append([]string{`SET default_transaction_read_only = off`}, statements...) {
		if _, err := conn.Exec(ctx, s); err != nil {
			return fmt.Errorf("%s: %w", s, err)
		}
	}
	return nil
}

// disk is a small file system that can be filled.
type disk struct{ dir string }

// mountDisk is nil where root may not mount, as in most containers.
func mountDisk(dir, size string) *disk {
	if exec.Command("mount", "-t", "tmpfs", "-o", "size="+size, "tmpfs", dir).Run() != nil {
		return nil
	}
	return &disk{dir}
}

func (d *disk) ballast() string { return filepath.Join(d.dir, "ballast") }

// fill leaves no byte free.
func (d *disk) fill() error {
	f, err := os.Create(d.ballast())
	if err != nil {
		return err
	}
	defer f.Close()
	for size := 1 << 20; size > 0; {
		if _, err := f.Write(make([]byte, size)); err == nil {
			continue
		} else if !errors.Is(err, syscall.ENOSPC) {
			return err
		}
		size /= 2
	}
	return nil
}

func (d *disk) free() error { return os.Remove(d.ballast()) }

func (d *disk) unmount() {
	if d != nil {
		_ = exec.Command("umount", "-l", d.dir).Run()
	}
}
