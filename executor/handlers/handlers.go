package handlers

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/gluewheel/gluewheel/executor"
	"github.com/gluewheel/gluewheel/runtime/egress"
	"github.com/gluewheel/gluewheel/runtime/proc"
)

// Config says what the handlers may do.
type Config struct {
	// HTTP is what httpJobHandler may call; the zero value allows public addresses. Its
	// Timeout bounds what a job may ask for; default 10 min.
	HTTP egress.Policy
	// Command runs what commandJobHandler is told, as the executor's own user. Without
	// it there is no such handler.
	Command *proc.Supervisor
	// Log is told when commandJobHandler is there. Required with Command.
	Log *slog.Logger
}

// Handlers are registered with one executor.
type Handlers struct {
	http *egress.Client
	proc *proc.Supervisor
}

const maxHTTPTimeout = 10 * time.Minute

// Register adds the handlers to an executor. Close the Handlers after its Run.
func Register(e *executor.Executor, cfg Config) (*Handlers, error) {
	if cfg.HTTP.Timeout <= 0 {
		cfg.HTTP.Timeout = maxHTTPTimeout
	}
	h := &Handlers{http: egress.New(cfg.HTTP), proc: cfg.Command}
	errs := []error{
		e.Handle("demoJobHandler", demo),
		e.Handle("shardingJobHandler", sharding),
		e.Handle("httpJobHandler", h.request),
	}
	if cfg.Command != nil {
		errs = append(errs, e.Handle("commandJobHandler", h.command))
		cfg.Log.Warn("commandJobHandler is switched on: whoever edits a job may run any program as this user")
	}
	if err := errors.Join(errs...); err != nil {
		h.Close()
		return nil, err
	}
	return h, nil
}

// Close lets idle connections go.
func (h *Handlers) Close() { h.http.Close() }

const (
	demoBeats = 5
	demoPause = 2 * time.Second
)

// demo says hello and beats for ten seconds.
func demo(ctx context.Context, job *executor.Job) error {
	job.Logf("hello, this is gluewheel; the parameter is %q", job.Param())
	for n := range demoBeats {
		job.Logf("beat at: %d", n)
		job.Progress(100*float64(n)/demoBeats, fmt.Sprintf("beat %d of %d", n+1, demoBeats))
		select {
		case <-time.After(demoPause):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

// sharding tells which part of a broadcast this run is.
func sharding(_ context.Context, job *executor.Job) error {
	index, total := job.Shard()
	job.Logf("shard parameters: index %d of total %d", index, total)
	for i := range total {
		if i == index {
			job.Logf("shard %d: hit, its work is done here", i)
		} else {
			job.Logf("shard %d: ignored", i)
		}
	}
	return nil
}
