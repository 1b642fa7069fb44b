package main

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/gluewheel/gluewheel/admin"
	"github.com/gluewheel/gluewheel/admin/seal"
	"github.com/gluewheel/gluewheel/executor"
	"github.com/gluewheel/gluewheel/internal/pg"
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
}

// Validate names the flag that is wrong before anything starts.
func (c *standaloneCmd) Validate() error {
	if err := c.adminFlags.Validate(); err != nil {
		return err
	}
	if err := c.validatePprof(); err != nil {
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
	token, err := c.token(dir)
	if err != nil {
		return err
	}
	first, err := findFirstUser(ctx, dir, databaseURL, c.AdminPassword)
	if err != nil {
		return err
	}
	if first.created && !c.NoSamples {
		if err := dir.markSamples(); err != nil {
			return err
		}
	}
	// Somebody who tries it out on their machine means their own scripts to run.
	engines, err := newEngines(dir, c.codeFlags, true, log)
	if err != nil {
		return err
	}
	defer closeLogged(engines, log)
	if c.SealKey == "" && c.SealKeyFile == "" {
		if c.SealKey, _, err = secret(dir.sealKeyFile(), seal.NewKey); err != nil {
			return err
		}
	}
	opts, err := c.options(databaseURL, token, log)
	if err != nil {
		return err
	}
	opts.Password = first.password
	opts.Sandbox = engines.sandbox
	a, err := admin.New(opts)
	if err != nil {
		return err
	}
	e, err := c.newExecutor(dir, token, engines, log)
	if err != nil {
		return err
	}
	builtIn, err := c.registerHandlers(e, engines, log)
	if err != nil {
		return err
	}
	defer builtIn.Close()
	b.url, b.login = localURL(c.Listen), first.login()
	w := welcome{executor: e, dir: dir, app: c.AppName, password: first.password, banner: b}
	parts := append(c.profiles(log), part{"admin", a.Run}, part{"executor", e.Run}, part{"welcome", w.run})
	return runParts(ctx, parts...)
}

// newExecutor makes the executor with the sample handlers.
func (c *standaloneCmd) newExecutor(dir dataDir, token string, engines *engines, log *slog.Logger) (*executor.Executor, error) {
	zone, err := c.zone()
	if err != nil {
		return nil, err
	}
	cfg := c.config(zone, engines, log)
	cfg.AdminAddresses = []string{localURL(c.Listen)}
	cfg.Token = token
	cfg.DataDir = dir.executor()
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
