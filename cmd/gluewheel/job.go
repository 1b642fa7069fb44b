package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
)

// jobCmd manages jobs.
type jobCmd struct {
	List    listCmd[jobNoun]   `cmd:"" help:"List jobs, newest first."`
	Show    showCmd[jobNoun]   `cmd:"" help:"Show a job with all its fields."`
	Create  createCmd[jobNoun] `cmd:"" help:"Create a job, stopped: --set group_id=1 --set name=nightly --set glue_type=GLUE_LUA …"`
	Edit    editCmd[jobNoun]   `cmd:"" help:"Change fields of a job."`
	Delete  deleteCmd[jobNoun] `cmd:"" help:"Delete a job with its code."`
	Start   jobStart           `cmd:"" help:"Start a job's schedule."`
	Stop    jobStop            `cmd:"" help:"Stop a job's schedule; what runs goes on."`
	Trigger jobTrigger         `cmd:"" help:"Run a job now."`
	Next    jobNext            `cmd:"" help:"Print when a job fires next."`
}

type jobStart struct{ one[jobNoun] }

// Run starts a job.
func (c *jobStart) Run(ctx context.Context, s *streams) error {
	return changeState(ctx, s, &c.one, "start", "started")
}

type jobStop struct{ one[jobNoun] }

// Run stops a job.
func (c *jobStop) Run(ctx context.Context, s *streams) error {
	return changeState(ctx, s, &c.one, "stop", "stopped")
}

// changeState starts or stops a job, and tells what that did to planned fires.
func changeState(ctx context.Context, s *streams, job *one[jobNoun], verb, done string) error {
	c, path, err := job.at(ctx)
	if err != nil {
		return err
	}
	defer c.close()
	var did object
	if err := c.call(ctx, http.MethodPost, path+"/"+verb, object{}, &did); err != nil {
		return err
	}
	if job.JSON {
		return printJSON(s.out, did)
	}
	fmt.Fprintf(s.out, "Job %s: %s. Planned fires cancelled: %s; already on their way: %s.\n",
		job.ID, done, cell(did["cancelled"]), cell(did["already_claimed"]))
	return nil
}

type jobNext struct {
	one[jobNoun]
	N int `short:"n" default:"5" help:"How many fires to print."`
}

// Run prints instants, a line each.
func (c *jobNext) Run(ctx context.Context, s *streams) error {
	cl, path, err := c.at(ctx)
	if err != nil {
		return err
	}
	defer cl.close()
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
	one[jobNoun]
	Param   *string  `placeholder:"TEXT" help:"Parameter in place of the job's."`
	Address []string `placeholder:"URL" help:"Executors in place of the group's."`
	Version int      `placeholder:"N" help:"Number of the version to run, and to retry, whatever is live: one that was live once. Takes a publisher."`
	Follow  bool     `help:"Print the run's log as it is written, and end as the run does: exit code 0 when it succeeded, else 1."`
}

// Run triggers a job, and with --follow stays with the run.
func (c *jobTrigger) Run(ctx context.Context, s *streams) error {
	cl, path, err := c.at(ctx)
	if err != nil {
		return err
	}
	defer cl.close()
	in := object{}
	if c.Param != nil {
		in["param"] = *c.Param
	}
	if len(c.Address) > 0 {
		in["addresses"] = c.Address
	}
	if c.Version != 0 {
		in["version"] = c.Version
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
