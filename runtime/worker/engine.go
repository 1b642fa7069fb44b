package worker

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"time"

	"github.com/gluewheel/gluewheel/runtime"
	"github.com/gluewheel/gluewheel/runtime/frame"
	"github.com/gluewheel/gluewheel/runtime/proc"
)

// Config says how an Engine works. Its zero value is valid in a program whose main
// calls workermain.Main.
type Config struct {
	// Exe is the binary that workers are started from; default this one. Its main must
	// call workermain.Main when the first argument is "__worker".
	Exe string
	// Types are the glue types that the binary's workers run; default DefaultTypes.
	Types []string
	// CacheDir holds compiled modules; default none are kept.
	CacheDir string
	// MemoryBytes bounds a guest whose version names no bound; default 128 MiB.
	MemoryBytes int64
	// Workers bounds the runs at a time, beyond which runs wait; default 64.
	Workers int
	// PoolSize bounds the warm workers; default 8, negative for no pool.
	PoolSize int
	// PoolBytes bounds the memory of all warm workers; default 256 MiB.
	PoolBytes int64
	// PoolAge is how long a warm worker waits for its run at most; default 10 minutes.
	PoolAge time.Duration
	// Proc starts the workers. Without one the Engine makes its own.
	Proc *proc.Supervisor
	// Log gets what the operator should know; default none.
	Log *slog.Logger
}

// DefaultTypes are what workers of the gluewheel binary run.
func DefaultTypes() []string { return []string{"GLUE_LUA"} }

// Engine runs guests in workers.
type Engine struct {
	cfg   Config
	log   *slog.Logger
	proc  *proc.Supervisor
	owned bool // proc is ours to close
	slots chan struct{}
	pool  *pool
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
	cfg.MemoryBytes = cmp.Or(cfg.MemoryBytes, 128<<20)
	cfg.Workers = cmp.Or(cfg.Workers, 64)
	cfg.PoolSize = cmp.Or(cfg.PoolSize, 8)
	cfg.PoolBytes = cmp.Or(cfg.PoolBytes, 256<<20)
	cfg.PoolAge = cmp.Or(cfg.PoolAge, 10*time.Minute)

	e := &Engine{
		cfg:   cfg,
		log:   cfg.Log.With("component", "worker"),
		proc:  cfg.Proc,
		slots: make(chan struct{}, cfg.Workers),
	}
	if e.proc == nil {
		supervisor, err := proc.New(proc.Config{Log: cfg.Log})
		if err != nil {
			return nil, fmt.Errorf("supervise workers: %w", err)
		}
		e.proc, e.owned = supervisor, true
	}
	e.pool = newPool(e)
	return e, nil
}

// Types implements [runtime.Engine].
func (e *Engine) Types() []string { return slices.Clone(e.cfg.Types) }

// Methods says how workers are ended and bounded here.
func (e *Engine) Methods() proc.Methods { return e.proc.Methods() }

// Prepare has a worker compile src. The worker stays warm for the first run.
func (e *Engine) Prepare(ctx context.Context, src runtime.Source) (runtime.Program, error) {
	if !slices.Contains(e.cfg.Types, src.Type) {
		return nil, &runtime.InvalidError{Message: fmt.Sprintf("glueType[%s] does not run in this worker", src.Type)}
	}
	src.Limits.MemoryBytes = cmp.Or(src.Limits.MemoryBytes, e.cfg.MemoryBytes)
	p := &program{engine: e, src: src}
	if e.pool.has(src.Key) {
		return p, nil
	}
	w, err := e.start(ctx, src, frame.Execute)
	if err != nil {
		return nil, err
	}
	e.pool.put(w)
	return p, nil
}

// Check has a worker compile src and throws the result away. A fault in the source is a
// *[runtime.InvalidError].
func (e *Engine) Check(ctx context.Context, src runtime.Source) error {
	src.Limits.MemoryBytes = cmp.Or(src.Limits.MemoryBytes, e.cfg.MemoryBytes)
	w, err := e.start(ctx, src, frame.Execute)
	if err != nil {
		return err
	}
	w.end()
	return nil
}

// Close ends all workers, running ones too.
func (e *Engine) Close() error {
	err := e.pool.close()
	if e.owned {
		err = errors.Join(err, e.proc.Close())
	}
	return err
}
