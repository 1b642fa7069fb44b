package script

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gluewheel/gluewheel/runtime"
	"github.com/gluewheel/gluewheel/runtime/proc"
)

// passedOn are the variables that a script gets from the executor's environment.
var passedOn = []string{"PATH", "HOME", "LANG", "TMPDIR"}

type program struct {
	engine   *Engine
	src      runtime.Source
	language language
}

// Close keeps the file: the next version's removes it, as in XXL-JOB.
func (p *program) Close() error { return nil }

func (p *program) write() (string, error) {
	return p.engine.files.put(p.src.JobID, p.src.Version, p.language.suffix, p.src.Code)
}

// Run implements [runtime.Program].
func (p *program) Run(ctx context.Context, req runtime.Request) runtime.Result {
	started := time.Now()
	out := runtime.NewOutput(p.src.Limits.LogBytes, req.Log)
	result := p.run(ctx, req, out)
	result.Usage.Wall, result.Usage.LogBytes = time.Since(started), out.Bytes()
	return result
}

func (p *program) run(ctx context.Context, req runtime.Request, out *runtime.Output) runtime.Result {
	if why := p.engine.missing(p.language); why != "" {
		return runtime.Result{Kind: runtime.EngineMissing, Message: why}
	}
	interpreter, err := p.language.interpreter()
	if err != nil { // it went away just now
		return runtime.Result{Kind: runtime.EngineMissing, Message: err.Error()}
	}
	if strings.ContainsRune(req.Param, 0) {
		return runtime.Result{Kind: runtime.Failed, Message: "the parameter holds a NUL character, which no process can be given"}
	}
	path, err := p.write() // again, should somebody have cleared the directory
	if err != nil {
		return runtime.Result{Kind: runtime.HostError, Message: err.Error()}
	}
	if ctx.Err() != nil {
		return runtime.Stopped(ctx, "")
	}
	out.Line("----------- script file:" + path + " -----------")
	stdout, stderr := out.Stream(), out.Stream()
	process, err := p.engine.proc.Start(proc.Command{
		Path:        interpreter,
		Args:        []string{path, req.Param, strconv.Itoa(req.ShardIndex), strconv.Itoa(req.ShardTotal)},
		Env:         p.environment(req),
		Stdout:      stdout,
		Stderr:      stderr,
		MemoryBytes: cmp.Or(p.src.Limits.MemoryBytes, p.engine.cfg.MemoryBytes),
		Processes:   p.engine.cfg.Processes,
	})
	if err != nil {
		return runtime.Result{Kind: runtime.HostError, Message: err.Error()}
	}
	exit := process.Wait(ctx, p.src.Limits.GraceTime())
	if !exit.Survived { // else the streams are still in use
		stdout.Flush()
		stderr.Flush()
	}
	return outcome(ctx, exit)
}

// outcome judges an end. What was stopped is judged by who stopped it, whatever code
// the dying script gave.
func outcome(ctx context.Context, exit proc.Exit) runtime.Result {
	result := runtime.Result{Kind: runtime.Succeeded}
	_, stopped := runtime.KindOf(ctx)
	switch {
	case stopped && exit.Survived:
		result = runtime.Stopped(ctx, "a process of the script survives being killed")
	case stopped:
		result = runtime.Stopped(ctx, "")
	case exit.OutOfMemory:
		result = runtime.Result{Kind: runtime.OutOfMemory, Message: fmt.Sprintf(
			"script outgrew its memory (%d MiB at its peak) and was ended", exit.PeakBytes>>20)}
	case exit.Signal != 0:
		result = runtime.Result{Kind: runtime.Failed, Message: fmt.Sprintf(
			"script exit value(%d) is failed: ended by %s", 128+int(exit.Signal), exit)}
	case exit.Code != 0:
		result = runtime.Result{Kind: runtime.Failed, Message: fmt.Sprintf("script exit value(%d) is failed", exit.Code)}
	}
	result.Usage = runtime.Usage{CPU: exit.CPU, PeakBytes: exit.PeakBytes}
	return result
}

func (p *program) environment(req runtime.Request) []string {
	env := req.Invocation(p.src.Name).Environ()
	for _, variable := range p.engine.cfg.Env {
		if name, _, _ := strings.Cut(variable, "="); slices.Contains(passedOn, name) {
			env = append(env, variable)
		}
	}
	return env
}
