package api

import (
	"context"

	"github.com/gluewheel/gluewheel/admin/job"
)

// Trial lets a write be tried: it is checked and made, answered, and taken back.
type Trial struct {
	DryRun string `query:"dry_run" enum:"true,false" doc:"true: nothing is stored; the answer is as if it were."`
}

func (t *Trial) dry() bool { return t.DryRun == "true" }

// trial is an input that may ask for a dry run.
type trial interface{ dry() bool }

// undoer runs a request and takes back what it stored.
type undoer interface {
	DryRun(ctx context.Context, fn func(ctx context.Context) error) error
	Together(ctx context.Context, fn func(ctx context.Context) error) error
}

type dryKey struct{}

// perform calls a handler, and has what it stored taken back if its input asks for that.
func perform[I, O any](ctx context.Context, s *server, in *I, fn func(context.Context, *I) (*O, error)) (out *O, err error) {
	if t, ok := any(in).(trial); !ok || !t.dry() {
		if out, err = fn(ctx, in); err == nil {
			err = s.settleNote(ctx)
		}
		return out, err
	}
	err = s.deps.Store.DryRun(ctx, func(ctx context.Context) error {
		out, err = fn(context.WithValue(ctx, dryKey{}, true), in)
		return err
	})
	return out, err
}

// fired hands over runs that a request has planned, unless it was a dry run.
func (s *server) fired(ctx context.Context, fires ...job.Fire) {
	if dry, _ := ctx.Value(dryKey{}).(bool); !dry {
		s.deps.Fired(fires)
	}
}
