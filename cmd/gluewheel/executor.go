package main

import (
	"context"
	"fmt"
	"log/slog"
	"net/url"
	"time"

	"github.com/gluewheel/gluewheel/executor"
	"github.com/gluewheel/gluewheel/executor/metrics"
	"github.com/gluewheel/gluewheel/internal/stack"
)

// executorCmd runs an executor daemon.
type executorCmd struct {
	AdminAddresses        []string `required:"" placeholder:"URL" env:"GLUEWHEEL_ADMIN_ADDRESSES" help:"Admins of one database, tried in order, such as http://10.0.0.1:8080."`
	ExecutorToken         string   `required:"" placeholder:"TOKEN" env:"GLUEWHEEL_EXECUTOR_TOKEN" help:"Shared with the admins; better given as variable than as flag."`
	DataDir               string   `placeholder:"DIR" env:"GLUEWHEEL_DATA_DIR" help:"Where journal, logs and modules are kept; no other executor may use it."`
	AllowUnboundedScripts bool     `env:"GLUEWHEEL_ALLOW_UNBOUNDED_SCRIPTS" help:"Run scripts even where nothing bounds how many processes they start."`
	executorFlags
	metricsFlag
	pprofFlag
	traceFlags
}

// Validate names the flag that is wrong before anything starts.
func (c *executorCmd) Validate() error {
	for _, address := range c.AdminAddresses {
		if u, err := url.Parse(address); err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
			return fmt.Errorf("admin-addresses: %q is not an http address", address)
		}
	}
	if err := c.validatePprof(); err != nil {
		return err
	}
	if err := c.validateTraces(); err != nil {
		return err
	}
	return c.executorFlags.Validate()
}

// Run runs the executor until ctx ends.
func (c *executorCmd) Run(ctx context.Context, log *slog.Logger) error {
	dir, err := openDataDir(c.DataDir)
	if err != nil {
		return err
	}
	engines, err := newEngines(dir, c.codeFlags, c.AllowUnboundedScripts, log)
	if err != nil {
		return err
	}
	defer closeLogged(engines, log)
	traced, err := c.traces(ctx, "gluewheel-executor", log)
	if err != nil {
		return err
	}
	defer traced.close()
	runs := metrics.NewRuns()
	cfg := c.config(time.Local, engines, log)
	watch(&cfg, runs, traced)
	cfg.Metrics = c.handler(runs, engines)
	cfg.AdminAddresses = c.AdminAddresses
	cfg.Token = c.ExecutorToken
	cfg.DataDir = dir.executor()
	e, err := executor.New(cfg)
	if err != nil {
		return err
	}
	runs.Watch(e)
	builtIn, err := c.registerHandlers(e, engines, log)
	if err != nil {
		return err
	}
	defer builtIn.Close()
	return stack.Stack{}.Run(ctx, append(c.profiles(log), stack.Part{Name: "executor", Run: func(ctx context.Context) error {
		return hintPort(e.Run(ctx), c.ExecutorListen, "executor-listen", "GLUEWHEEL_EXECUTOR_LISTEN")
	}})...)
}

// watch has an executor counted and traced.
func watch(cfg *executor.Config, runs *metrics.Runs, t *traces) {
	cfg.Ran, cfg.Acked = runs.Ran, runs.Acked
	if tell := t.runs(); tell != nil {
		cfg.Ran = func(r executor.Ran) { runs.Ran(r); tell(r) }
	}
}
