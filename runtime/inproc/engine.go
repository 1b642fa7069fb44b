package inproc

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/tetratelabs/wazero"

	"github.com/gluewheel/gluewheel/runtime"
	"github.com/gluewheel/gluewheel/runtime/egress"
	"github.com/gluewheel/gluewheel/runtime/wasm"
	"github.com/gluewheel/gluewheel/runtime/wasm/guard"
)

// Sandbox runs what does not run here, and compiles first what does.
type Sandbox interface {
	runtime.Engine
	// Check compiles a source in a worker; a fault is a *[runtime.InvalidError].
	Check(ctx context.Context, src runtime.Source) error
}

// Config says how an Engine works.
type Config struct {
	// Sandbox is required. It stays its maker's to close.
	Sandbox Sandbox
	// MemoryBytes bounds a guest whose version names no bound; default 64 MiB.
	MemoryBytes int64
	// MaxMemoryBytes bounds what a version may ask for; default nothing.
	MaxMemoryBytes int64
	// Runs bounds the runs in this process at a time; more wait. Default 16.
	Runs int
	// HTTP is what guests may call through gw.http at most.
	HTTP egress.Policy
	// Log gets the warning that this is switched on; default none.
	Log *slog.Logger
}

// Engine runs the modules that may leave the sandbox, and hands on the others.
type Engine struct {
	cfg   Config
	http  *egress.Client
	slots chan struct{}
}

var _ runtime.Engine = (*Engine)(nil)

// New makes an Engine, and warns of it.
func New(cfg Config) *Engine {
	cfg.MemoryBytes = cmp.Or(cfg.MemoryBytes, 64<<20)
	cfg.Runs = cmp.Or(cfg.Runs, 16)
	cfg.Log = cmp.Or(cfg.Log, slog.New(slog.DiscardHandler))
	cfg.Log.Warn("WebAssembly of versions with isolation inproc runs in this process, without most of the sandbox: publish only code that you trust")
	return &Engine{cfg: cfg, http: egress.New(cfg.HTTP), slots: make(chan struct{}, cfg.Runs)}
}

// Types implements [runtime.Engine].
func (e *Engine) Types() []string { return e.cfg.Sandbox.Types() }

// Close lets idle connections go.
func (e *Engine) Close() error { e.http.Close(); return nil }

// Prepare hands on what belongs into the sandbox, and compiles the rest, after the
// sandbox has.
func (e *Engine) Prepare(ctx context.Context, src runtime.Source) (runtime.Program, error) {
	if src.Isolation != runtime.IsolationInproc {
		return e.cfg.Sandbox.Prepare(ctx, src)
	}
	if src.Type != wasm.Type {
		return nil, &runtime.InvalidError{Message: "isolation inproc is for WebAssembly only; take it out of the version's manifest"}
	}
	if err := src.Limits.CheckMemory(e.cfg.MaxMemoryBytes); err != nil {
		return nil, err
	}
	src.Limits.MemoryBytes = cmp.Or(src.Limits.MemoryBytes, e.cfg.MemoryBytes)
	src.Isolation = ""
	if _, err := guard.Check(src.Code, guard.DefaultLimits()); err != nil {
		return nil, &runtime.InvalidError{Message: err.Error()}
	}
	code, err := guard.AddChecks(src.Code)
	if err != nil {
		return nil, fmt.Errorf("prepare module to run in this process: %w", err)
	}
	src.Code = code
	if err := e.cfg.Sandbox.Check(ctx, src); err != nil {
		return nil, err
	}
	return e.compile(ctx, src)
}

// compile keeps the machine code in memory until the program is closed.
func (e *Engine) compile(ctx context.Context, src runtime.Source) (runtime.Program, error) {
	p := &program{engine: e, src: src, cache: wazero.NewCompilationCache()}
	var err error
	p.kept, err = recovered(func() (*wasm.Guest, error) { return p.load(ctx) })
	if err != nil {
		return nil, errors.Join(err, p.cache.Close(context.WithoutCancel(ctx)))
	}
	return p, nil
}

// recovered calls fn and turns a panic into an error: engines have bugs that guests find.
func recovered[T any](fn func() (T, error)) (value T, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("the engine panicked: %v", cause)
		}
	}()
	return fn()
}
