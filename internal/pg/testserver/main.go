// Command testserver runs a private PostgreSQL for the tests of one go test command.
//
// admin/store/storetest builds and starts it, detached from the test that happened to
// need it first. It writes the server's address to DIR/url, or to DIR/error why there is
// none, and ends, removing DIR, once the process it was told to watch has ended.
package main

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/gluewheel/gluewheel/internal/pg"
)

func main() {
	dir := flag.String("dir", "", "directory of the server, removed at the end")
	cache := flag.String("cache", "", "where to look last for PostgreSQL's programs")
	watch := flag.Int("watch", 0, "process id to end with")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *dir, *cache, *watch); err != nil {
		_ = publish(filepath.Join(*dir, "error"), err.Error())
		fmt.Fprintln(os.Stderr, "testserver:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, dir, cache string, watch int) error {
	server, err := pg.Start(ctx, pg.Config{
		Home:     filepath.Join(dir, "pg"),
		CacheDir: cache,
		MaxConns: 500, // packages and tests run side by side, each with pools
		Volatile: true,
		Log:      slog.New(slog.NewTextHandler(os.Stderr, nil)),
	})
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	defer server.Stop()
	if err := publish(filepath.Join(dir, "url"), server.SuperuserURL()); err != nil {
		return err
	}
	waitGone(ctx, watch)
	return nil
}

// publish writes a file that is whole as soon as it can be seen.
func publish(path, content string) error {
	if err := os.WriteFile(path+".new", []byte(content), 0o600); err != nil {
		return fmt.Errorf("publish: %w", err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		return fmt.Errorf("publish: %w", err)
	}
	return nil
}

func waitGone(ctx context.Context, pid int) {
	tick := time.NewTicker(500 * time.Millisecond)
	defer tick.Stop()
	for syscall.Kill(pid, 0) == nil {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}
