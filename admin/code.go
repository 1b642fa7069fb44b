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

// findProblems tells what is wrong with a source as far as can be told here, without
// running it; an admin without a sandbox finds nothing.
func (p *parts) findProblems(ctx context.Context, glueType, source string) ([]runtime.Problem, error) {
	if p.opts.Sandbox == nil {
		return nil, nil
	}
	problems, err := p.checker.Check(ctx, glueType, source)
	return problems, p.sandboxError(ctx, err)
}

// checkSource refuses a source that cannot run. Scripts are not refused: what their
// interpreter finds here need not be what another version of it finds on an executor.
func (p *parts) checkSource(ctx context.Context, t glue.Type, source string) error {
	if info, _ := glue.Lookup(t); !info.Sandbox {
		return nil
	}
	problems, err := p.findProblems(ctx, string(t), source)
	if err != nil {
		return err
	}
	for _, found := range problems {
		if found.Severity == runtime.SeverityError {
			return &job.CodeError{Line: found.Line, Column: found.Column, Message: found.Message}
		}
	}
	return nil
}

// inspect has a worker read and compile a module, and reports on it or refuses it.
func (p *parts) inspect(ctx context.Context, module []byte) (json.RawMessage, error) {
	if p.opts.Sandbox == nil {
		return nil, errNoSandbox
	}
	report, err := p.opts.Sandbox.Inspect(ctx, module)
	if err != nil {
		return nil, p.sandboxError(ctx, codeError(err))
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
		return &job.CodeError{Line: invalid.Line, Column: invalid.Column, Message: invalid.Text()}
	}
	return err
}

// sandboxError names a failure of the sandbox, such as a worker that was killed because
// this admin stops, and logs why. What it came from is not passed on: the end of a
// worker's connection would be taken for that of the database's. A verdict on the code
// and the end of ctx stay what they are.
func (p *parts) sandboxError(ctx context.Context, err error) error {
	if _, verdict := errors.AsType[*job.CodeError](err); err == nil || verdict || ctx.Err() != nil {
		return err
	}
	p.opts.Log.WarnContext(ctx, "sandbox failed", "err", err)
	return fmt.Errorf("%w: %s", job.ErrSandbox, err)
}
