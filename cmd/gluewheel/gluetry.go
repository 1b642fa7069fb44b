package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
)

type glueRun struct {
	jobFlag
	File    string  `arg:"" help:"The code: a source, or a WebAssembly module."`
	Param   *string `placeholder:"TEXT" help:"Parameter in place of the job's."`
	Address string  `placeholder:"URL" help:"Executor that runs it; default: one of the group's."`
	manifestFlags
	ShardIndex int `default:"0" help:"Shard that it is told it is (${default})."`
	ShardTotal int `default:"1" help:"Shards that it is told there are (${default})."`
}

// Run runs a file as a test and follows it.
func (f *glueRun) Run(ctx context.Context, s *streams) error {
	c, path, j, err := f.at(ctx)
	if err != nil {
		return err
	}
	defer c.close()
	in := object{"glue_type": j["glue_type"], "shard_index": f.ShardIndex, "shard_total": f.ShardTotal}
	if f.Param != nil {
		in["param"] = *f.Param
	}
	if f.Address != "" {
		in["address"] = f.Address
	}
	if err := f.grant(in); err != nil {
		return err
	}
	if err := codeOf(ctx, c, f.File, in); err != nil {
		return err
	}
	var made triggered
	if err := c.call(ctx, http.MethodPost, path+"/test-run", in, &made); err != nil {
		return err
	}
	return f.started(ctx, s, c, made, true)
}

type glueCheck struct {
	remote
	File string `arg:"" help:"The source."`
	Type string `placeholder:"TYPE" help:"Such as GLUE_LUA; default: by the file's name."`
}

// glueTypes are types by the ends of file names.
var glueTypes = map[string]string{
	".lua": "GLUE_LUA", ".js": "GLUE_JS", ".ts": "GLUE_TS", ".sh": "GLUE_SHELL", ".py": "GLUE_PYTHON",
	".php": "GLUE_PHP", ".ps1": "GLUE_POWERSHELL", ".groovy": "GLUE_GROOVY",
}

// codeProblem is a mistake in a source.
type codeProblem struct {
	Line     int    `json:"line"`
	Column   int    `json:"column"`
	Severity string `json:"severity"`
	Message  string `json:"message"`
}

// Run prints problems as compilers do: file:line:column: message.
func (f *glueCheck) Run(ctx context.Context, s *streams) error {
	text, err := os.ReadFile(f.File)
	if err != nil {
		return fmt.Errorf("read code: %w", err)
	}
	glueType := cmp.Or(f.Type, glueTypes[filepath.Ext(f.File)])
	if glueType == "" {
		return fmt.Errorf("type: the name %s does not tell it: use --type", f.File)
	}
	c, err := f.client()
	if err != nil {
		return err
	}
	defer c.close()
	var found struct {
		Problems []codeProblem `json:"problems"`
	}
	if err := c.call(ctx, http.MethodPost, "/glue/check", object{"glue_type": glueType, "source": string(text)}, &found); err != nil {
		return err
	}
	return f.tell(s.out, found.Problems)
}

// tell prints problems; mistakes are an error.
func (f *glueCheck) tell(w io.Writer, problems []codeProblem) error {
	if f.JSON {
		if err := printJSON(w, problems); err != nil {
			return err
		}
	}
	mistakes := 0
	for _, p := range problems {
		if p.Severity == "error" {
			mistakes++
		}
		if !f.JSON {
			fmt.Fprintf(w, "%s:%d:%d: %s: %s\n", f.File, p.Line, p.Column, p.Severity, p.Message)
		}
	}
	switch mistakes {
	case 0:
		return nil
	case 1:
		return errors.New("1 mistake")
	default:
		return fmt.Errorf("%d mistakes", mistakes)
	}
}
