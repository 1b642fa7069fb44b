package main

import (
	"context"
	"fmt"
	"net/http"
)

// reviewCmd shows what waits for a second pair of eyes.
type reviewCmd struct {
	List listCmd[reviewNoun] `cmd:"" help:"List versions that wait for approval."`
}

type glueApprove struct {
	jobFlag
	Version int    `arg:"" help:"Number of the version."`
	Note    string `short:"m" help:"What to say about it."`
}

// Run makes another's version live.
func (f *glueApprove) Run(ctx context.Context, s *streams) error {
	return f.decide(ctx, s, f.Version, "approve", object{"note": f.Note})
}

type glueReject struct {
	jobFlag
	Version int    `arg:"" help:"Number of the version."`
	Note    string `required:"" short:"m" help:"What its author should change."`
}

// Run keeps another's version from going live.
func (f *glueReject) Run(ctx context.Context, s *streams) error {
	return f.decide(ctx, s, f.Version, "reject", object{"note": f.Note})
}

func (f *jobFlag) decide(ctx context.Context, s *streams, version int, verb string, in object) error {
	c, path, _, err := f.at(ctx)
	if err != nil {
		return err
	}
	defer c.close()
	path = fmt.Sprintf("%s/versions/%d/%s", path, version, verb)
	if verb == "approve" {
		return f.published(ctx, s, c, path, in)
	}
	var made object
	if err := c.call(ctx, http.MethodPost, path, in, &made); err != nil {
		return err
	}
	if f.JSON {
		return printJSON(s.out, made)
	}
	fmt.Fprintf(s.out, "Version %d of job %s is rejected.\n", version, f.Job)
	return nil
}
