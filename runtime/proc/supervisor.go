package proc

import (
	"errors"
	"fmt"
	"log/slog"
	"os/exec"
	"sync"
	"time"
)

// Method is a way of ending a process tree, see the package comment.
type Method string

// Methods, best first.
const (
	ControlGroup Method = "cgroup"
	PIDNamespace Method = "pid namespace"
	SubReaper    Method = "sub-reaper"
	ProcessGroup Method = "process group"
)

// ErrClosed is the error of a Start after Close.
var ErrClosed = errors.New("supervisor is closed")

// Config says how a Supervisor works. Its zero value is valid.
type Config struct {
	// Method forces one method; empty takes the best that works here.
	Method Method
	// Shim is the command line that calls [Shim], for the two methods that need one.
	// Empty leaves them out.
	Shim []string
	// Nice is added to the priority value of every child; default 5, so that jobs do
	// not starve the executor.
	Nice int
	// Log gets what the operator should know; default none.
	Log *slog.Logger
}

// Methods says what a Supervisor has to work with, for people.
type Methods struct {
	Kill      Method
	Memory    string // what bounds memory: "cgroup v2", "cgroup v1", or "" for nothing
	Processes string // what bounds the number of processes, likewise; "rlimit" by the shim
	Network   string // what keeps sealed commands from the network: "empty namespace", or ""
	Calls     string // what sealed commands can fence their system calls off with: "seccomp", or ""
}

// Supervisor starts processes. It is safe for concurrent use.
type Supervisor struct {
	cfg     Config
	log     *slog.Logger
	groups  *cgroups // nil where no control group can be made
	methods Methods
	spawner *spawner
	sealed  *spawner // of sealed commands

	mu       sync.Mutex
	closed   bool
	children map[*Process]struct{}
	reapers  sync.WaitGroup
}

// New finds out what the machine offers. Close it when its last process has ended.
func New(cfg Config) (*Supervisor, error) {
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.Nice == 0 {
		cfg.Nice = 5
	}
	s := &Supervisor{
		cfg:      cfg,
		log:      cfg.Log.With("component", "proc"),
		spawner:  newSpawner(cfg.Nice, false),
		sealed:   newSpawner(cfg.Nice, true),
		children: make(map[*Process]struct{}),
	}
	if err := s.choose(); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// Methods says what this Supervisor uses.
func (s *Supervisor) Methods() Methods { return s.methods }

// Running is the number of processes that have not ended.
func (s *Supervisor) Running() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.children)
}

// Start runs cmd. The caller must call [Process.Wait], or Kill and then wait for Done.
func (s *Supervisor) Start(cmd Command) (*Process, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, ErrClosed
	}
	method := s.methods.Kill
	if cmd.Alone && method != ControlGroup {
		method = ProcessGroup
	}
	p, err := s.start(cmd, method)
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", cmd.Path, err)
	}
	s.children[p] = struct{}{}
	s.reapers.Go(func() {
		p.reap()
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.children, p)
	})
	return p, nil
}

// Close kills what still runs, waits for its end, and removes the fences.
func (s *Supervisor) Close() error {
	s.mu.Lock()
	s.closed = true
	for p := range s.children {
		p.Kill()
	}
	s.mu.Unlock()

	ended := make(chan struct{})
	go func() {
		s.reapers.Wait()
		close(ended)
	}()
	timer := time.NewTimer(2 * killWait)
	defer timer.Stop()
	select {
	case <-ended:
	case <-timer.C:
		return fmt.Errorf("close process supervisor: %d processes survive being killed", s.Running())
	}
	s.spawner.close()
	s.sealed.close()
	return s.groups.close()
}

// choose settles on the first method that works.
func (s *Supervisor) choose() error {
	order := []Method{ControlGroup, PIDNamespace, SubReaper, ProcessGroup}
	if s.cfg.Method != "" {
		order = []Method{s.cfg.Method}
	}
	var reasons []error
	for _, m := range order {
		if err := s.try(m); err != nil {
			reasons = append(reasons, fmt.Errorf("%s: %w", m, err))
			continue
		}
		s.methods = s.describe(m)
		s.log.Info("process supervision chosen", "kill", m, "memory", s.methods.Memory,
			"processes", s.methods.Processes, "network", s.methods.Network, "calls", s.methods.Calls,
			"better_ways", errors.Join(reasons...))
		return nil
	}
	return fmt.Errorf("choose how to end processes: %w", errors.Join(reasons...))
}

func (s *Supervisor) try(m Method) error {
	if m != ControlGroup {
		return s.probe(m)
	}
	groups, err := openCgroups()
	if err != nil {
		return err
	}
	s.groups = groups
	if err := s.probe(m); err != nil {
		s.groups = nil
		return errors.Join(err, groups.close())
	}
	return nil
}

// probe runs a command that does nothing, because only an attempt tells whether the
// rights suffice.
func (s *Supervisor) probe(m Method) error {
	shell, missing := exec.LookPath("sh")
	switch {
	case (m == PIDNamespace || m == SubReaper) && len(s.cfg.Shim) == 0:
		return errors.New("no shim")
	case missing != nil:
		return nil // nothing harmless to run: taken at its word
	}
	p, err := s.start(Command{Path: shell, Args: []string{"-c", ":"}}, m)
	if err != nil {
		return err
	}
	p.reap()
	if exit := p.Exit(); exit.Code != 0 {
		return fmt.Errorf("probe ended with %s", exit)
	}
	return nil
}

func (s *Supervisor) describe(m Method) Methods {
	methods := Methods{Kill: m}
	if s.sealed.isolates() {
		methods.Network = "empty namespace"
	}
	if filtersCalls() {
		methods.Calls = "seccomp"
	}
	switch m {
	case ControlGroup:
		methods.Memory, methods.Processes = s.groups.controller("memory"), s.groups.controller("pids")
	case PIDNamespace, SubReaper:
		if !superuser() { // the limit does not bind root
			methods.Processes = "rlimit"
		}
	}
	return methods
}

// start builds the fence of method m and starts cmd in it.
func (s *Supervisor) start(cmd Command, m Method) (*Process, error) {
	var f fence
	switch m {
	case ControlGroup:
		group, err := s.groups.make(cmd.MemoryBytes, cmd.Processes)
		if err != nil {
			return nil, err
		}
		f = group
	case PIDNamespace, SubReaper:
		f = &shimFence{command: s.cfg.Shim, namespace: m == PIDNamespace, processes: cmd.Processes}
	case ProcessGroup:
		f = groupFence{}
	default:
		return nil, fmt.Errorf("unknown method %q", m)
	}
	spawner := s.spawner
	if cmd.Sealed {
		spawner = s.sealed
	}
	p, err := startIn(f, cmd, spawner)
	if err != nil {
		return nil, errors.Join(err, f.remove())
	}
	return p, nil
}
