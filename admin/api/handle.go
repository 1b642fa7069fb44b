package api

import (
	"context"
	"errors"
	"net/http"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"github.com/gluewheel/gluewheel/admin/auth"
	"github.com/gluewheel/gluewheel/admin/job"
)

// binder registers a typed handler for an operation.
type binder func(s *server, op huma.Operation)

// plain binds a handler that has no object: lists, which show what the caller may see,
// and what concerns the caller alone. The guard has checked the right.
func plain[I, O any](fn func(context.Context, *I) (*O, error)) binder {
	return func(s *server, op huma.Operation) {
		huma.Register(s.huma, op, func(ctx context.Context, in *I) (*O, error) {
			ctx = noteInput(ctx, in)
			out, err := perform(ctx, s, in, fn)
			if err != nil {
				return nil, s.problem(ctx, err)
			}
			return out, nil
		})
	}
}

// on binds a handler of an object: it is loaded, and the right checked on its group,
// before the handler sees it.
func on[T, I, O any](load func(context.Context, *I) (T, error), group func(*T) int32, fn func(context.Context, T, *I) (*O, error)) binder {
	return plain(func(ctx context.Context, in *I) (*O, error) {
		object, err := load(ctx, in)
		if err != nil {
			return nil, err
		}
		if err := allow(ctx, group(&object)); err != nil {
			return nil, err
		}
		noteObject(ctx, &object, group(&object))
		return fn(ctx, object, in)
	})
}

// path is a pointer to an input with an id in its path.
type path[I, N any] interface {
	*I
	id() N
}

// onJob binds a handler of the job in the path.
func onJob[I, O any, P path[I, int32]](s *server, fn func(context.Context, job.Job, *I) (*O, error)) binder {
	load := func(ctx context.Context, in *I) (job.Job, error) { return s.deps.Store.Job(ctx, P(in).id()) }
	return on(load, func(j *job.Job) int32 { return j.GroupID }, fn)
}

// onGroup binds a handler of the group in the path.
func onGroup[I, O any, P path[I, int32]](s *server, fn func(context.Context, job.Group, *I) (*O, error)) binder {
	load := func(ctx context.Context, in *I) (job.Group, error) { return s.deps.Store.Group(ctx, P(in).id()) }
	return on(load, func(g *job.Group) int32 { return g.ID }, fn)
}

// onRun binds a handler of the run in the path.
func onRun[I, O any, P path[I, int64]](s *server, fn func(context.Context, job.RunSummary, *I) (*O, error)) binder {
	load := func(ctx context.Context, in *I) (job.RunSummary, error) { return s.deps.Store.Run(ctx, P(in).id()) }
	return on(load, func(r *job.RunSummary) int32 { return r.GroupID }, fn)
}

// inGroup binds a handler that makes something in the group that the body names.
func inGroup[I, O any, P path[I, int32]](s *server, fn func(context.Context, job.Group, *I) (*O, error)) binder {
	load := func(ctx context.Context, in *I) (job.Group, error) {
		g, err := s.deps.Store.Group(ctx, P(in).id())
		if errors.Is(err, job.ErrNotFound) {
			err = &job.FieldError{Field: "group_id", Message: "There is no such group. Choose an existing one."}
		}
		return g, err
	}
	return on(load, func(g *job.Group) int32 { return g.ID }, fn)
}

// ObjectID is the id of a job or a group in a path.
type ObjectID struct {
	ID int32 `path:"id" minimum:"1" maximum:"2147483647"`
}

func (o *ObjectID) id() int32 { return o.ID }

// RunID is the id of a run in a path.
type RunID struct {
	ID int64 `path:"id" minimum:"1" maximum:"9007199254740991" doc:"At most 53 bits, exact in JavaScript."`
}

func (r *RunID) id() int64 { return r.ID }

// operation describes a route to huma.
func (s *server) operation(r route) huma.Operation {
	op := huma.Operation{
		Method: r.method, Path: r.path, OperationID: r.id, Summary: r.summary, Tags: []string{r.tag},
		Description:     r.description(),
		DefaultStatus:   r.status,
		MaxBodyBytes:    r.maxBytes,
		BodyReadTimeout: readTimeout,
		Middlewares:     huma.Middlewares{s.guard(r)},
	}
	if r.right != auth.Public {
		op.Security = []map[string][]string{{securityScheme: {}}, {tokenScheme: {}}}
	}
	if r.media != "" {
		op.RequestBody = &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{
			r.media: {Schema: &huma.Schema{Type: huma.TypeString, Format: "binary"}},
		}}
	}
	if r.sends != "" {
		op.Responses = map[string]*huma.Response{strconv.Itoa(http.StatusOK): {Content: map[string]*huma.MediaType{
			r.sends: {Schema: &huma.Schema{Type: huma.TypeString, Format: "binary"}},
		}}}
	}
	if op.DefaultStatus == 0 {
		op.DefaultStatus = http.StatusOK
	}
	return op
}
