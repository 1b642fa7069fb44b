package main

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"os"
)

// glueCmd works on the live code of jobs.
type glueCmd struct {
	List     glueList     `cmd:"" help:"List a job's versions, newest first."`
	Show     glueShow     `cmd:"" help:"Print a version's source."`
	Pull     gluePull     `cmd:"" help:"Write a version's source, or its WebAssembly module, to a file."`
	Push     gluePush     `cmd:"" help:"Publish a file as a job's live code."`
	Diff     glueDiff     `cmd:"" help:"Show how two versions, or the live one and a file, differ; the exit code is 1 when they do."`
	Rollback glueRollback `cmd:"" help:"Publish an old version again."`
	Approve  glueApprove  `cmd:"" help:"Approve another's version, where the group asks for that: it is live at once."`
	Reject   glueReject   `cmd:"" help:"Reject another's version, where the group asks for approval."`
	Run      glueRun      `cmd:"" help:"Test-run a file on an executor, without publishing it."`
	Check    glueCheck    `cmd:"" help:"Look for mistakes in a file, without running it."`
}

// jobFlag names the job of a command about its code.
type jobFlag struct {
	remote
	Job string `required:"" short:"j" help:"Id or name of the job."`
}

// of reads the job.
func (f *jobFlag) of(ctx context.Context, c *client) (path string, j object, err error) {
	if path, err = nounOf[jobNoun]().find(ctx, c, f.Job); err != nil {
		return "", nil, err
	}
	return path, j, c.call(ctx, http.MethodGet, path, nil, &j)
}

// at opens a client and reads the job.
func (f *jobFlag) at(ctx context.Context) (c *client, path string, j object, err error) {
	if c, err = f.client(); err != nil {
		return nil, "", nil, err
	}
	if path, j, err = f.of(ctx, c); err != nil {
		c.close()
		return nil, "", nil, err
	}
	return c, path, j, nil
}

// codeOf reads a file as the source, or uploads it when it is a module.
func codeOf(ctx context.Context, c *client, file string, in object) error {
	content, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("read code: %w", err)
	}
	if !bytes.HasPrefix(content, []byte("\x00asm")) {
		in["source"] = string(content)
		return nil
	}
	var made object
	if err := c.send(ctx, http.MethodPost, "/artifacts", "application/wasm", bytes.NewReader(content), &made); err != nil {
		return err
	}
	in["artifact"] = made["digest"]
	return nil
}

// manifestFlags change what a version may use.
type manifestFlags struct {
	Manifest []string `short:"s" sep:"none" placeholder:"FIELD=VALUE" help:"One field of the manifest, its value as YAML: -s secrets=[API_KEY] -s hosts=[api.example.com] -s kv=true."`
}

// grant writes the flags into the manifest of a request.
func (f *manifestFlags) grant(in object) error {
	if len(f.Manifest) == 0 {
		return nil
	}
	manifest, _ := in["manifest"].(object)
	if manifest == nil {
		manifest = object{}
	}
	in["manifest"] = manifest
	return setFields(f.Manifest, manifest)
}
