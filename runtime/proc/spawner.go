package proc

import (
	goruntime "runtime"
	"strconv"
	"sync"

	"golang.org/x/sys/unix"
)

// spawner forks every child from one thread that lives as long as it does.
//
// The thread matters, because a child's parent-death signal fires when the forking
// thread ends, and because of what a child inherits from it before its first
// instruction: the priority, the control groups of version 1 (which have no other way
// to hold a process from its start), and being sealed.
type spawner struct {
	nice   int
	sealed bool // children never get rights: no capabilities, none by set-user-id files
	once   sync.Once
	tasks  chan func(*thread)
	ended  sync.WaitGroup

	mu     sync.RWMutex
	closed bool
}

// thread is the spawner's thread.
type thread struct {
	id string // as control group files take it
}

func newSpawner(nice int, sealed bool) *spawner {
	return &spawner{nice: nice, sealed: sealed, tasks: make(chan func(*thread))}
}

// run calls fn on the thread and waits for it.
func (s *spawner) run(fn func(*thread) error) error {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.closed {
		return ErrClosed
	}
	s.once.Do(func() { s.ended.Go(s.loop) })
	result := make(chan error, 1)
	s.tasks <- func(t *thread) { result <- fn(t) }
	return <-result
}

func (s *spawner) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.closed = true
		close(s.tasks)
		s.ended.Wait()
	}
}

func (s *spawner) loop() {
	goruntime.LockOSThread() // never unlocked: the thread ends with the loop
	tid := unix.Gettid()
	_ = unix.Setpriority(unix.PRIO_PROCESS, tid, s.nice) // of this thread; lowering is always allowed
	if s.sealed {
		seal()
	}
	t := &thread{id: strconv.Itoa(tid)}
	for task := range s.tasks {
		task(t)
	}
}

// seal gives up, for this thread's children, what rights they could get. Without
// capabilities itself the thread cannot empty the set, but then there is nothing to give.
func seal() {
	_ = unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
	for capability := range uintptr(unix.CAP_LAST_CAP + 1) {
		_ = unix.Prctl(unix.PR_CAPBSET_DROP, capability, 0, 0, 0)
	}
}
