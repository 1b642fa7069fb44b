package main

import (
	"context"
	"fmt"
	"net/http"
	"os"

	"github.com/gluewheel/gluewheel/glue"
)

type gluePull struct {
	jobFlag
	Version int    `arg:"" optional:"" help:"Number of the version; default: the live one."`
	Output  string `required:"" short:"o" type:"path" placeholder:"FILE" help:"File to write."`
}

// Run writes what push takes: of an uploaded module the module, else the source.
func (f *gluePull) Run(ctx context.Context, s *streams) error {
	c, path, j, err := f.at(ctx)
	if err != nil {
		return err
	}
	defer c.close()
	number := numberOr(f.Version, j)
	v, err := readVersion(ctx, c, path, number)
	if err != nil {
		return err
	}
	code, err := codeIn(ctx, c, v)
	if err != nil {
		return err
	}
	if err := os.WriteFile(f.Output, code, 0o644); err != nil {
		return fmt.Errorf("write code: %w", err)
	}
	if f.JSON {
		return printJSON(s.out, v)
	}
	fmt.Fprintf(s.out, "Version %s of job %s: %d bytes in %s.\n", number, f.Job, len(code), f.Output)
	return nil
}

func codeIn(ctx context.Context, c *client, v object) ([]byte, error) {
	digest, module := v["artifact"].(string)
	if !module {
		source, _ := v["source"].(string)
		return []byte(source), nil
	}
	code, err := c.fetch(ctx, http.MethodGet, "/artifacts/"+digest+"/content", "", nil)
	if err != nil {
		return nil, err
	}
	if glue.Digest(code) != digest {
		return nil, fmt.Errorf("the module arrived damaged: it is not %s. Pull it again", digest)
	}
	return code, nil
}
