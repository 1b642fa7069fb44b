package script

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"github.com/gluewheel/gluewheel/runtime"
	"github.com/gluewheel/gluewheel/runtime/proc"
)

// DefaultProcesses bounds the threads of one run where Config names no bound: far above
// what an honest script starts, far below what harms a machine.
const DefaultProcesses = 512

// language is how one type's scripts are stored and started.
type language struct {
	glueType string
	commands []string // interpreters in order of preference
	suffix   string
}

// languages are XXL-JOB's; "python" before 3.1 was what python3 is now.
var languages = []language{
	{"GLUE_SHELL", []string{"bash"}, ".sh"},
	{"GLUE_PYTHON", []string{"python3"}, ".py"},
	{"GLUE_PYTHON2", []string{"python2", "python"}, ".py"},
	{"GLUE_NODEJS", []string{"node"}, ".js"},
	{"GLUE_POWERSHELL", []string{"pwsh", "powershell"}, ".ps1"},
	{"GLUE_PHP", []string{"php"}, ".php"},
}

// Config says how an Engine works.
type Config struct {
	// Dir holds the script files; required, made if absent, private to this user.
	Dir string
	// Env is the environment of which PATH, HOME, LANG and TMPDIR are passed on, as
	// os.Environ gives it, which is the default.
	Env []string
	// Proc starts the scripts. Without one the Engine makes its own.
	Proc *proc.Supervisor
	// Processes bounds the threads of a run; default DefaultProcesses.
	Processes int64
	// MemoryBytes bounds a run whose version names no bound; default none.
	MemoryBytes int64
	// MaxMemoryBytes bounds what a version may ask for; default nothing.
	MaxMemoryBytes int64
	// Off refuses all scripts.
	Off bool
	// RequireBounds refuses to run scripts where the machine offers nothing that bounds
	// the number of their processes.
	RequireBounds bool
	// Log gets what the operator should know; default none.
	Log *slog.Logger
}

// Engine runs scripts.
type Engine struct {
	cfg   Config
	proc  *proc.Supervisor
	owned bool // proc is ours to close
	files files
}

var _ runtime.Engine = (*Engine)(nil)

// New makes the directory and the process supervisor.
func New(cfg Config) (*Engine, error) {
	if cfg.Dir == "" {
		return nil, errors.New("script engine needs a directory")
	}
	dir, err := filepath.Abs(cfg.Dir)
	if err != nil {
		return nil, fmt.Errorf("find script directory: %w", err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make script directory: %w", err)
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.Env == nil {
		cfg.Env = os.Environ()
	}
	cfg.Processes = cmp.Or(cfg.Processes, DefaultProcesses)
	e := &Engine{cfg: cfg, proc: cfg.Proc, files: files{dir: dir}}
	if e.proc == nil {
		e.owned = true
		if e.proc, err = proc.New(proc.Config{Log: cfg.Log}); err != nil {
			return nil, fmt.Errorf("supervise scripts: %w", err)
		}
	}
	return e, nil
}

// Types lists the types whose interpreter is installed.
func (e *Engine) Types() []string {
	var types []string
	for _, l := range languages {
		if e.missing(l) == "" {
			types = append(types, l.glueType)
		}
	}
	return types
}

// Missing says why scripts of a type do not run here, "" if they do or are no scripts.
func (e *Engine) Missing(glueType string) string {
	for _, l := range languages {
		if l.glueType == glueType {
			return e.missing(l)
		}
	}
	return ""
}

func (e *Engine) missing(l language) string {
	if refusal := e.refusal(); refusal != "" {
		return refusal
	}
	if _, err := l.interpreter(); err != nil {
		return fmt.Sprintf("%s is not installed on this executor", l.commands[0])
	}
	return ""
}

// Prepare writes the script's file. A missing interpreter is found out by Run, since it
// may have been installed by then.
func (e *Engine) Prepare(_ context.Context, src runtime.Source) (runtime.Program, error) {
	i := slices.IndexFunc(languages, func(l language) bool { return l.glueType == src.Type })
	if i < 0 {
		return nil, &runtime.InvalidError{Message: fmt.Sprintf("glueType[%s] is not a script", src.Type)}
	}
	if err := src.Limits.CheckMemory(e.cfg.MaxMemoryBytes); err != nil {
		return nil, err
	}
	p := &program{engine: e, src: src, language: languages[i]}
	if _, err := p.write(); err != nil {
		return nil, err
	}
	return p, nil
}

// Close ends what runs, if the supervisor is the Engine's own.
func (e *Engine) Close() error {
	if e.owned {
		return e.proc.Close()
	}
	return nil
}

// refusal says why no script may run here, "" if they may.
func (e *Engine) refusal() string {
	if e.cfg.Off {
		return "scripts are switched off on this executor"
	}
	if e.cfg.RequireBounds && e.proc.Methods().Processes == "" {
		return "scripts are switched off: nothing on this machine bounds the number of their processes"
	}
	return ""
}

func (l language) interpreter() (string, error) {
	var err error
	for _, name := range l.commands {
		var path string
		if path, err = exec.LookPath(name); err == nil {
			return filepath.Abs(path)
		}
	}
	return "", err
}

// Methods says how scripts are ended and bounded here.
func (e *Engine) Methods() proc.Methods { return e.proc.Methods() }
