package check

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/gluewheel/gluewheel/glue"
	"github.com/gluewheel/gluewheel/runtime"
	"github.com/gluewheel/gluewheel/runtime/worker"
)

// Checker checks sources. It is safe for concurrent use.
type Checker struct {
	sandbox *worker.Engine
	slots   chan struct{}
}

// atOnce bounds the checks at a time; more wait. Each is a process for some ms.
const atOnce = 4

// New makes a Checker that has sandbox start its processes.
func New(sandbox *worker.Engine) *Checker {
	return &Checker{sandbox: sandbox, slots: make(chan struct{}, atOnce)}
}

// Check finds the problems of a source, none if there is nothing wrong or nothing that
// could tell. An error means that the check could not be made.
func (c *Checker) Check(ctx context.Context, glueType, source string) ([]runtime.Problem, error) {
	if len(source) > glue.MaxSource {
		return []runtime.Problem{{Severity: runtime.SeverityError, Message: fmt.Sprintf(
			"the source has %d bytes, and at most %d are kept", len(source), glue.MaxSource)}}, nil
	}
	select {
	case c.slots <- struct{}{}:
		defer func() { <-c.slots }()
	case <-ctx.Done():
		return nil, fmt.Errorf("wait for a free place to check %s: %w", glueType, context.Cause(ctx))
	}
	var problems []runtime.Problem
	var err error
	info, _ := glue.Lookup(glue.Type(glueType))
	switch {
	case info.Sandbox && !info.Artifact && slices.Contains(c.sandbox.Types(), glueType):
		problems, err = c.compile(ctx, glueType, source)
	case info.Type == glue.Shell:
		problems, err = c.shell(ctx, source)
	case info.Type == glue.Python:
		problems, err = c.python(ctx, source)
	}
	if err != nil {
		return nil, fmt.Errorf("check %s: %w", glueType, err)
	}
	return problems, nil
}

// compile has a sandbox worker compile the source.
func (c *Checker) compile(ctx context.Context, glueType, source string) ([]runtime.Problem, error) {
	err := c.sandbox.Check(ctx, runtime.Source{Type: glueType, Code: []byte(source)})
	if invalid, ok := errors.AsType[*runtime.InvalidError](err); ok {
		return []runtime.Problem{{
			Line: invalid.Line, Column: invalid.Column, Severity: runtime.SeverityError, Message: invalid.Text(),
		}}, nil
	}
	return nil, err
}
