package wasm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	goruntime "runtime"
	"slices"
	"strings"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"

	"github.com/gluewheel/gluewheel/runtime"
	"github.com/gluewheel/gluewheel/runtime/wasm/guard"
)

// Functions that the host calls.
const (
	startFunction = "_start"
	initFunction  = "_initialize"
	runFunction   = "gw_run"
)

const (
	pageBytes = 64 << 10
	// defaultMemory is a guest's memory where no limit is known.
	defaultMemory = 256 << 20
)

// Options say how a module is loaded.
type Options struct {
	// MemoryBytes bounds the guest's linear memory; default 256 MiB.
	MemoryBytes int64
	// CacheDir holds compiled modules. What lies in it is executed, so only this user
	// may write to it. Default: nothing is kept.
	CacheDir string
	// Cache holds compiled modules in memory, for several guests of one process; it
	// takes CacheDir's place. May be nil.
	Cache wazero.CompilationCache
}

// Load checks and compiles a module. An error is a *[runtime.InvalidError] when the
// module is at fault.
func Load(ctx context.Context, module []byte, opts Options) (*Guest, error) {
	report, err := guard.Check(module, guard.DefaultLimits())
	if err != nil {
		return nil, &runtime.InvalidError{Message: err.Error()}
	}
	abi, err := abiOf(report)
	if err != nil {
		return nil, err
	}
	pages := cmp.Or(opts.MemoryBytes, defaultMemory) / pageBytes
	if int64(report.MemoryPages) > pages {
		return nil, invalid("The module wants %d MiB of memory from the start; it may have %d MiB.",
			int64(report.MemoryPages)*pageBytes>>20, pages*pageBytes>>20)
	}
	config := wazero.NewRuntimeConfig().
		WithCloseOnContextDone(true).
		WithMemoryLimitPages(uint32(min(pages, 1<<16))). // 4 GiB is all that there can be
		WithDebugInfoEnabled(false)                      // reading DWARF is slow, and another parser to trust
	g := &Guest{abi: abi}
	if opts.Cache != nil {
		err = g.compileWith(ctx, module, config.WithCompilationCache(opts.Cache))
	} else {
		err = g.compile(ctx, module, config, opts.CacheDir)
	}
	if err == nil {
		err = g.checkImports(report)
	}
	if err != nil {
		return nil, errors.Join(err, g.Close(ctx))
	}
	return g, nil
}

// Close frees what the guest holds: its memory, and its machine code unless others share
// it. Not needed in a process that ends with its guest.
func (g *Guest) Close(ctx context.Context) error {
	var err error
	if g.compiled != nil {
		err = g.compiled.Close(ctx)
	}
	if g.runtime != nil {
		err = errors.Join(err, g.runtime.Close(ctx))
	}
	return err
}

// compile compiles with the cache, and without it if that does not work: a damaged
// entry must not make a good module unusable.
func (g *Guest) compile(ctx context.Context, module []byte, config wazero.RuntimeConfig, cacheDir string) error {
	if cacheDir != "" {
		cache, err := wazero.NewCompilationCacheWithDir(cacheDir)
		if err == nil && g.compileWith(ctx, module, config.WithCompilationCache(cache)) == nil {
			return nil
		}
	}
	return g.compileWith(ctx, module, config)
}

func (g *Guest) compileWith(ctx context.Context, module []byte, config wazero.RuntimeConfig) (err error) {
	g.runtime = wazero.NewRuntimeWithConfig(ctx, config)
	if err := g.openHost(ctx); err != nil {
		return err
	}
	// A module of some MB takes seconds on one processor, and people wait for it.
	ctx = experimental.WithCompilationWorkers(ctx, goruntime.GOMAXPROCS(0))
	if g.compiled, err = g.runtime.CompileModule(ctx, module); err != nil {
		return invalid("The module is not valid: %v.", err)
	}
	return nil
}

// openHost makes the modules that guests import from.
func (g *Guest) openHost(ctx context.Context) error {
	if _, err := wasi_snapshot_preview1.Instantiate(ctx, g.runtime); err != nil {
		return fmt.Errorf("make WASI module: %w", err)
	}
	return g.openGluewheel(ctx)
}

// abiOf finds out how the module is called. Without this check, a module that exports
// nothing would be run as a success.
func abiOf(report guard.Report) (ABI, error) {
	for _, e := range report.Exports {
		if e.Kind != guard.Func {
			continue
		}
		switch e.Name {
		case startFunction:
			if len(e.Params) > 0 || len(e.Results) > 0 {
				return "", invalid("The module's _start takes or gives values; a WASI command's does not.")
			}
			return Command, nil
		case runFunction:
			if len(e.Params) > 0 || !slices.Equal(e.Results, []string{"i32"}) {
				return "", invalid("The module's gw_run must take nothing and give an i32.")
			}
			return Reactor, nil
		}
	}
	return "", invalid("The module exports neither _start (a WASI preview 1 command) nor gw_run (a reactor), so there is nothing to run.")
}

// checkImports makes sure that all that the module imports is there.
func (g *Guest) checkImports(report guard.Report) error {
	for _, i := range report.Imports {
		if i.Kind != guard.Func {
			return invalid("The module imports the %s %s.%s; only functions can be imported.", i.Kind, i.Module, i.Name)
		}
	}
	for _, f := range g.compiled.ImportedFunctions() {
		from, name, _ := f.Import()
		host := g.runtime.Module(from)
		if host == nil {
			return invalid("The module imports %s.%s; only wasi_snapshot_preview1 and gluewheel are here.", from, name)
		}
		offered, ok := host.ExportedFunctionDefinitions()[name]
		if !ok {
			return invalid("The module imports %s.%s, which is not there.", from, name)
		}
		if !slices.Equal(f.ParamTypes(), offered.ParamTypes()) || !slices.Equal(f.ResultTypes(), offered.ResultTypes()) {
			return invalid("The module imports %s.%s as %s; it is %s.", from, name, signature(f), signature(offered))
		}
	}
	return nil
}

func signature(f api.FunctionDefinition) string {
	names := func(types []api.ValueType) string {
		var list []string
		for _, t := range types {
			list = append(list, api.ValueTypeName(t))
		}
		return "(" + strings.Join(list, " ") + ")"
	}
	return names(f.ParamTypes()) + " -> " + names(f.ResultTypes())
}

func invalid(format string, args ...any) error {
	return &runtime.InvalidError{Message: fmt.Sprintf(format, args...)}
}
