package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
)

var jobs = noun{
	path: "/jobs", edit: "JobEdit", name: "name", word: "job",
	columns: []column{
		{"id", "ID"},
		{"name", "NAME"},
		{"app_name", "APP"},
		{"glue_type", "TYPE"},
		{"schedule_type", "SCHEDULE"},
		{"schedule_conf", "CONF"},
		{"enabled", "STARTED"},
		{"next_fire", "NEXT FIRE"},
		{"last_run", "LAST RESULT"},
	},
}

// jobCmd manages jobs.
type jobCmd struct {
	List    jobList    `cmd:"" help:"List jobs, newest first."`
	Show    jobShow    `cmd:"" help:"Show a job with all its fields."`
	Create  jobCreate  `cmd:"" help:"Create a job, stopped: --set group_id=1 --set name=nightly --set glue_type=GLUE_LUA …"`
	Edit    jobEdit    `cmd:"" help:"Change fields of a job."`
	Delete  jobDelete  `cmd:"" help:"Delete a job with its code."`
	Start   jobStart   `cmd:"" help:"Start a job's schedule."`
	Stop    jobStop    `cmd:"" help:"Stop a job's schedule; what runs goes on."`
	Trigger jobTrigger `cmd:"" help:"Run a job now."`
	Next    jobNext    `cmd:"" help:"Print when a job fires next."`
}

type jobList struct{ listFlags }

// Run prints jobs.
func (c *jobList) Run(ctx context.Context, s *streams) error { return c.list(ctx, s, jobs) }

type jobShow struct{ oneFlags }

// Run prints a job.
func (c *jobShow) Run(ctx context.Context, s *streams) error { return c.print(ctx, s, jobs) }

type jobCreate struct{ createFlags }

// Run creates a job.
func (c *jobCreate) Run(ctx context.Context, s *streams) error { return c.create(ctx, s, jobs) }

type jobEdit struct{ editFlags }

// Run changes a job.
func (c *jobEdit) Run(ctx context.Context, s *streams) error { return c.change(ctx, s, jobs) }

type jobDelete struct{ deleteFlags }

// Run deletes a job.
func (c *jobDelete) Run(ctx context.Context, s *streams) error { return c.remove(ctx, s, jobs) }

type jobStart struct{ oneFlags }

// Run starts a job.
func (c *jobStart) Run(ctx context.Context, s *streams) error { return c.do(ctx, s, "start") }

type jobStop struct{ oneFlags }

// Run stops a job.
func (c *jobStop) Run(ctx context.Context, s *streams) error { return c.do(ctx, s, "stop") }

// do asks for a change of a job, and tells what it did to planned fires.
func (o *oneFlags) do(ctx context.Context, s *streams, verb string) error {
	c, err := o.client()
	if err != nil {
		return err
	}
	defer c.close()
	path, err := jobs.find(ctx, c, o.ID)
	if err != nil {
		return err
	}
	var did object
	if err := c.call(ctx, http.MethodPost, path+"/"+verb, object{}, &did); err != nil {
		return err
	}
	if o.JSON {
		return printJSON(s.out, did)
	}
	fmt.Fprintf(s.out, "Job %s: %s. Planned fires cancelled: %s; already on their way: %s.\n",
		o.ID, map[string]string{"start": "started", "stop": "stopped"}[verb], cell(did["cancelled"]), cell(did["already_claimed"]))
	return nil
}

type jobNext struct {
	oneFlags
	N int `short:"n" default:"5" help:"How many fires to print."`
}

// Run prints instants, a line each.
func (c *jobNext) Run(ctx context.Context, s *streams) error {
	cl, err := c.client()
	if err != nil {
		return err
	}
	defer cl.close()
	path, err := jobs.find(ctx, cl, c.ID)
	if err != nil {
		return err
	}
	var next struct {
		Items []string `json:"items"`
	}
	if err := cl.call(ctx, http.MethodGet, fmt.Sprintf("%s/next?n=%d", path, c.N), nil, &next); err != nil {
		return err
	}
	if c.JSON {
		return printJSON(s.out, next.Items)
	}
	for _, at := range next.Items {
		fmt.Fprintln(s.out, at)
	}
	if len(next.Items) == 0 {
		return errors.New("the job has no next fire")
	}
	return nil
}

type jobTrigger struct {
	oneFlags
	Param   *string  `placeholder:"TEXT" help:"Parameter in place of the job's."`
	Address []string `placeholder:"URL" help:"Executors in place of the group's."`
	Follow  bool     `help:"Print the run's log as it is written, and end as the run does: exit code 0 when it succeeded, else 1."`
}

// Run triggers a job, and with --follow stays with the run.
func (c *jobTrigger) Run(ctx context.Context, s *streams) error {
	cl, err := c.client()
	if err != nil {
		return err
	}
	defer cl.close()
	path, err := jobs.find(ctx, cl, c.ID)
	if err != nil {
		return err
	}
	in := object{}
	if c.Param != nil {
		in["param"] = *c.Param
	}
	if len(c.Address) > 0 {
		in["addresses"] = c.Address
	}
	var made triggered
	if err := cl.call(ctx, http.MethodPost, path+"/trigger", in, &made); err != nil {
		return err
	}
	return c.started(ctx, s, cl, made, c.Follow)
}

// triggered names a new run.
type triggered struct {
	RunID int64 `json:"run_id"`
}

// started tells of a new run, and follows it when asked to.
func (r *remote) started(ctx context.Context, s *streams, c *client, made triggered, follow bool) error {
	switch {
	case follow:
		fmt.Fprintf(s.err, "Run %d.\n", made.RunID)
		return followRun(ctx, s, c, made.RunID)
	case r.JSON:
		return printJSON(s.out, made)
	default:
		fmt.Fprintf(s.out, "Run %d. Watch it: gluewheel run tail %d\n", made.RunID, made.RunID)
		return nil
	}
}
