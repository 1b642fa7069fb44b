package worker

import (
	"context"

	"github.com/gluewheel/gluewheel/runtime"
	"github.com/gluewheel/gluewheel/runtime/frame"
	"github.com/gluewheel/gluewheel/runtime/wasm/guard"
)

// Report is what an uploaded module is, as far as can be told without running it.
type Report struct {
	guard.Report
	ABI       string `json:"abi"`        // "command" or "reactor"
	CompileMS int64  `json:"compile_ms"` // short if the cache had it
}

// Inspect reads a module's structure and has a worker compile it. A module that could
// not be run is refused with a *[runtime.InvalidError] that names the reason. What is
// compiled stays in the cache for the first run.
func (e *Engine) Inspect(ctx context.Context, module []byte) (Report, error) {
	structure, err := guard.Check(module, guard.DefaultLimits())
	if err != nil {
		return Report{}, &runtime.InvalidError{Message: err.Error()}
	}
	found, err := e.inspect(ctx, runtime.Source{Type: typeWASM, Code: module})
	if err != nil {
		return Report{}, err
	}
	return Report{Report: structure, ABI: found.ABI, CompileMS: found.LoadMS}, nil
}

// inspect has a worker load src and tells what it found.
func (e *Engine) inspect(ctx context.Context, src runtime.Source) (frame.Inspection, error) {
	src, err := e.accept(src)
	if err != nil {
		return frame.Inspection{}, err
	}
	w, err := e.start(ctx, src, cold)
	if err != nil {
		return frame.Inspection{}, err
	}
	w.end()
	return w.found, e.pruneCache()
}
