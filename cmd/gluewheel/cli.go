package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"

	"github.com/alecthomas/kong"
)

// Exit codes.
const (
	exitOK     = 0
	exitFailed = 1
	exitUsage  = 2
	exitWarned = 3 // doctor: warnings and nothing worse
)

// cli is the command line. Flags, variables and config file meet in the same fields;
// flags win over variables, and these over the file.
type cli struct {
	Config kong.ConfigFlag `placeholder:"FILE" env:"GLUEWHEEL_CONFIG" help:"YAML file with flags by name, such as \"listen: 127.0.0.1:8080\"."`

	LogLevel  slog.Level `default:"info" env:"GLUEWHEEL_LOG_LEVEL" help:"Least level that is logged: debug, info, warn or error."`
	LogFormat string     `default:"text" enum:"text,json" env:"GLUEWHEEL_LOG_FORMAT" help:"How log lines look: text or json."`

	Standalone standaloneCmd `cmd:"" help:"Run everything in one process: private PostgreSQL, admin, executor and sample jobs."`
	Admin      adminCmd      `cmd:"" help:"Run a scheduling centre."`
	Executor   executorCmd   `cmd:"" help:"Run an executor."`
	Migrate    migrateCmd    `cmd:"" help:"Bring the database's schema up to date, or show how it stands."`
	Openapi    openapiCmd    `cmd:"" name:"openapi" help:"Print the OpenAPI description of the REST API."`
	Doctor     doctorCmd     `cmd:"" help:"Audit the ledger and the set-up; fails when something is wrong, with 3 for warnings only."`
	Cron       cronCmd       `cmd:"" help:"Explain a cron expression by the instants it fires at."`
	Version    versionCmd    `cmd:"" help:"Print the version."`

	Job          jobCmd          `cmd:"" group:"client" help:"Create, change, start, stop and run jobs."`
	Run          runCmd          `cmd:"" group:"client" help:"Look at runs, follow their logs, end them."`
	Glue         glueCmd         `cmd:"" group:"client" help:"Publish, compare, roll back and test the live code of jobs."`
	Review       reviewCmd       `cmd:"" group:"client" help:"See what code waits for approval."`
	Group        groupCmd        `cmd:"" group:"client" set:"what=executor groups" help:"Manage executor groups."`
	Secret       secretCmd       `cmd:"" group:"client" set:"what=secret" help:"Keep secrets that code may read."`
	Variable     variableCmd     `cmd:"" group:"client" set:"what=variable" help:"Keep variables that code may read."`
	AlarmChannel alarmChannelCmd `cmd:"" group:"client" set:"what=where alarms go" help:"Manage where alarms go."`
	AlarmRule    alarmRuleCmd    `cmd:"" group:"client" set:"what=what is worth an alarm" help:"Manage what is worth an alarm."`
	Alarm        alarmCmd        `cmd:"" group:"client" set:"what=alarms" help:"See what alarms were sent."`
	Node         nodeCmd         `cmd:"" group:"client" set:"what=registered executors" help:"See which executors are registered."`
	Audit        auditCmd        `cmd:"" group:"client" set:"what=audit entries" help:"See who changed what."`
	User         userCmd         `cmd:"" group:"client" help:"Manage accounts."`
	Export       exportCmd       `cmd:"" group:"client" help:"Write groups, jobs and live code as YAML."`
	Import       importCmd       `cmd:"" group:"client" help:"Bring such YAML in, after a look at what it changes."`
	Token        tokenCmd        `cmd:"" group:"client" help:"Manage API tokens."`
	Context      contextCmd      `cmd:"" group:"client" help:"Choose the server that these commands talk to."`
	Completion   completionCmd   `cmd:"" help:"Print a completion script for a shell."`
	Complete     completeCmd     `cmd:"" name:"__complete" hidden:""`
}

// run is the program without the process: it returns the exit code.
func run(ctx context.Context, args []string, s *streams) int {
	var c cli
	exited := false
	parser, err := newParser(&c, s, func(int) { exited = true }) // by --help
	if err != nil {
		fmt.Fprintln(s.err, "gluewheel:", err)
		return exitUsage
	}
	command, err := parser.Parse(args)
	if exited {
		return exitOK
	}
	if err != nil {
		return usageError(s.err, err)
	}
	command.Bind(newLog(s.err, c.LogLevel, c.LogFormat))
	return execute(ctx, command, s)
}

func newParser(c *cli, s *streams, exit func(int)) (*kong.Kong, error) {
	return kong.New(c,
		kong.Name("gluewheel"),
		kong.Description("A job scheduler whose job code is live."),
		kong.Writers(s.out, s.err),
		kong.ShortUsageOnError(),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, FlagsLast: true}),
		kong.ExplicitGroups([]kong.Group{{Key: "client", Title: "Commands for a running admin (see gluewheel context):"}}),
		kong.Configuration(loadYAML),
		kong.Exit(exit),
		kong.Bind(s),
	)
}

func execute(ctx context.Context, command *kong.Context, s *streams) int {
	ctx, stop := untilSignal(ctx)
	defer stop()
	command.BindTo(ctx, (*context.Context)(nil))
	if err := command.Run(); err != nil {
		fmt.Fprintln(s.err, "gluewheel:", err)
		return exitCode(err)
	}
	return exitOK
}

// exitCode is what a command that failed tells by it.
func exitCode(err error) int {
	if errors.Is(err, errWarnings) {
		return exitWarned
	}
	return exitFailed
}

func usageError(w io.Writer, err error) int {
	fmt.Fprintln(w, "gluewheel:", err)
	hint := "gluewheel --help"
	if parse, ok := errors.AsType[*kong.ParseError](err); ok && parse.Context.Selected() != nil {
		hint = "gluewheel " + parse.Context.Selected().Path() + " --help"
	}
	fmt.Fprintf(w, "See `%s`.\n", hint)
	return exitUsage
}

// newLog writes to stderr: stdout is for what a command was asked for.
func newLog(w io.Writer, level slog.Level, format string) *slog.Logger {
	opts := &slog.HandlerOptions{Level: level}
	if format == "json" {
		return slog.New(slog.NewJSONHandler(w, opts))
	}
	return slog.New(slog.NewTextHandler(w, opts))
}
