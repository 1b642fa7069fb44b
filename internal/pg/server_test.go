package pg

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// shortDir is a directory whose sockets fit the limit, which t.TempDir's need not.
func shortDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "gwpg")
	require.NoError(t, err)
	require.NoError(t, os.Chmod(dir, 0o755))
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	return dir
}

func config(t *testing.T, home string) Config {
	t.Helper()
	cache := filepath.Join("..", "..", ".cache", "postgres") // filled by make where the machine has no PostgreSQL
	return Config{Home: home, CacheDir: cache, Volatile: true, Log: slog.New(slog.NewTextHandler(t.Output(), nil))}
}

func start(t *testing.T, home string) *Server {
	t.Helper()
	s, err := Start(t.Context(), config(t, home))
	require.NoError(t, err)
	t.Cleanup(s.Stop)
	return s
}

func connect(t *testing.T, url string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

func query[T any](t *testing.T, url, sql string) T {
	t.Helper()
	var v T
	require.NoError(t, connect(t, url).QueryRow(t.Context(), sql).Scan(&v))
	return v
}

func TestServer_KeepsItsDataOverARestart(t *testing.T) {
	t.Parallel()
	home := filepath.Join(shortDir(t), "pg")
	s := start(t, home)
	_, err := connect(t, s.URL()).Exec(t.Context(), `CREATE TABLE kept AS SELECT 42 AS n`)
	require.NoError(t, err)
	s.Stop()
	_, err = pgx.Connect(t.Context(), s.URL())
	require.Error(t, err, "a stopped server must not answer")

	again := start(t, home)
	require.Equal(t, s.URL(), again.URL())
	require.Equal(t, 42, query[int](t, again.URL(), `SELECT n FROM kept`))
}

func TestServer_LetsInNobodyElse(t *testing.T) {
	t.Parallel()
	s := start(t, filepath.Join(shortDir(t), "pg"))
	require.Empty(t, query[string](t, s.SuperuserURL(), `SHOW listen_addresses`))
	require.False(t, query[bool](t, s.URL(), `SELECT rolsuper FROM pg_roles WHERE rolname = current_user`))
	info, err := os.Stat(filepath.Join(s.Home(), "run"))
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o700), info.Mode().Perm())

	_, err = connect(t, s.SuperuserURL()).Exec(t.Context(), `CREATE ROLE stranger LOGIN`)
	require.NoError(t, err)
	_, err = pgx.Connect(t.Context(), strings.Replace(s.URL(), "gluewheel@", "stranger@", 1))
	require.ErrorContains(t, err, "28000", "a role that the map does not name is refused")
}

func TestServer_ASecondOneOnTheSameHomeIsRefused(t *testing.T) {
	t.Parallel()
	home := filepath.Join(shortDir(t), "pg")
	start(t, home)
	_, err := Start(t.Context(), config(t, home))
	require.ErrorIs(t, err, ErrInUse)
}

func TestServer_IsStartedAgainWhenItDies(t *testing.T) {
	t.Parallel()
	s := start(t, filepath.Join(shortDir(t), "pg"))
	first := s.current()
	require.NoError(t, first.proc.Kill())
	<-first.done
	require.Eventually(t, func() bool {
		conn, err := pgx.Connect(t.Context(), s.URL())
		return err == nil && conn.Close(t.Context()) == nil
	}, time.Minute, 50*time.Millisecond)
	require.NotEqual(t, first.proc.Pid, s.current().proc.Pid)
}

func TestStart_StopsWhatAKilledProcessLeft(t *testing.T) {
	t.Parallel()
	home := filepath.Join(shortDir(t), "pg")
	killed := start(t, home)
	left := killed.current()
	// What kill -9 does to the parent: the lock goes, nobody stops the server.
	killed.stopOnce.Do(func() {
		close(killed.stopping)
		killed.home.unlock(killed.lock)
	})

	s := start(t, home)
	<-left.done
	require.Equal(t, 1, query[int](t, s.URL(), `SELECT 1`))
	killed.watch.Wait()
	killed.procs.Wait()
}

func TestStart_TakesAStalePIDFileForWhatItIs(t *testing.T) {
	t.Parallel()
	home := filepath.Join(shortDir(t), "pg")
	s := start(t, home)
	s.Stop()
	// The number belongs to a process that is alive and no server: this one.
	stale := fmt.Sprintf("%d\n%s/data\n", os.Getpid(), home)
	require.NoError(t, os.WriteFile(s.home.pidFile(), []byte(stale), 0o600))
	require.Equal(t, 1, query[int](t, start(t, home).URL(), `SELECT 1`))
}

func TestStart_LongHomeMovesTheSocket(t *testing.T) {
	t.Parallel()
	home := filepath.Join(shortDir(t), strings.Repeat("long", 30), "p g,")
	s := start(t, home)
	require.Equal(t, 1, query[int](t, s.URL(), `SELECT 1`))
	require.NotContains(t, s.URL(), "longlong")
	s.Stop()
	require.NoError(t, os.RemoveAll(s.home.socket))
}

func TestStart_HomeThatTheServersUserCannotEnter(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root runs the server as another user")
	}
	dir := shortDir(t)
	require.NoError(t, os.Chmod(dir, 0o700))
	s := start(t, filepath.Join(dir, "pg"))
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(s.Home())) })
	require.Equal(t, 1, query[int](t, s.URL(), `SELECT 1`))
	require.Equal(t, rootBase, filepath.Dir(s.Home()))
	link, err := os.Readlink(filepath.Join(dir, "pg"))
	require.NoError(t, err)
	require.Equal(t, s.Home(), link, "the data can be found where it was asked for")
	s.Stop()
	require.Equal(t, s.Home(), start(t, filepath.Join(dir, "pg")).Home(), "the next start finds it")
}

func TestStart_SaysWhatTheServerSaid(t *testing.T) {
	t.Parallel()
	home := filepath.Join(shortDir(t), "pg")
	s := start(t, home)
	s.Stop()
	require.NoError(t, os.Remove(filepath.Join(home, "data", "global", "pg_control")))
	_, err := Start(t.Context(), config(t, home))
	require.ErrorContains(t, err, "pg_control")
	// The failed start left nothing locked.
	f, err := s.home.lock()
	require.NoError(t, err)
	require.NoError(t, f.Close())
}

func TestStart_EndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := Start(ctx, config(t, filepath.Join(shortDir(t), "pg")))
	require.ErrorIs(t, err, context.Canceled)
}

func TestStart_NeedsHomeAndLog(t *testing.T) {
	t.Parallel()
	_, err := Start(t.Context(), Config{Home: shortDir(t)})
	require.ErrorContains(t, err, "required")
}

func TestServer_SurvivesTheTerminalsInterrupt(t *testing.T) {
	t.Parallel()
	s := start(t, filepath.Join(shortDir(t), "pg"))
	group, err := syscall.Getpgid(s.current().proc.Pid)
	require.NoError(t, err)
	require.NotEqual(t, syscall.Getpgrp(), group, "Ctrl-C reaches the foreground process group")
}
