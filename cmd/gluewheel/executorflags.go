package main

import (
	"fmt"
	"log/slog"
	"net"
	"time"

	"github.com/gluewheel/gluewheel/executor"
	"github.com/gluewheel/gluewheel/glue"
)

// executorFlags are an executor's, of executor and standalone alike.
type executorFlags struct {
	ExecutorListen      string   `default:"127.0.0.1:9999" placeholder:"HOST:PORT" env:"GLUEWHEEL_EXECUTOR_LISTEN" help:"Where the executor takes triggers (${default})."`
	ExecutorAddress     string   `placeholder:"URL" env:"GLUEWHEEL_EXECUTOR_ADDRESS" help:"Address that the admin is told, if it cannot reach the one listened on."`
	AppName             string   `default:"gluewheel-executor" placeholder:"NAME" env:"GLUEWHEEL_APP_NAME" help:"App name of the executor group (${default})."`
	AllowTypes          []string `placeholder:"TYPE" env:"GLUEWHEEL_ALLOW_TYPES" help:"Glue types to accept, such as BEAN,GLUE_LUA; all that run here by default."`
	MaxConcurrent       int      `default:"0" placeholder:"N" env:"GLUEWHEEL_MAX_CONCURRENT" help:"Runs at the same time, of all jobs together; 0 for the executor's default."`
	QueueDepth          int      `default:"0" placeholder:"N" env:"GLUEWHEEL_QUEUE_DEPTH" help:"Triggers of one job that may wait; 0 for the executor's default."`
	LogRetentionDays    int      `default:"30" placeholder:"DAYS" env:"GLUEWHEEL_LOG_RETENTION_DAYS" help:"How long logs of runs are kept (${default})."`
	AllowCommandHandler bool     `env:"GLUEWHEEL_ALLOW_COMMAND_HANDLER" help:"Register commandJobHandler, by which whoever edits a job runs any program as this user."`
	codeFlags
	DrainTimeout time.Duration `default:"10s" placeholder:"DURATION" env:"GLUEWHEEL_DRAIN_TIMEOUT" help:"What runs get to end by themselves when the executor stops (${default})."`
}

// Validate names the flag that is wrong before anything starts.
func (f *executorFlags) Validate() error {
	if _, _, err := net.SplitHostPort(f.ExecutorListen); err != nil {
		return fmt.Errorf("executor-listen: %w", err)
	}
	for _, name := range f.AllowTypes {
		if _, known := glue.Lookup(glue.Type(name)); !known {
			return fmt.Errorf("allow-types: %q is no glue type", name)
		}
	}
	return f.codeFlags.Validate()
}

// config lacks what differs between the two commands: admins, token, directory.
func (f *executorFlags) config(zone *time.Location, e *engines, log *slog.Logger) executor.Config {
	var allow []glue.Type
	for _, name := range f.AllowTypes {
		allow = append(allow, glue.Type(name))
	}
	return executor.Config{
		AppName:          f.AppName,
		Listen:           f.ExecutorListen,
		Address:          f.ExecutorAddress,
		Engines:          e.all(),
		Notes:            e.notes(),
		Status:           e.status,
		AllowTypes:       allow,
		MaxConcurrent:    f.MaxConcurrent,
		QueueDepth:       f.QueueDepth,
		LogRetentionDays: f.LogRetentionDays,
		DrainTimeout:     f.DrainTimeout,
		PlainSecrets:     f.AllowPlainSecrets,
		Version:          version,
		Location:         zone,
		Log:              log,
	}
}
