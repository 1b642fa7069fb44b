package main

import (
	"context"
	"fmt"
	"net/http"
)

type gluePush struct {
	jobFlag
	File   string `arg:"" help:"The code: a source, or a WebAssembly module."`
	Remark string `required:"" short:"m" help:"What changed, 4 to 100 characters."`
	manifestFlags
	Base int `placeholder:"N" help:"Number of the version that was edited; default: the live one. When another one is live by now, nothing is published."`
}

// Run publishes; what no flag changes of the manifest stays that of the live version.
func (f *gluePush) Run(ctx context.Context, s *streams) error {
	c, path, j, err := f.at(ctx)
	if err != nil {
		return err
	}
	defer c.close()
	in := object{"remark": f.Remark, "base_version": j["glue_version"]}
	if f.Base > 0 {
		in["base_version"] = f.Base
	}
	if live := cell(j["glue_version"]); live != "0" {
		v, err := readVersion(ctx, c, path, live)
		if err != nil {
			return err
		}
		in["manifest"] = v["manifest"]
	}
	if err := f.grant(in); err != nil {
		return err
	}
	if err := codeOf(ctx, c, f.File, in); err != nil {
		return err
	}
	return f.published(ctx, s, c, path+"/versions", in)
}

func (f *jobFlag) published(ctx context.Context, s *streams, c *client, path string, in object) error {
	var made object
	if err := c.call(ctx, http.MethodPost, path, in, &made); err != nil {
		return err
	}
	if f.JSON {
		return printJSON(s.out, made)
	}
	if state, ok := made["review"].(string); ok && state == "pending" {
		fmt.Fprintf(s.out, "Version %s of job %s waits for another publisher's approval.\n", cell(made["number"]), f.Job)
		return nil
	}
	fmt.Fprintf(s.out, "Version %s of job %s is live. Runs already on their way: %s.\n", cell(made["number"]), f.Job, cell(made["already_claimed"]))
	return nil
}

type glueRollback struct {
	jobFlag
	Version int    `arg:"" help:"Number of the version to publish again."`
	Remark  string `short:"m" help:"Why; default: \"roll back to version N\"."`
}

// Run publishes an old version again.
func (f *glueRollback) Run(ctx context.Context, s *streams) error {
	c, path, j, err := f.at(ctx)
	if err != nil {
		return err
	}
	defer c.close()
	remark := f.Remark
	if remark == "" {
		remark = fmt.Sprintf("roll back to version %d", f.Version)
	}
	in := object{"number": f.Version, "remark": remark, "base_version": j["glue_version"]}
	return f.published(ctx, s, c, path+"/rollback", in)
}
