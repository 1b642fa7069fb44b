package worker

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"golang.org/x/sys/unix"
)

// openCache makes the directory of compiled modules, private to this user.
func (e *Engine) openCache() error {
	dir := e.cfg.CacheDir
	if dir == "" {
		return nil
	}
	dir, err := filepath.Abs(dir) // workers start elsewhere
	if err != nil {
		return fmt.Errorf("find cache of compiled modules: %w", err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("make cache of compiled modules: %w", err)
	}
	var stat unix.Stat_t
	if err := unix.Stat(dir, &stat); err != nil {
		return fmt.Errorf("look at cache of compiled modules: %w", err)
	}
	if int(stat.Uid) != os.Geteuid() {
		return fmt.Errorf("the cache of compiled modules %s belongs to user %d: what lies in it is executed, so it must be this user's", dir, stat.Uid)
	}
	if err := os.Chmod(dir, 0o700); err != nil {
		return fmt.Errorf("make cache of compiled modules private: %w", err)
	}
	e.cfg.CacheDir = dir
	return nil
}

// pruneCache removes the oldest modules until the rest fits. Workers that use one have
// it in memory.
func (e *Engine) pruneCache() error {
	if e.cfg.CacheDir == "" {
		return nil
	}
	type module struct {
		path string
		size int64
		made time.Time
	}
	var modules []module
	var total int64
	err := filepath.WalkDir(e.cfg.CacheDir, func(path string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) { // another executor prunes, too
			return nil
		}
		if err != nil || entry.IsDir() {
			return err
		}
		if info, err := entry.Info(); err == nil {
			modules = append(modules, module{path, info.Size(), info.ModTime()})
			total += info.Size()
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("read cache of compiled modules: %w", err)
	}
	slices.SortFunc(modules, func(a, b module) int {
		return cmp.Or(a.made.Compare(b.made), cmp.Compare(a.path, b.path))
	})
	for _, m := range modules {
		if total <= e.cfg.CacheBytes {
			break
		}
		if err := os.Remove(m.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("prune cache of compiled modules: %w", err)
		}
		total -= m.size
	}
	return nil
}
