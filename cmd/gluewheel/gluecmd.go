package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

// glueCmd works on the live code of jobs.
type glueCmd struct {
	List     glueList     `cmd:"" help:"List a job's versions, newest first."`
	Show     glueShow     `cmd:"" help:"Print a version's source."`
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
	if path, err = jobs.find(ctx, c, f.Job); err != nil {
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

type glueDiff struct {
	jobFlag
	From string `arg:"" help:"Number of a version, or a file."`
	To   string `arg:"" optional:"" help:"Number of a version, or a file; default: the live version."`
}

var errDiffer = errors.New("they differ")

// Run prints a unified diff.
func (f *glueDiff) Run(ctx context.Context, s *streams) error {
	c, path, j, err := f.at(ctx)
	if err != nil {
		return err
	}
	defer c.close()
	to := f.To
	if to == "" {
		to = cell(j["glue_version"])
	}
	a, err := sourceOf(ctx, c, path, f.From)
	if err != nil {
		return err
	}
	b, err := sourceOf(ctx, c, path, to)
	if err != nil {
		return err
	}
	text := udiff.Unified(f.From, to, a, b)
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

// Run prints problems as compilers do: file:line:column: message.
func (f *glueCheck) Run(ctx context.Context, s *streams) error {
	text, err := os.ReadFile(f.File)
	if err != nil {
		return fmt.Errorf("read code: %w", err)
	}
	glueType := f.Type
	if glueType == "" {
		if glueType = glueTypes[filepath.Ext(f.File)]; glueType == "" {
			return fmt.Errorf("type: the name %s does not tell it: use --type", f.File)
		}
	}
	c, err := f.client()
	if err != nil {
		return err
	}
	defer c.close()
	var found struct {
		Problems []struct {
			Line     int    `json:"line"`
			Column   int    `json:"column"`
			Severity string `json:"severity"`
			Message  string `json:"message"`
		} `json:"problems"`
	}
	if err := c.call(ctx, http.MethodPost, "/glue/check", object{"glue_type": glueType, "source": string(text)}, &found); err != nil {
		return err
	}
	if f.JSON {
		if err := printJSON(s.out, found.Problems); err != nil {
			return err
		}
	}
	failed := 0
	for _, p := range found.Problems {
		if p.Severity == "error" {
			failed++
		}
		if !f.JSON {
			fmt.Fprintf(s.out, "%s:%d:%d: %s: %s\n", f.File, p.Line, p.Column, p.Severity, p.Message)
		}
	}
	if failed > 0 {
		return fmt.Errorf("%d mistakes", failed)
	}
	return nil
}
