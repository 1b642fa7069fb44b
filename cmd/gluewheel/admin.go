package main

import (
	"context"
	"log/slog"
	"strings"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/gluewheel/gluewheel/admin"
	"github.com/gluewheel/gluewheel/executor/metrics"
	"github.com/gluewheel/gluewheel/internal/stack"
	"github.com/gluewheel/gluewheel/runtime/worker"
)

// adminCmd runs a scheduling centre. Any number may run over one database.
type adminCmd struct {
	databaseFlag
	ExecutorToken string `placeholder:"TOKEN" env:"GLUEWHEEL_EXECUTOR_TOKEN" help:"Of executors whose group has no token of its own; better given as variable than as flag."`
	DataDir       string `placeholder:"DIR" env:"GLUEWHEEL_DATA_DIR" help:"Where compiled code is kept between starts."`
	adminFlags
	pprofFlag
	traceFlags
}

// Validate names the flag that is wrong before anything starts.
func (c *adminCmd) Validate() error {
	if err := c.validatePprof(); err != nil {
		return err
	}
	if err := c.validateTraces(); err != nil {
		return err
	}
	return c.adminFlags.Validate()
}

// Run runs the admin until ctx ends.
func (c *adminCmd) Run(ctx context.Context, log *slog.Logger) error {
	dir, err := openDataDir(c.DataDir)
	if err != nil {
		return err
	}
	engines, err := newSandbox(dir, worker.Config{}, log)
	if err != nil {
		return err
	}
	defer closeLogged(engines, log)
	opts, err := c.options(c.DatabaseURL, c.ExecutorToken, log)
	if err != nil {
		return err
	}
	traced, err := c.traces(ctx, "gluewheel-admin", log)
	if err != nil {
		return err
	}
	defer traced.close()
	opts.Sandbox, opts.Trace = engines.sandbox, traced.steps()
	opts.Figures = []prometheus.Collector{metrics.NewWorkers(engines.sandbox.Stats)}
	a, err := admin.New(opts)
	if err != nil {
		return err
	}
	return stack.Stack{}.Run(ctx, append(c.profiles(log), stack.Part{Name: "admin", Run: func(ctx context.Context) error {
		return hintPort(a.Run(ctx), c.Listen, "listen", "GLUEWHEEL_LISTEN")
	}})...)
}

// options are what admin and standalone tell an admin alike.
func (f *adminFlags) options(databaseURL, token string, log *slog.Logger) (admin.Options, error) {
	zone, err := f.zone()
	if err != nil {
		return admin.Options{}, err
	}
	keys, err := f.seal()
	if err != nil {
		return admin.Options{}, err
	}
	oidc, err := f.oidc(f.PageURL)
	if err != nil {
		return admin.Options{}, err
	}
	return admin.Options{
		OIDC:           oidc,
		AuditRetention: f.AuditRetention,
		TrustedProxies: f.TrustedProxies,
		DatabaseURL:    databaseURL,
		Listen:         f.Listen,
		Token:          token,
		Password:       f.AdminPassword,
		Zone:           zone,
		Seal:           keys,
		PageURL:        strings.TrimSuffix(f.PageURL, "/"),
		MetricsToken:   f.MetricsToken,
		Buckets:        f.Buckets,
		Retention:      f.Retention,
		Version:        version,
		Log:            log,
	}, nil
}
