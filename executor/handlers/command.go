package handlers

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/gluewheel/gluewheel/executor"
	"github.com/gluewheel/gluewheel/runtime"
	"github.com/gluewheel/gluewheel/runtime/proc"
)

// commandGrace is what a command gets to end by itself: less than the handler has, so
// that its end is always seen.
const commandGrace = runtime.DefaultGrace / 2

// passedOn are the variables that a command gets from the executor's environment.
var passedOn = []string{"PATH", "HOME", "LANG", "TMPDIR"}

// command runs the program that the parameter names: split at blanks, without a shell,
// as in XXL-JOB. Its whole process tree ends with the run.
func (h *Handlers) command(ctx context.Context, job *executor.Job) error {
	words := strings.Fields(job.Param())
	if len(words) == 0 {
		return errors.New("command empty: give the program and its arguments as the job's parameter, such as: ls -l /tmp")
	}
	path, err := exec.LookPath(words[0])
	if err != nil {
		return fmt.Errorf("find the command: %w", err)
	}
	out := runtime.NewOutput(0, func(line string) { job.Logf("%s", line) })
	stdout, stderr := out.Stream(), out.Stream()
	process, err := h.proc.Start(proc.Command{Path: path, Args: words[1:], Env: environment(), Stdout: stdout, Stderr: stderr})
	if err != nil {
		return fmt.Errorf("start the command: %w", err)
	}
	exit := process.Wait(ctx, commandGrace)
	if !exit.Survived { // else the streams are still in use
		stdout.Flush()
		stderr.Flush()
	}
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case exit.Signal != 0:
		return fmt.Errorf("command ended by %s", exit)
	case exit.Code != 0:
		return fmt.Errorf("command exit value(%d) is failed", exit.Code)
	}
	job.SetResult(fmt.Sprintf("%s ended well, %s of CPU", words[0], exit.CPU.Round(time.Millisecond)))
	return nil
}

func environment() []string {
	var env []string
	for _, name := range passedOn {
		if value, set := os.LookupEnv(name); set {
			env = append(env, name+"="+value)
		}
	}
	return env
}
