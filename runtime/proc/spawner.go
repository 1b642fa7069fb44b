package proc

import (
	goruntime "runtime"
	"strconv"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

// spawner forks every child from one thread that lives as long as it does.
//
// The thread matters, because a child's parent-death signal fires when the forking
// thread ends, and because of what a child inherits from it before its first
// instruction: the priority, the control groups of version 1 (which have no other way
// to hold a process from its start), being sealed, and an empty network that all sealed
// children share.
type spawner struct {
	nice   int
	sealed bool // children never get rights: no capabilities, none by set-user-id files, no network
	once   sync.Once
	tasks  chan func(*thread)
	ended  sync.WaitGroup

	mu     sync.RWMutex
	closed bool
}

// thread is the spawner's thread.
type thread struct {
	id       string // as control group files take it
	isolated bool   // it is in a network of its own, where there is nothing
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
	s.once.Do(func() { s.ended.Go(func() { offFirstThread(s.loop) }) })
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

// offFirstThread calls fn on another thread than the process's first. What /proc/PID says
// of a process is what its first thread is and has: a watcher that counts the bytes of its
// network there, or somebody who enters it, would find the empty one.
func offFirstThread(fn func()) {
	goruntime.LockOSThread()
	defer goruntime.UnlockOSThread()
	if unix.Gettid() != unix.Getpid() {
		fn()
		return
	}
	done := make(chan struct{})
	go func() { // on another thread, as this one is taken
		defer close(done)
		fn()
	}()
	<-done
}

func (s *spawner) loop() {
	goruntime.LockOSThread() // never unlocked: the thread ends with the loop
	tid := unix.Gettid()
	_ = unix.Setpriority(unix.PRIO_PROCESS, tid, s.nice) // of this thread; lowering is always allowed
	t := &thread{id: strconv.Itoa(tid)}
	if s.sealed {
		t.isolated = unix.Unshare(unix.CLONE_NEWNET) == nil // needs the right to
		seal()
	}
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

// isolates reports whether children have no network.
func (s *spawner) isolates() bool {
	isolated := false
	err := s.run(func(t *thread) error {
		isolated = t.isolated
		return nil
	})
	return err == nil && isolated
}

// filtersCalls reports whether the kernel lets a process refuse itself system calls.
func filtersCalls() bool {
	action := uint32(unix.SECCOMP_RET_ERRNO)
	_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_GET_ACTION_AVAIL, 0, uintptr(unsafe.Pointer(&action)))
	return errno == 0
}
