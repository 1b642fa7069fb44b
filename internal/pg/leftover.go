package pg

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
)

// stopLeftover ends a server that a killed process left on this home, whose lock we
// hold. A stale pid file goes away too: its number may belong to another process by
// now, which PostgreSQL would take for a running server.
func (h home) stopLeftover(ctx context.Context, log *slog.Logger) error {
	pid, err := readPID(h.pidFile())
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if !h.runsHere(ctx, pid) {
		if err := os.Remove(h.pidFile()); err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("remove stale pid file: %w", err)
		}
		return nil
	}
	log.InfoContext(ctx, "stopping the postgres that a killed process left", "pid", pid)
	for _, step := range []struct {
		signal syscall.Signal
		grace  time.Duration
	}{{syscall.SIGINT, stopGrace}, {syscall.SIGQUIT, quitGrace}, {syscall.SIGKILL, quitGrace}} {
		if err := syscall.Kill(pid, step.signal); err != nil && !errors.Is(err, syscall.ESRCH) {
			return fmt.Errorf("stop left-over postgres %d: %w", pid, err)
		}
		if waitGone(ctx, pid, step.grace) {
			return nil
		}
	}
	return fmt.Errorf("stop left-over postgres %d: it does not end", pid)
}

// runsHere reports whether pid is the server of this home. Where /proc tells, a server
// works in its data directory; elsewhere one that answers on our socket is it.
func (h home) runsHere(ctx context.Context, pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	if cwd, err := os.Readlink(fmt.Sprintf("/proc/%d/cwd", pid)); err == nil {
		data, err := filepath.EvalSymlinks(h.data())
		return err == nil && cwd == data
	}
	ctx, cancel := context.WithTimeout(ctx, quitGrace)
	defer cancel()
	conn, err := pgx.Connect(ctx, h.url("postgres", "postgres"))
	if err != nil {
		return false
	}
	_ = conn.Close(ctx)
	return true
}

func waitGone(ctx context.Context, pid int, grace time.Duration) bool {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(grace)
	for {
		if errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
			return true
		}
		select {
		case <-tick.C:
		case <-deadline:
			return false
		case <-ctx.Done():
			return false
		}
	}
}

func readPID(path string) (int, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0, fmt.Errorf("read postgres pid: %w", err)
	}
	first, _, _ := strings.Cut(string(text), "\n")
	pid, err := strconv.Atoi(strings.TrimSpace(first))
	if err != nil || pid <= 1 {
		// Cut off while it was written: nothing runs by it.
		return 0, nil
	}
	return pid, nil
}
