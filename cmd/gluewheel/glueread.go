package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

type glueList struct {
	jobFlag
	Limit int `default:"50" help:"Most versions to print (${default})."`
}

// Run prints versions.
func (f *glueList) Run(ctx context.Context, s *streams) error {
	c, path, _, err := f.at(ctx)
	if err != nil {
		return err
	}
	defer c.close()
	page, err := c.all(ctx, path+"/versions", nil, max(f.Limit, 1))
	if err != nil {
		return err
	}
	columns := []column{{"number", "VERSION"}, {"created_at", "TIME"}, {"author", "AUTHOR"}, {"review", "REVIEW"}, {"remark", "REMARK"}, {"digest", "DIGEST"}}
	return f.show(s.out, columns, page.Items...)
}

type glueShow struct {
	jobFlag
	Version int `arg:"" optional:"" help:"Number of the version; default: the live one."`
}

// Run prints the source and nothing else.
func (f *glueShow) Run(ctx context.Context, s *streams) error {
	c, path, j, err := f.at(ctx)
	if err != nil {
		return err
	}
	defer c.close()
	v, err := readVersion(ctx, c, path, numberOr(f.Version, j))
	if err != nil {
		return err
	}
	if f.JSON {
		return printJSON(s.out, v)
	}
	fmt.Fprint(s.out, v["source"])
	return nil
}

func readVersion(ctx context.Context, c *client, jobPath, number string) (v object, err error) {
	return v, c.call(ctx, http.MethodGet, jobPath+"/versions/"+number, nil, &v)
}

func numberOr(number int, j object) string {
	if number > 0 {
		return fmt.Sprint(number)
	}
	return cell(j["glue_version"])
}

type glueDiff struct {
	jobFlag
	From string `arg:"" help:"Number of a version, or a file; alone, it is compared with the live version."`
	To   string `arg:"" optional:"" help:"What it is compared with: the number of a version, or a file."`
}

var errDiffer = errors.New("they differ")

// Run prints a unified diff; for one version or file, what publishing it would change.
func (f *glueDiff) Run(ctx context.Context, s *streams) error {
	c, path, j, err := f.at(ctx)
	if err != nil {
		return err
	}
	defer c.close()
	from, to := f.From, f.To
	if to == "" {
		from, to = cell(j["glue_version"]), f.From
	}
	a, err := sourceOf(ctx, c, path, from)
	if err != nil {
		return err
	}
	b, err := sourceOf(ctx, c, path, to)
	if err != nil {
		return err
	}
	text := udiff.Unified(from, to, a, b)
	fmt.Fprint(s.out, text)
	if text != "" {
		return errDiffer
	}
	return nil
}

func sourceOf(ctx context.Context, c *client, jobPath, what string) (string, error) {
	if strings.Trim(what, "0123456789") != "" {
		text, err := os.ReadFile(what)
		if err != nil {
			return "", fmt.Errorf("read code: %w", err)
		}
		return string(text), nil
	}
	v, err := readVersion(ctx, c, jobPath, what)
	if err != nil {
		return "", err
	}
	source, _ := v["source"].(string)
	return source, nil
}
