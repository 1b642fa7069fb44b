package live

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"

	"github.com/gluewheel/gluewheel/glue"
	"github.com/gluewheel/gluewheel/runtime"
)

// ErrNoEngine: no engine here runs the version's type.
var ErrNoEngine = errors.New("no engine for this type on this executor")

// Version is what a trigger asks to run.
type Version struct {
	JobID    int32
	Type     glue.Type
	Handler  string // native programs
	Stamp    int64  // XXL-JOB's glueUpdatetime: another stamp is another version
	Number   int32  // of the GLUE version, 0 where the admin has none
	Source   string // empty for a module
	Digest   string // of what runs, where the admin says
	Module   bool   // fetch Digest from the admin
	Manifest glue.Manifest

	// RunID and Epoch prove to the admin that this executor may fetch the module.
	RunID int64
	Epoch int32
}

// Config says what a set is made of.
type Config struct {
	// Engines run the types that they name; two must not name the same. Required.
	Engines []runtime.Engine
	// Modules brings modules. Nil: versions that need one fail.
	Modules *Modules
	// Log takes what an operator should know. Default: nothing is logged.
	Log *slog.Logger
}

// Set holds the live programs. Its methods may be called concurrently.
type Set struct {
	engines map[glue.Type]runtime.Engine
	modules *Modules
	log     *slog.Logger

	mu   sync.Mutex // guards what follows, and the uses of entries
	jobs map[int32]*entry
}

// entry is one version of one job.
type entry struct {
	key     string
	uses    int  // runs, and one while it is the job's newest
	newest  bool // it is in Set.jobs
	ready   chan struct{}
	program runtime.Program // set when ready is closed and err is nil
	err     error
}

// New makes a set without programs.
func New(cfg Config) (*Set, error) {
	s := &Set{
		engines: make(map[glue.Type]runtime.Engine),
		modules: cfg.Modules,
		log:     cmp.Or(cfg.Log, slog.New(slog.DiscardHandler)).With("component", "live"),
		jobs:    make(map[int32]*entry),
	}
	for _, e := range cfg.Engines {
		for _, t := range e.Types() {
			if s.engines[glue.Type(t)] != nil {
				return nil, fmt.Errorf("two engines run %s", t)
			}
			s.engines[glue.Type(t)] = e
		}
	}
	return s, nil
}

// Runs reports whether some engine here runs t.
func (s *Set) Runs(t glue.Type) bool { return s.engines[t] != nil }

// Types lists what the engines run, in alphabetical order.
func (s *Set) Types() []glue.Type { return slices.Sorted(maps.Keys(s.engines)) }

// Lease is a run's hold on a program.
type Lease struct {
	set   *Set
	entry *entry
}

// Program is the program held.
func (l *Lease) Program() runtime.Program { return l.entry.program }

// Release lets the program go. It is called once.
func (l *Lease) Release() { l.set.release(l.entry) }

// Acquire makes v the job's newest version and holds its program. A caller that finds
// the preparation under way waits for it, or until ctx ends.
func (s *Set) Acquire(ctx context.Context, v Version) (*Lease, error) {
	engine := s.engines[v.Type]
	if engine == nil {
		return nil, fmt.Errorf("prepare %s: %w", v.Type, ErrNoEngine)
	}
	e, mine, old := s.enter(v)
	s.release(old)
	if mine {
		e.program, e.err = s.prepare(ctx, engine, v)
		close(e.ready)
	}
	if err := e.wait(ctx); err != nil {
		s.forget(v.JobID, e)
		s.release(e)
		return nil, err
	}
	return &Lease{set: s, entry: e}, nil
}

func (e *entry) wait(ctx context.Context) error {
	select {
	case <-e.ready:
		return e.err
	case <-ctx.Done():
		return fmt.Errorf("wait for the program: %w", context.Cause(ctx))
	}
}

// enter finds or makes the entry of v, with a use for the caller. The caller prepares
// one that is its own, and releases the old one's use as newest.
func (s *Set) enter(v Version) (e *entry, mine bool, old *entry) {
	key := v.key()
	s.mu.Lock()
	defer s.mu.Unlock()
	e = s.jobs[v.JobID]
	if e != nil && e.key == key {
		e.uses++
		return e, false, nil
	}
	if old = e; old != nil {
		old.newest = false
	}
	e = &entry{key: key, uses: 2, newest: true, ready: make(chan struct{})}
	s.jobs[v.JobID] = e
	return e, true, old
}

// release takes one use back; the last one closes the program.
func (s *Set) release(e *entry) {
	if e == nil {
		return
	}
	s.mu.Lock()
	e.uses--
	last := e.uses == 0
	s.mu.Unlock()
	if !last {
		return
	}
	<-e.ready // a use is held while it is prepared, so this does not wait
	if e.program == nil {
		return
	}
	if err := e.program.Close(); err != nil {
		s.log.Warn("program cannot be closed", "program", e.key, "error", err)
	}
}

// forget takes a failed entry out, so that the next run tries again. A caller that only
// gave up waiting leaves a good entry to the others.
func (s *Set) forget(jobID int32, e *entry) {
	select {
	case <-e.ready:
	default:
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if e.err != nil && e.newest {
		delete(s.jobs, jobID)
		e.newest = false
		e.uses--
	}
}

// Forget drops a job's program once its last run has left.
func (s *Set) Forget(jobID int32) {
	s.mu.Lock()
	e := s.jobs[jobID]
	if e != nil {
		delete(s.jobs, jobID)
		e.newest = false
	}
	s.mu.Unlock()
	s.release(e)
}

// Close forgets every job. The engines stay open: they are the caller's. No run may be
// in progress.
func (s *Set) Close() {
	s.mu.Lock()
	jobs := slices.Collect(maps.Keys(s.jobs))
	s.mu.Unlock()
	for _, id := range jobs {
		s.Forget(id)
	}
}
