package main

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/gluewheel/gluewheel/admin"
	"github.com/gluewheel/gluewheel/admin/seal"
	"github.com/gluewheel/gluewheel/executor"
	"github.com/gluewheel/gluewheel/executor/metrics"
	"github.com/gluewheel/gluewheel/internal/pg"
	"github.com/gluewheel/gluewheel/internal/stack"
	"github.com/gluewheel/gluewheel/samples"
)

// standaloneCmd runs everything in one process.
type standaloneCmd struct {
	DataDir       string `placeholder:"DIR" env:"GLUEWHEEL_DATA_DIR" help:"Where everything is kept (/var/lib/gluewheel for root, else ~/.local/share/gluewheel)."`
	DatabaseURL   string `placeholder:"URL" env:"GLUEWHEEL_DATABASE_URL" help:"Use this PostgreSQL instead of a private one."`
	ExecutorToken string `placeholder:"TOKEN" env:"GLUEWHEEL_EXECUTOR_TOKEN" help:"Shared by admin and executors; made up and kept in the data directory by default."`
	PgBin         string `placeholder:"DIR" env:"GLUEWHEEL_PG_BIN" help:"Directory of PostgreSQL's programs; looked for by default."`
	PgCache       string `hidden:"" env:"GLUEWHEEL_PG_CACHE" default:".cache/postgres"`
	NoSamples     bool   `env:"GLUEWHEEL_NO_SAMPLES" help:"Create no sample jobs in a new database."`
	adminFlags
	executorFlags
	pprofFlag
	traceFlags
}

// Validate names the flag that is wrong before anything starts.
func (c *standaloneCmd) Validate() error {
	if err := c.adminFlags.Validate(); err != nil {
		return err
	}
	if err := c.validatePprof(); err != nil {
		return err
	}
	if err := c.validateTraces(); err != nil {
		return err
	}
	return c.executorFlags.Validate()
}

// Run starts the database, then the rest, and stops all in the opposite order.
func (c *standaloneCmd) Run(ctx context.Context, s *streams, log *slog.Logger) error {
	if err := checkPort(c.Listen, "listen", "GLUEWHEEL_LISTEN"); err != nil {
		return err
	}
	if err := checkPort(c.ExecutorListen, "executor-listen", "GLUEWHEEL_EXECUTOR_LISTEN"); err != nil {
		return err
	}
	dir, err := openDataDir(c.DataDir)
	if err != nil {
		return err
	}
	url, database, stop, err := c.database(ctx, dir, log)
	if err != nil {
		return err
	}
	defer stop()
	return c.serve(ctx, dir, url, banner{out: s.out, data: string(dir), database: database}, log)
}

// database is the one asked for or a private one. where says it to people.
func (c *standaloneCmd) database(ctx context.Context, dir dataDir, log *slog.Logger) (url, where string, stop func(), err error) {
	if c.DatabaseURL != "" {
		return c.DatabaseURL, "the PostgreSQL at GLUEWHEEL_DATABASE_URL", func() {}, nil
	}
	server, err := pg.Start(ctx, pg.Config{
		Home:     dir.postgres(),
		BinDir:   c.PgBin,
		CacheDir: c.PgCache,
		Log:      log.With("component", "postgres"),
	})
	if err != nil {
		return "", "", nil, err
	}
	where = fmt.Sprintf("private PostgreSQL %d in %s", server.Version(), server.Home())
	return server.URL(), where, server.Stop, nil
}

// serve runs admin and executor until ctx ends.
func (c *standaloneCmd) serve(ctx context.Context, dir dataDir, databaseURL string, b banner, log *slog.Logger) error {
	first, err := c.firstUser(ctx, dir, databaseURL)
	if err != nil {
		return err
	}
	// Somebody who tries it out on their machine means their own scripts to run.
	engines, err := newEngines(dir, c.codeFlags, true, log)
	if err != nil {
		return err
	}
	defer closeLogged(engines, log)
	token, err := c.token(dir)
	if err != nil {
		return err
	}
	opts, err := c.adminOptions(dir, databaseURL, token, log)
	if err != nil {
		return err
	}
	opts.Password = first.password
	traced, err := c.traces(ctx, "gluewheel", log)
	if err != nil {
		return err
	}
	defer traced.close()
	runs := metrics.NewRuns()
	opts.Sandbox, opts.Trace = engines.sandbox, traced.steps()
	opts.Figures = []prometheus.Collector{runs, metrics.NewWorkers(engines.sandbox.Stats)}
	a, err := admin.New(opts)
	if err != nil {
		return err
	}
	e, err := c.newExecutor(dir, token, engines, log, func(cfg *executor.Config) { watch(cfg, runs, traced) })
	if err != nil {
		return err
	}
	runs.Watch(e)
	builtIn, err := c.registerHandlers(e, engines, log)
	if err != nil {
		return err
	}
	defer builtIn.Close()
	b.url, b.login = localURL(c.Listen), first.login()
	w := welcome{executor: e, dir: dir, app: c.AppName, password: first.password, banner: b, log: log}
	parts := append(c.profiles(log), stack.Part{Name: "admin", Run: a.Run}, stack.Part{Name: "executor", Run: e.Run}, stack.Part{Name: "welcome", Run: w.run})
	return stack.Stack{}.Run(ctx, parts...)
}

// firstUser is who may log in; a new database gets sample jobs, unless nobody wants them.
func (c *standaloneCmd) firstUser(ctx context.Context, dir dataDir, databaseURL string) (firstUser, error) {
	first, err := findFirstUser(ctx, dir, databaseURL, c.AdminPassword)
	if err != nil || !first.created || c.NoSamples {
		return first, err
	}
	return first, dir.markSamples()
}

// adminOptions are the admin's, with a seal key of the data directory's where none is
// given.
func (c *standaloneCmd) adminOptions(dir dataDir, databaseURL, token string, log *slog.Logger) (opts admin.Options, err error) {
	if c.SealKey == "" && c.SealKeyFile == "" {
		if c.SealKey, _, err = secret(dir.sealKeyFile(), seal.NewKey); err != nil {
			return opts, err
		}
	}
	return c.options(databaseURL, token, log)
}

// newExecutor makes the executor with the sample handlers.
func (c *standaloneCmd) newExecutor(dir dataDir, token string, engines *engines, log *slog.Logger, edit func(*executor.Config)) (*executor.Executor, error) {
	zone, err := c.zone()
	if err != nil {
		return nil, err
	}
	cfg := c.config(zone, engines, log)
	cfg.AdminAddresses = []string{localURL(c.Listen)}
	cfg.Token = token
	cfg.DataDir = dir.executor()
	edit(&cfg)
	e, err := executor.New(cfg)
	if err != nil {
		return nil, err
	}
	return e, samples.Register(e)
}

func (c *standaloneCmd) token(dir dataDir) (string, error) {
	if c.ExecutorToken != "" {
		return c.ExecutorToken, nil
	}
	token, _, err := secret(dir.tokenFile(), newToken)
	return token, err
}
