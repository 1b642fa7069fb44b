package storetest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
)

// testserver is the program that runs the private server.
const testserver = "github.com/gluewheel/gluewheel/internal/pg/testserver"

// startPrivate returns the address of the private server. Whichever package's tests
// come first start it; the others of the same go test command find it in a directory
// named after that command's process, with which the server ends.
func startPrivate() (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), setupTimeout)
	defer cancel()
	dir, err := privateDir()
	if err != nil {
		return "", err
	}
	unlock, err := lockDir(ctx, dir)
	if err != nil {
		return "", err
	}
	defer unlock()
	if url, err := os.ReadFile(filepath.Join(dir, "url")); err == nil && runSQL(ctx, string(url)) == nil {
		return string(url), nil
	}
	if err := launch(ctx, dir); err != nil {
		return "", err
	}
	return waitURL(ctx, dir)
}

// privateDir is open to passers-by, because a server that is started by root runs as
// another user; what lies in it is not.
func privateDir() (string, error) {
	dir := filepath.Join(os.TempDir(), fmt.Sprintf("gluewheel-test-%d-%d", os.Getuid(), os.Getppid()))
	if err := os.Mkdir(dir, 0o711); err != nil && !errors.Is(err, os.ErrExist) {
		return "", fmt.Errorf("make test server directory: %w", err)
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return "", fmt.Errorf("make test server directory: %w", err)
	}
	if st, ok := info.Sys().(*syscall.Stat_t); !ok || !info.IsDir() || int(st.Uid) != os.Getuid() {
		return "", fmt.Errorf("make test server directory: %s belongs to somebody else", dir)
	}
	return dir, nil
}

// lockDir lets one package's tests at a time look for the server and start it.
func lockDir(ctx context.Context, dir string) (unlock func(), err error) {
	f, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock test server directory: %w", err)
	}
	err = poll(ctx, func() (bool, error) {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return false, nil
		}
		return err == nil, err
	})
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("lock test server directory: %w", err)
	}
	return func() { f.Close() }, nil
}

// launch builds testserver and starts it, detached: it outlives this test binary.
func launch(ctx context.Context, dir string) error {
	for _, left := range []string{"pg", "url", "error"} {
		if err := os.RemoveAll(filepath.Join(dir, left)); err != nil {
			return fmt.Errorf("clear test server directory: %w", err)
		}
	}
	program := filepath.Join(dir, "testserver")
	build := exec.CommandContext(ctx, "go", "build", "-buildvcs=false", "-o", program, testserver)
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("build test server: %w: %s", err, out)
	}
	log, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		return fmt.Errorf("start test server: %w", err)
	}
	defer log.Close()
	cmd := exec.Command(program, "-dir", dir, "-cache", cacheDir(), "-watch", strconv.Itoa(os.Getppid()))
	cmd.Stdout, cmd.Stderr = log, log // go test waits for whoever holds its own
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start test server: %w", err)
	}
	return cmd.Process.Release()
}

func waitURL(ctx context.Context, dir string) (url string, err error) {
	err = poll(ctx, func() (bool, error) {
		if reason, err := os.ReadFile(filepath.Join(dir, "error")); err == nil {
			return false, errors.New(string(reason))
		}
		text, err := os.ReadFile(filepath.Join(dir, "url"))
		url = string(text)
		return err == nil, nil
	})
	return url, err
}

// cacheDir is where make puts PostgreSQL's programs when the machine has none.
func cacheDir() string {
	dir, err := os.Getwd()
	for err == nil && dir != filepath.Dir(dir) {
		if _, statErr := os.Stat(filepath.Join(dir, "go.mod")); statErr == nil {
			break
		}
		dir = filepath.Dir(dir)
	}
	return filepath.Join(dir, ".cache", "postgres")
}

// poll asks done until it says yes or fails, or ctx ends.
func poll(ctx context.Context, done func() (bool, error)) error {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		if ok, err := done(); ok || err != nil {
			return err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
