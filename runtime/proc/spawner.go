package proc

import (
	goruntime "runtime"
	"strconv"
	"sync"

	"golang.org/x/sys/unix"
)

// spawner forks every child from one thread that lives as long as it does.
//
// The thread matters for three reasons: a child's parent-death signal fires when the
// forking thread ends, a child inherits the thread's priority from its first
// instruction, and also the thread's control groups of version 1, which have no other
// way to hold a process from its start.
type spawner struct {
	nice  int
	once  sync.Once
	tasks chan func(*thread)
	ended sync.WaitGroup

	mu     sync.RWMutex
	closed bool
}

// thread is the spawner's thread.
type thread struct {
	id string // as control group files take it
}

func newSpawner(nice int) *spawner {
	return &spawner{nice: nice, tasks: make(chan func(*thread))}
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
	t := &thread{id: strconv.Itoa(tid)}
	for task := range s.tasks {
		task(t)
	}
}
