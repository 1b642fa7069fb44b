package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// tailEvery is the pause between two looks at a log that grows.
const tailEvery = 500 * time.Millisecond

// runCmd looks at runs and ends them.
type runCmd struct {
	List  runList          `cmd:"" help:"List runs, newest first."`
	Show  showCmd[runNoun] `cmd:"" help:"Show a run with all its fields."`
	Log   runLog           `cmd:"" help:"Print a run's log as far as it goes."`
	Tail  runTail          `cmd:"" help:"Print a run's log as it is written; the exit code is 0 when it succeeded, else 1."`
	Kill  runKill          `cmd:"" help:"End an open run."`
	Again runAgain         `cmd:"" help:"Run the same once more."`
}

type runList struct {
	listCmd[runNoun]
	State []string `placeholder:"STATE" help:"Such as failed,timed_out."`
	Job   string   `placeholder:"JOB" help:"Id or name of a job."`
}

// Run prints runs.
func (c *runList) Run(ctx context.Context, s *streams) error {
	if c.Filter == nil {
		c.Filter = map[string]string{}
	}
	if len(c.State) > 0 {
		c.Filter["state"] = strings.Join(c.State, ",")
	}
	if c.Job != "" {
		id, err := c.jobID(ctx)
		if err != nil {
			return err
		}
		c.Filter["job_id"] = id
	}
	return c.listCmd.Run(ctx, s)
}

func (c *runList) jobID(ctx context.Context) (string, error) {
	cl, err := c.client()
	if err != nil {
		return "", err
	}
	defer cl.close()
	return nounOf[jobNoun]().findID(ctx, cl, c.Job)
}

type runFlags struct {
	remote
	ID int64 `arg:"" help:"The run's id."`
}

type runLog struct{ runFlags }

// Run prints what there is of the log.
func (c *runLog) Run(ctx context.Context, s *streams) error {
	cl, err := c.client()
	if err != nil {
		return err
	}
	defer cl.close()
	_, _, err = printLog(ctx, s.out, cl, c.ID, 1)
	return err
}

type runTail struct{ runFlags }

// Run follows the log to its end.
func (c *runTail) Run(ctx context.Context, s *streams) error {
	cl, err := c.client()
	if err != nil {
		return err
	}
	defer cl.close()
	return followRun(ctx, s, cl, c.ID)
}

// printLog prints from a line on, as far as the log goes now.
func printLog(ctx context.Context, w io.Writer, c *client, id int64, from int) (next int, end bool, err error) {
	for {
		var piece struct {
			FromLine int    `json:"from_line"`
			ToLine   int    `json:"to_line"`
			Content  string `json:"content"`
			End      bool   `json:"end"`
		}
		q := url.Values{"from_line": {fmt.Sprint(from)}}
		if err := c.call(ctx, http.MethodGet, fmt.Sprintf("/runs/%d/log?%s", id, q.Encode()), nil, &piece); err != nil {
			return from, false, err
		}
		if piece.ToLine < from || piece.Content == "" {
			return from, piece.End, nil
		}
		if !strings.HasSuffix(piece.Content, "\n") {
			piece.Content += "\n"
		}
		if _, err := io.WriteString(w, piece.Content); err != nil {
			return from, false, err
		}
		from = piece.ToLine + 1
		if piece.End {
			return from, true, nil
		}
	}
}

// ended are the states in which a run stays.
var ended = map[string]bool{
	"succeeded": true, "failed": true, "timed_out": true, "killed": true, "lost": true,
	"misfired": true, "discarded": true, "cancelled": true,
}

// followRun prints the log until the run has ended. Its error says how, when it was not
// with success.
func followRun(ctx context.Context, s *streams, c *client, id int64) error {
	from := 1
	for {
		var r struct {
			State   string `json:"state"`
			Reason  string `json:"reason"`
			Message string `json:"message"`
		}
		// The state first: a log that is read after the end is whole.
		if err := c.call(ctx, http.MethodGet, fmt.Sprintf("/runs/%d", id), nil, &r); err != nil {
			return err
		}
		next, end, err := printLog(ctx, s.out, c, id, from)
		if err != nil && !ended[r.State] {
			fmt.Fprintln(s.err, "The log cannot be read now:", err)
		}
		from = next
		if ended[r.State] && (end || err != nil || next == from) {
			if r.State == "succeeded" {
				return nil
			}
			return fmt.Errorf("run %d %s (%s): %s", id, r.State, r.Reason, r.Message)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("run %d goes on: %w", id, context.Cause(ctx))
		case <-time.After(tailEvery):
		}
	}
}

type runKill struct{ runFlags }

// Run asks for the end of a run.
func (c *runKill) Run(ctx context.Context, s *streams) error {
	cl, err := c.client()
	if err != nil {
		return err
	}
	defer cl.close()
	if err := cl.call(ctx, http.MethodPost, fmt.Sprintf("/runs/%d/kill", c.ID), object{}, nil); err != nil {
		return err
	}
	if !c.JSON {
		fmt.Fprintf(s.out, "Run %d is asked to end.\n", c.ID)
	}
	return nil
}

type runAgain struct {
	runFlags
	Version string `enum:"same,newest" default:"newest" help:"Code that it runs: the same as then, or the newest (${default})."`
	Follow  bool   `help:"Print the log as it is written, and end as the run does."`
}

// Run repeats a run.
func (c *runAgain) Run(ctx context.Context, s *streams) error {
	cl, err := c.client()
	if err != nil {
		return err
	}
	defer cl.close()
	var made triggered
	if err := cl.call(ctx, http.MethodPost, fmt.Sprintf("/runs/%d/rerun", c.ID), object{"version": c.Version}, &made); err != nil {
		return err
	}
	return c.started(ctx, s, cl, made, c.Follow)
}
