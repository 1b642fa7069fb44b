package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
)

// exportCmd writes groups, jobs and live code as YAML.
type exportCmd struct {
	remote
	Group string `short:"g" help:"Id or app name of the one group to export; default: all."`
	Out   string `short:"o" placeholder:"FILE" help:"File to write; default: stdout."`
}

// Run fetches the bundle.
func (c *exportCmd) Run(ctx context.Context, s *streams) error {
	cl, err := c.client()
	if err != nil {
		return err
	}
	defer cl.close()
	path := "/export"
	if c.Group != "" {
		id, err := nounOf[groupNoun]().findID(ctx, cl, c.Group)
		if err != nil {
			return err
		}
		path += "?" + url.Values{"group_id": {id}}.Encode()
	}
	text, err := cl.fetch(ctx, http.MethodGet, path, "", nil)
	if err != nil {
		return err
	}
	if c.Out == "" {
		_, err = s.out.Write(text)
		return err
	}
	if err := os.WriteFile(c.Out, text, 0o644); err != nil {
		return fmt.Errorf("write bundle: %w", err)
	}
	return nil
}

// importCmd brings a bundle in.
type importCmd struct {
	Plan  importPlanCmd  `cmd:"" help:"Say what a bundle would change; the exit code is 0 either way."`
	Apply importApplyCmd `cmd:"" help:"Bring a bundle in, as a whole or not at all."`
}

type importPlanCmd struct{ importFlags }

type importApplyCmd struct {
	importFlags
	Yes bool `short:"y" help:"Do not ask."`
}

type importFlags struct {
	remote
	File string `arg:"" help:"YAML that gluewheel export wrote; - reads stdin."`
}

// bundleChange is one object that an import touches.
type bundleChange struct {
	Kind   string `json:"kind"`
	Key    string `json:"key"`
	Action string `json:"action"`
	Diff   []struct {
		Field  string `json:"field"`
		Before any    `json:"before"`
		After  any    `json:"after"`
	} `json:"diff"`
}

func (f *importFlags) read(s *streams) ([]byte, error) {
	text, err := readFile(f.File, s.in)
	if err != nil {
		return nil, fmt.Errorf("read bundle: %w", err)
	}
	return text, nil
}

func (f *importFlags) send(ctx context.Context, c *client, verb string, text []byte) ([]bundleChange, error) {
	var answer struct {
		Changes []bundleChange `json:"changes"`
	}
	err := c.send(ctx, http.MethodPost, "/import/"+verb, "application/yaml", strings.NewReader(string(text)), &answer)
	return answer.Changes, err
}

func (f *importFlags) print(w io.Writer, changes []bundleChange) error {
	if f.JSON {
		return printJSON(w, changes)
	}
	touched := 0
	for _, c := range changes {
		if c.Action == "none" {
			continue
		}
		touched++
		fmt.Fprintf(w, "%s %s %s\n", c.Action, c.Kind, c.Key)
		for _, d := range c.Diff {
			fmt.Fprintf(w, "    %s: %s -> %s\n", d.Field, cell(d.Before), cell(d.After))
		}
	}
	fmt.Fprintf(w, "%d of %d objects change.\n", touched, len(changes))
	return nil
}

// Run prints the plan.
func (f *importPlanCmd) Run(ctx context.Context, s *streams) error {
	c, text, err := f.open(s)
	if err != nil {
		return err
	}
	defer c.close()
	changes, err := f.send(ctx, c, "plan", text)
	if err != nil {
		return err
	}
	return f.print(s.out, changes)
}

func (f *importFlags) open(s *streams) (*client, []byte, error) {
	text, err := f.read(s)
	if err != nil {
		return nil, nil, err
	}
	c, err := f.client()
	return c, text, err
}

// Run shows the plan, asks, and applies it. What changed on the server in between is not
// overwritten unseen: the answer says what was done.
func (f *importApplyCmd) Run(ctx context.Context, s *streams) error {
	if f.File == "-" && !f.Yes {
		return errors.New("a bundle from stdin leaves nobody to ask: add --yes")
	}
	c, text, err := f.open(s)
	if err != nil {
		return err
	}
	defer c.close()
	if !f.Yes {
		plan, err := f.send(ctx, c, "plan", text)
		if err != nil {
			return err
		}
		if err := f.print(s.err, plan); err != nil {
			return err
		}
		if !confirmed(s, "Apply?") {
			return errors.New("nothing was changed")
		}
	}
	changes, err := f.send(ctx, c, "apply", text)
	if err != nil {
		return err
	}
	return f.print(s.out, changes)
}
