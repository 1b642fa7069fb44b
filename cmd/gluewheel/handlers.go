package main

import (
	"log/slog"

	"github.com/gluewheel/gluewheel/executor"
	"github.com/gluewheel/gluewheel/executor/handlers"
)

// registerHandlers adds the built-in handlers to an executor. The caller closes them
// after its Run.
func (f *executorFlags) registerHandlers(e *executor.Executor, engines *engines, log *slog.Logger) (*handlers.Handlers, error) {
	policy, err := f.policy()
	if err != nil {
		return nil, err
	}
	cfg := handlers.Config{HTTP: policy, Log: log}
	if f.AllowCommandHandler {
		cfg.Command = engines.proc
	}
	return handlers.Register(e, cfg)
}
