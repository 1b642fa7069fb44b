package admin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/gluewheel/gluewheel/admin/job"
	"github.com/gluewheel/gluewheel/glue"
	"github.com/gluewheel/gluewheel/runtime"
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

// inspect has a worker read and compile a module, and reports on it or refuses it.
func (p *parts) inspect(ctx context.Context, module []byte) (json.RawMessage, error) {
	if p.opts.Sandbox == nil {
		return nil, errNoSandbox
	}
	report, err := p.opts.Sandbox.Inspect(ctx, module)
	if err != nil {
		return nil, codeError(err)
	}
	b, err := json.Marshal(report)
	if err != nil {
		return nil, fmt.Errorf("encode inspection: %w", err)
	}
	return b, nil
}

// errNoSandbox: a module is never stored without having been looked at.
var errNoSandbox = errors.New("inspect module: this admin has no sandbox")

// codeError turns an engine's complaint into the API's.
func codeError(err error) error {
	if invalid, ok := errors.AsType[*runtime.InvalidError](err); ok {
		return &job.CodeError{Line: invalid.Line, Column: invalid.Column, Message: invalid.Message}
	}
	return err
}
