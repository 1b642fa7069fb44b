package worker

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gluewheel/gluewheel/runtime"
	"github.com/gluewheel/gluewheel/runtime/egress"
	"github.com/gluewheel/gluewheel/runtime/proc"
	"github.com/gluewheel/gluewheel/runtime/wasm/guard"
)

// Config says how an Engine works. Its zero value is valid in a program whose main
// calls workermain.Main.
type Config struct {
	// Exe is the binary that workers are started from; default this one. Its main must
	// call workermain.Main when the first argument is "__worker".
	Exe string
	// Types are the glue types that the binary's workers run; default DefaultTypes.
	Types []string
	// CacheDir holds compiled modules and is made private to this user, since what lies
	// in it is executed. Default: nothing is kept, and each worker compiles anew.
	CacheDir string
	// CacheBytes bounds CacheDir; default 2 GiB. The oldest modules go first.
	CacheBytes int64
	// MemoryBytes bounds a guest whose version names no bound; default 256 MiB for
	// WebAssembly and 128 MiB for others.
	MemoryBytes int64
	// MaxMemoryBytes bounds what a version may ask for; default nothing.
	MaxMemoryBytes int64
	// Workers bounds the runs at a time, beyond which runs wait; default 64.
	Workers int
	// PoolSize bounds the warm workers; default 8, negative for no pool.
	PoolSize int
	// PoolBytes bounds the memory of all warm workers; default 256 MiB.
	PoolBytes int64
	// PoolAge is how long a warm worker waits for its run at most; default 10 minutes.
	PoolAge time.Duration
	// HTTP is what guests may call through gw.http at most; the default allows public
	// hosts that a version was granted.
	HTTP egress.Policy
	// Proc starts the workers. Without one the Engine makes its own.
	Proc *proc.Supervisor
	// Log gets what the operator should know; default none.
	Log *slog.Logger
}

// DefaultTypes are what workers of the gluewheel binary run.
func DefaultTypes() []string { return []string{"GLUE_LUA", "GLUE_JS", "GLUE_TS", typeWASM} }

const typeWASM = "GLUE_WASM"

// Engine runs guests in workers.
type Engine struct {
	cfg   Config
	log   *slog.Logger
	proc  *proc.Supervisor
	owned bool // proc is ours to close
	slots chan struct{}
	pool  *pool
	http  *egress.Client

	unfenced sync.Once // told once
	starts   atomic.Int64
	ends     ends
}

var _ runtime.Engine = (*Engine)(nil)

// New makes an Engine. No worker is started yet.
func New(cfg Config) (*Engine, error) {
	if cfg.Exe == "" {
		exe, err := os.Executable()
		if err != nil {
			return nil, fmt.Errorf("find the worker's binary: %w", err)
		}
		cfg.Exe = exe
	}
	if cfg.Types == nil {
		cfg.Types = DefaultTypes()
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	cfg.CacheBytes = cmp.Or(cfg.CacheBytes, 2<<30)
	cfg.Workers = cmp.Or(cfg.Workers, 64)
	cfg.PoolSize = cmp.Or(cfg.PoolSize, 8)
	cfg.PoolBytes = cmp.Or(cfg.PoolBytes, 256<<20)
	cfg.PoolAge = cmp.Or(cfg.PoolAge, 10*time.Minute)

	e := &Engine{
		cfg:   cfg,
		log:   cfg.Log.With("component", "worker"),
		proc:  cfg.Proc,
		slots: make(chan struct{}, cfg.Workers),
		http:  egress.New(cfg.HTTP),
	}
	if e.proc == nil {
		supervisor, err := proc.New(proc.Config{Log: cfg.Log})
		if err != nil {
			return nil, fmt.Errorf("supervise workers: %w", err)
		}
		e.proc, e.owned = supervisor, true
	}
	e.pool = newPool(e)
	if err := e.openCache(); err != nil {
		return nil, errors.Join(err, e.Close())
	}
	return e, nil
}

// Types implements [runtime.Engine].
func (e *Engine) Types() []string { return slices.Clone(e.cfg.Types) }

// Supervisor starts the workers, and may start other processes.
func (e *Engine) Supervisor() *proc.Supervisor { return e.proc }

// Methods says how workers are ended and bounded here.
func (e *Engine) Methods() proc.Methods { return e.proc.Methods() }

// Prepare has a worker compile src. The worker stays warm for the first run.
func (e *Engine) Prepare(ctx context.Context, src runtime.Source) (runtime.Program, error) {
	src, err := e.accept(src)
	if err != nil {
		return nil, err
	}
	e.pool.retain(src.Key)
	p := &program{engine: e, src: src}
	if e.pool.has(src.Key) {
		return p, nil
	}
	w, err := e.start(ctx, src, e.warmth())
	if err != nil {
		e.pool.release(src.Key)
		return nil, err
	}
	e.pool.put(w)
	if err := e.pruneCache(); err != nil {
		e.log.Warn("cache of compiled modules not pruned", "error", err)
	}
	return p, nil
}

// warmth is that of workers that are made ahead.
func (e *Engine) warmth() warmth { return e.cfg.PoolSize > 0 }

// Check has a worker compile src and throws the result away. A fault in the source is a
// *[runtime.InvalidError].
func (e *Engine) Check(ctx context.Context, src runtime.Source) error {
	_, err := e.inspect(ctx, src)
	return err
}

// accept refuses what needs no worker to be refused, and fills in the defaults.
func (e *Engine) accept(src runtime.Source) (runtime.Source, error) {
	if !slices.Contains(e.cfg.Types, src.Type) {
		return src, &runtime.InvalidError{Message: fmt.Sprintf("glueType[%s] does not run in this worker", src.Type)}
	}
	if src.Isolation != "" {
		return src, &runtime.InvalidError{Message: fmt.Sprintf(
			"the version's manifest asks for isolation %s, which this executor does not allow (start it with --allow-inproc if you trust the code)", src.Isolation)}
	}
	memory := int64(128 << 20)
	if src.Type == typeWASM {
		memory = 256 << 20
		if _, err := guard.Check(src.Code, guard.DefaultLimits()); err != nil {
			return src, &runtime.InvalidError{Message: err.Error()}
		}
	}
	if err := src.Limits.CheckMemory(e.cfg.MaxMemoryBytes); err != nil {
		return src, err
	}
	src.Limits.MemoryBytes = cmp.Or(src.Limits.MemoryBytes, e.cfg.MemoryBytes, memory)
	if most := e.cfg.MaxMemoryBytes; most > 0 {
		src.Limits.MemoryBytes = min(src.Limits.MemoryBytes, most)
	}
	return src, nil
}

// Close ends all workers, running ones too.
func (e *Engine) Close() error {
	err := e.pool.close()
	e.http.Close()
	if e.owned {
		err = errors.Join(err, e.proc.Close())
	}
	return err
}
