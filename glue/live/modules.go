package live

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gluewheel/gluewheel/glue"
)

// Fetch gets a module from the admin for a run that it dispatched to this executor.
type Fetch func(ctx context.Context, digest string, runID int64, epoch int32) ([]byte, error)

// ErrDigest: what was fetched is not what was asked for.
var ErrDigest = errors.New("module does not match its digest")

const (
	digestPrefix = "sha256:"
	// unusedFor is how long a module stays that nobody runs.
	unusedFor = 30 * 24 * time.Hour
)

// ModulesConfig says where modules lie and where they come from.
type ModulesConfig struct {
	// Dir is the cache's own directory; it is created.
	Dir string
	// MaxBytes bounds the cache; the least recently used leave first. Default 1 GiB.
	MaxBytes int64
	// Fetch brings what the cache lacks. Required.
	Fetch Fetch
	// Log takes what an operator should know. Default: nothing is logged.
	Log *slog.Logger
}

// Modules is a cache of modules on disk, each under its digest. Its methods may be
// called concurrently.
type Modules struct {
	cfg  ModulesConfig
	root *os.Root
	log  *slog.Logger

	mu sync.Mutex // one change of the directory at a time
}

// OpenModules opens the cache.
func OpenModules(cfg ModulesConfig) (*Modules, error) {
	cfg.MaxBytes = cmp.Or(cfg.MaxBytes, 1<<30)
	if err := os.MkdirAll(cfg.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("create module cache: %w", err)
	}
	root, err := os.OpenRoot(cfg.Dir)
	if err != nil {
		return nil, fmt.Errorf("open module cache: %w", err)
	}
	log := cmp.Or(cfg.Log, slog.New(slog.DiscardHandler)).With("component", "live")
	return &Modules{cfg: cfg, root: root, log: log}, nil
}

// Close lets the directory go.
func (m *Modules) Close() error { return m.root.Close() }

// Get gives the module with that digest, from the disk if it is there and whole. A
// cache that cannot be written does not keep a run from its module.
func (m *Modules) Get(ctx context.Context, digest string, runID int64, epoch int32) ([]byte, error) {
	name, err := fileName(digest)
	if err != nil {
		return nil, err
	}
	if code, err := m.root.ReadFile(name); err == nil && glue.Digest(code) == digest {
		m.touch(name)
		return code, nil
	}
	code, err := m.cfg.Fetch(ctx, digest, runID, epoch)
	if err != nil {
		return nil, err
	}
	if got := glue.Digest(code); got != digest {
		return nil, fmt.Errorf("%w: asked for %s, got %s", ErrDigest, digest, got)
	}
	if err := m.keep(name, code); err != nil {
		m.log.Warn("module is not kept on disk", "digest", digest, "error", err)
	}
	return code, nil
}

// touch notes the last use for collect. A module that was just collected is no loss.
func (m *Modules) touch(name string) {
	now := time.Now()
	if err := m.root.Chtimes(name, now, now); err != nil && !errors.Is(err, fs.ErrNotExist) {
		m.log.Warn("use of a module cannot be noted", "module", name, "error", err)
	}
}

// fileName is the hex part of a digest: nothing else may become a path.
func fileName(digest string) (string, error) {
	name, ok := strings.CutPrefix(digest, digestPrefix)
	if raw, err := hex.DecodeString(name); !ok || err != nil || len(raw) != 32 {
		return "", fmt.Errorf("%q is not a digest", digest)
	}
	return strings.ToLower(name), nil
}

// keep stores a module by rename, so that a reader never sees half of one.
func (m *Modules) keep(name string, code []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	temp := name + ".tmp"
	if err := m.root.WriteFile(temp, code, 0o600); err != nil {
		return fmt.Errorf("keep module: %w", err)
	}
	if err := m.root.Rename(temp, name); err != nil {
		return fmt.Errorf("keep module: %w", err)
	}
	return m.collect(name, time.Now())
}

// module is a file of the cache.
type module struct {
	name string
	used time.Time
	size int64
}

// collect removes what nobody has used for long, and the least recently used until the
// rest fits. The module just kept stays.
func (m *Modules) collect(kept string, now time.Time) error {
	modules, err := m.list()
	if err != nil {
		return fmt.Errorf("collect modules: %w", err)
	}
	var total int64
	for _, f := range modules {
		total += f.size
	}
	for _, f := range modules {
		if f.name == kept || total <= m.cfg.MaxBytes && now.Sub(f.used) < unusedFor {
			continue
		}
		if err := m.root.Remove(f.name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("collect modules: %w", err)
		}
		total -= f.size
	}
	return nil
}

// list gives the files, least recently used first.
func (m *Modules) list() ([]module, error) {
	entries, err := fs.ReadDir(m.root.FS(), ".")
	if err != nil {
		return nil, err
	}
	var modules []module
	for _, e := range entries {
		info, err := e.Info()
		if err == nil && info.Mode().IsRegular() {
			modules = append(modules, module{name: e.Name(), used: info.ModTime(), size: info.Size()})
		}
	}
	slices.SortFunc(modules, func(a, b module) int { return a.used.Compare(b.used) })
	return modules, nil
}
