package main

import (
	"errors"
	"fmt"
	"log/slog"
	"os"

	"github.com/gluewheel/gluewheel/runtime"
	"github.com/gluewheel/gluewheel/runtime/inproc"
	"github.com/gluewheel/gluewheel/runtime/proc"
	"github.com/gluewheel/gluewheel/runtime/script"
	"github.com/gluewheel/gluewheel/runtime/worker"
	"github.com/gluewheel/gluewheel/runtime/workermain"
)

// engines are what an executor of this binary runs live code with. They share one
// supervisor of child processes.
type engines struct {
	proc    *proc.Supervisor
	sandbox *worker.Engine
	inproc  *inproc.Engine // nil unless the operator allows it; runs the sandbox's types then
	script  *script.Engine
}

// newSupervisor starts children through this binary where the kernel offers nothing
// better to end their whole trees.
func newSupervisor(log *slog.Logger) (*proc.Supervisor, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find my own program: %w", err)
	}
	return proc.New(proc.Config{Shim: []string{self, workermain.Command, "shim"}, Log: log})
}

// newSandbox makes what an admin checks code with: no scripts.
func newSandbox(dir dataDir, cfg worker.Config, log *slog.Logger) (*engines, error) {
	supervisor, err := newSupervisor(log)
	if err != nil {
		return nil, err
	}
	e := &engines{proc: supervisor}
	cfg.CacheDir, cfg.Proc, cfg.Log = dir.moduleCache(), supervisor, log
	if e.sandbox, err = worker.New(cfg); err != nil {
		return nil, errors.Join(err, e.close())
	}
	return e, nil
}

// newEngines makes what an executor runs code with. Where nothing bounds the number of
// their processes scripts are refused, unless allowUnbounded.
func newEngines(dir dataDir, f codeFlags, allowUnbounded bool, log *slog.Logger) (*engines, error) {
	policy, err := f.policy()
	if err != nil {
		return nil, err
	}
	e, err := newSandbox(dir, worker.Config{HTTP: policy, MaxMemoryBytes: f.MaxJobMemory << 20}, log)
	if err != nil {
		return nil, err
	}
	if f.AllowInproc {
		e.inproc = inproc.New(inproc.Config{Sandbox: e.sandbox, HTTP: policy, MaxMemoryBytes: f.MaxJobMemory << 20, Log: log})
	}
	if e.script, err = script.New(script.Config{
		Dir: dir.scripts(), Proc: e.proc, Off: f.NoScripts, RequireBounds: !allowUnbounded,
		MaxMemoryBytes: f.MaxJobMemory << 20, Log: log,
	}); err != nil {
		return nil, errors.Join(err, e.close())
	}
	return e, nil
}

func (e *engines) all() []runtime.Engine {
	if e.inproc != nil {
		return []runtime.Engine{e.inproc, e.script}
	}
	return []runtime.Engine{e.sandbox, e.script}
}

// notes tell at the admin how code is fenced in on this machine.
func (e *engines) notes() []string {
	m := e.proc.Methods()
	var notes []string
	if e.inproc != nil {
		notes = append(notes, "WARNING: WebAssembly with isolation inproc runs in the executor's own process, without most of the sandbox")
	}
	notes = append(notes, fmt.Sprintf("processes are ended by %s", m.Kill))
	if m.Memory == "" {
		notes = append(notes, "memory is bounded by watching it")
	} else {
		notes = append(notes, "memory is bounded by "+m.Memory)
	}
	if m.Processes == "" {
		notes = append(notes, "the number of processes is not bounded")
	} else {
		notes = append(notes, "the number of processes is bounded by "+m.Processes)
	}
	if m.Network != "" {
		notes = append(notes, "sandboxes have the network of an "+m.Network)
	}
	if m.Calls != "" {
		notes = append(notes, "their system calls are fenced by "+m.Calls)
	}
	return notes
}

// status tells at the admin how the sandbox is doing.
func (e *engines) status() []string { return []string{e.sandbox.Stats().String()} }

// closeLogged is close for a defer.
func closeLogged(e *engines, log *slog.Logger) {
	if err := e.close(); err != nil {
		log.Error("close engines", "error", err)
	}
}

// close ends whatever still runs.
func (e *engines) close() error {
	var errs []error
	if e.inproc != nil {
		errs = append(errs, e.inproc.Close())
	}
	if e.sandbox != nil {
		errs = append(errs, e.sandbox.Close())
	}
	if e.script != nil {
		errs = append(errs, e.script.Close())
	}
	return errors.Join(append(errs, e.proc.Close())...)
}
