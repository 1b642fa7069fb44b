package main

import (
	"context"
	"log/slog"

	"github.com/gluewheel/gluewheel/admin"
)

// adminCmd runs a scheduling centre. Any number may run over one database.
type adminCmd struct {
	databaseFlag
	ExecutorToken string `required:"" placeholder:"TOKEN" env:"GLUEWHEEL_EXECUTOR_TOKEN" help:"Shared with the executors; better given as variable than as flag."`
	DataDir       string `placeholder:"DIR" env:"GLUEWHEEL_DATA_DIR" help:"Where compiled code is kept between starts."`
	adminFlags
}

// Run runs the admin until ctx ends.
func (c *adminCmd) Run(ctx context.Context, log *slog.Logger) error {
	dir, err := openDataDir(c.DataDir)
	if err != nil {
		return err
	}
	engines, err := newSandbox(dir, log)
	if err != nil {
		return err
	}
	defer closeLogged(engines, log)
	opts, err := c.options(c.DatabaseURL, c.ExecutorToken, log)
	if err != nil {
		return err
	}
	opts.Sandbox = engines.sandbox
	a, err := admin.New(opts)
	if err != nil {
		return err
	}
	return hintPort(a.Run(ctx), c.Listen, "listen", "GLUEWHEEL_LISTEN")
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
	return admin.Options{
		DatabaseURL:  databaseURL,
		Listen:       f.Listen,
		Token:        token,
		Password:     f.AdminPassword,
		Zone:         zone,
		Seal:         keys,
		MetricsToken: f.MetricsToken,
		Buckets:      f.Buckets,
		Retention:    f.Retention,
		Version:      version,
		Log:          log,
	}, nil
}
