package check

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/gluewheel/gluewheel/runtime"
	"github.com/gluewheel/gluewheel/runtime/proc"
)

const (
	// interpreterWait bounds one interpreter; a source of 1 MiB takes well under 1 s.
	interpreterWait = 10 * time.Second
	// interpreterMemory bounds its address space; Python's parser is the greedy one.
	interpreterMemory = 1 << 30
	// maxWords bounds what it may say.
	maxWords = 64 << 10
	// maxProblems bounds the problems of one source.
	maxProblems = 100
)

// sourceFile is where an interpreter finds the source: the first descriptor it is given.
const sourceFile = "/dev/fd/3"

// bounded starts a command under limits that it cannot lift; the shell is replaced by it.
const bounded = `ulimit -v "$1" && ulimit -t 10 && ulimit -c 0 && shift && exec "$@"`

// interpret runs a command with the source in sourceFile. ok is false if the command or
// the shell is not installed.
func (c *Checker) interpret(ctx context.Context, source, name string, args ...string) (words string, exit proc.Exit, ok bool, err error) {
	shell, shellErr := exec.LookPath("sh")
	path, pathErr := exec.LookPath(name)
	if shellErr != nil || pathErr != nil {
		return "", exit, false, nil
	}
	file, err := memoryFile(source)
	if err != nil {
		return "", exit, true, err
	}
	defer file.Close()
	out := &limited{}
	process, err := c.sandbox.Supervisor().Start(proc.Command{
		Path:      shell,
		Args:      append([]string{"-c", bounded, "sh", strconv.Itoa(interpreterMemory >> 10), path}, args...),
		Env:       []string{"LC_ALL=C.UTF-8", "PYTHONIOENCODING=utf-8"},
		Dir:       "/",
		Stdout:    out,
		Stderr:    out,
		Files:     []*os.File{file},
		Alone:     true,
		Sealed:    true,
		Processes: 64,
	})
	if err != nil {
		return "", exit, true, fmt.Errorf("start %s: %w", name, err)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, interpreterWait, fmt.Errorf("%s took over %v", name, interpreterWait))
	defer cancel()
	exit = process.Wait(ctx, 0)
	return out.String(), exit, true, context.Cause(ctx)
}

// memoryFile holds the source in memory, so that no file is left anywhere.
func memoryFile(source string) (*os.File, error) {
	fd, err := unix.MemfdCreate("source", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("make file in memory: %w", err)
	}
	file := os.NewFile(uintptr(fd), "source")
	if _, err := file.WriteString(source); err != nil {
		return nil, errors.Join(fmt.Errorf("write file in memory: %w", err), file.Close())
	}
	if _, err := file.Seek(0, 0); err != nil {
		return nil, errors.Join(fmt.Errorf("rewind file in memory: %w", err), file.Close())
	}
	return file, nil
}

// limited keeps the beginning of what is written to it, by several goroutines.
type limited struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

// Write implements io.Writer.
func (l *limited) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.buf.Write(p[:min(len(p), max(maxWords-l.buf.Len(), 0))])
	return len(p), nil
}

func (l *limited) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}

// shellPlace is how bash says where a problem is.
var shellPlace = regexp.MustCompile(`^(?:/dev/fd/3|[^:]*bash): line (\d+): (.*)$`)

// shell has bash read the source and execute nothing of it.
func (c *Checker) shell(ctx context.Context, source string) ([]runtime.Problem, error) {
	words, exit, ok, err := c.interpret(ctx, source, "bash", "--norc", "--noprofile", "-n", sourceFile)
	if err != nil || !ok {
		return nil, err
	}
	problems := shellProblems(words, exit.Code == 0)
	if len(problems) == 0 && exit.Code != 0 {
		return []runtime.Problem{{Severity: runtime.SeverityError, Message: "bash cannot read the source: " + exit.String()}}, nil
	}
	return problems, nil
}

// shellProblems reads what bash says. Under a syntax error it repeats the line of the
// source, in quotes, which is not another problem.
func shellProblems(words string, fine bool) []runtime.Problem {
	severity := runtime.SeverityError
	if fine { // such as a here-document that the end of the source ends
		severity = runtime.SeverityWarning
	}
	var problems []runtime.Problem
	for line := range strings.Lines(words) {
		match := shellPlace.FindStringSubmatch(strings.TrimSuffix(line, "\n"))
		if match == nil || strings.HasPrefix(match[2], "`") || len(problems) == maxProblems {
			continue
		}
		number, _ := strconv.Atoi(match[1]) // digits; what overflows names no line
		text := strings.TrimPrefix(strings.TrimPrefix(match[2], "warning: "), "syntax error: ")
		problems = append(problems, runtime.Problem{Line: number, Severity: severity, Message: text})
	}
	return problems
}

// compilePython says what compiling found, as JSON, an object a line.
const compilePython = `
import json, sys, warnings
def say(severity, line, column, message):
    print(json.dumps({"line": line or 0, "column": column or 0, "severity": severity, "message": str(message)}))
with open(3, "rb") as f:
    source = f.read()
with warnings.catch_warnings(record=True) as found:
    warnings.simplefilter("always")
    try:
        compile(source, "job.py", "exec", dont_inherit=True)
    except SyntaxError as e:
        say("error", e.lineno, e.offset, e.msg)
    except (ValueError, OverflowError, RecursionError, MemoryError) as e:
        say("error", 0, 0, str(e) or "the source takes too much memory to compile")
for w in found[:50]:
    say("warning", w.lineno, 0, w.message)
`

// python has python3 compile the source. -I keeps it from reading anything else.
func (c *Checker) python(ctx context.Context, source string) ([]runtime.Problem, error) {
	words, exit, ok, err := c.interpret(ctx, source, "python3", "-I", "-S", "-c", compilePython)
	if err != nil || !ok {
		return nil, err
	}
	if exit.Code != 0 {
		return []runtime.Problem{{Severity: runtime.SeverityError, Message: "python3 cannot compile the source: " + exit.String()}}, nil
	}
	var problems []runtime.Problem
	for line := range strings.Lines(words) {
		var p runtime.Problem // whose fields JSON finds in lower case as well
		if json.Unmarshal([]byte(line), &p) == nil && p.Message != "" && len(problems) < maxProblems {
			problems = append(problems, p)
		}
	}
	return problems, nil
}
