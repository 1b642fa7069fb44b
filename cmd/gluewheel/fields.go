package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"strings"

	"go.yaml.in/yaml/v4"
)

// fieldFlags say what an object is to be.
type fieldFlags struct {
	trialFlag
	File string   `short:"F" placeholder:"FILE" help:"Fields as YAML or JSON; - reads stdin."`
	Set  []string `short:"s" sep:"none" placeholder:"FIELD=VALUE" help:"One field, its value as YAML: --set retry_count=3 --set tags=[a,b]. After --file."`
}

// trialFlag asks whether a write would be taken.
type trialFlag struct {
	DryRun bool `help:"Check everything, store nothing."`
}

// query asks for a dry run where the flag does.
func (f *trialFlag) query() string {
	if f.DryRun {
		return "?dry_run=true"
	}
	return ""
}

// done prints what was done, or that it could be.
func (f *trialFlag) done(w io.Writer, done, could string) {
	if f.DryRun {
		done = could
	}
	fmt.Fprintln(w, done)
}

// apply writes the fields into an object.
func (f *fieldFlags) apply(s *streams, into object) error {
	if f.File == "" && len(f.Set) == 0 {
		return errors.New("no fields: give them with --set FIELD=VALUE or --file")
	}
	if f.File != "" {
		fields, err := readFields(f.File, s.in)
		if err != nil {
			return fmt.Errorf("file: %w", err)
		}
		maps.Copy(into, fields)
	}
	return setFields(f.Set, into)
}

func readFields(path string, stdin io.Reader) (object, error) {
	text, err := readFile(path, stdin)
	if err != nil {
		return nil, err
	}
	var fields object
	return fields, yaml.Unmarshal(text, &fields)
}

// maxFile bounds what is read: the largest that the admin takes is a bundle of 64 MiB.
const maxFile = 64 << 20

// readFile reads a file, or stdin for "-". One of more than maxFile bytes is an error.
func readFile(path string, stdin io.Reader) ([]byte, error) {
	from := stdin
	if path != "-" {
		f, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		from = f
	}
	text, err := io.ReadAll(io.LimitReader(from, maxFile+1))
	if err == nil && len(text) > maxFile {
		err = fmt.Errorf("%s holds more than %d MiB, the most that is taken", path, maxFile>>20)
	}
	return text, err
}

// setFields writes FIELD=VALUE texts into an object.
func setFields(fields []string, into object) error {
	for _, one := range fields {
		name, value, ok := strings.Cut(one, "=")
		if !ok || name == "" {
			return fmt.Errorf("set: %q is not FIELD=VALUE", one)
		}
		var v any
		if err := yaml.Unmarshal([]byte(value), &v); err != nil {
			return fmt.Errorf("set: the value of %s: %w", name, err)
		}
		if v == nil {
			v = ""
		}
		into[name] = v
	}
	return nil
}

// editable keeps the fields of an object that an edit takes, as the API describes it.
func (c *client) editable(ctx context.Context, schema string, it object) (object, error) {
	var document struct {
		Components struct {
			Schemas map[string]struct {
				Properties object `json:"properties"`
			} `json:"schemas"`
		} `json:"components"`
	}
	if err := c.call(ctx, http.MethodGet, "/openapi.json", nil, &document); err != nil {
		return nil, err
	}
	fields := document.Components.Schemas[schema].Properties
	if len(fields) == 0 {
		return nil, fmt.Errorf("the server does not describe %s: is it of another version?", schema)
	}
	in := object{}
	for k, v := range it {
		if _, ok := fields[k]; ok && v != nil {
			in[k] = v
		}
	}
	return in, nil
}
