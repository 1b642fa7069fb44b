package admin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/gluewheel/gluewheel/admin/job"
	"github.com/gluewheel/gluewheel/glue"
	"github.com/gluewheel/gluewheel/runtime"
	"github.com/gluewheel/gluewheel/runtime/wasm/guard"
)

// checkSource has a sandbox worker compile what people publish, where the type has an
// engine. Scripts are checked by their interpreter, when they run.
func (p *parts) checkSource(ctx context.Context, t glue.Type, source string) error {
	info, _ := glue.Lookup(t)
	if p.opts.Sandbox == nil || !info.Sandbox || info.Artifact {
		return nil
	}
	return codeError(p.opts.Sandbox.Check(ctx, runtime.Source{Type: string(t), Code: []byte(source)}))
}

// inspect reports on a module, or refuses it: the guard reads its structure first, then
// a worker compiles it.
func (p *parts) inspect(ctx context.Context, module []byte) (json.RawMessage, error) {
	report, err := guard.Check(module, guard.DefaultLimits())
	if err != nil {
		return nil, &job.CodeError{Message: err.Error()}
	}
	if p.opts.Sandbox != nil {
		src := runtime.Source{Type: string(glue.WASM), Code: module, Digest: glue.Digest(module)}
		if err := codeError(p.opts.Sandbox.Check(ctx, src)); err != nil {
			return nil, err
		}
	}
	b, err := json.Marshal(report)
	if err != nil {
		return nil, fmt.Errorf("encode inspection: %w", err)
	}
	return b, nil
}

// codeError turns an engine's complaint into the API's.
func codeError(err error) error {
	if invalid, ok := errors.AsType[*runtime.InvalidError](err); ok {
		return &job.CodeError{Line: invalid.Line, Column: invalid.Column, Message: invalid.Message}
	}
	return err
}
