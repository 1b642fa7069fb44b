package workermain

import (
	"errors"
	"fmt"
	"os"
	goruntime "runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The kernel refuses a worker the system calls that it has no business with, by seccomp:
// first what nobody needs, then, once the program is loaded, files as well. Landlock
// would do the latter more finely, but binds a thread at a time, and Go has many.
//
// Lists of what is refused, not of what is allowed: a new Go release may make other calls
// than the last. That guest code makes none at all is the engines' business; this is for
// the day that one of them is broken.

// refused are calls that take a worker out of its sandbox: the network, other processes,
// namespaces, and parts of the kernel with a history.
var refused = []uintptr{
	unix.SYS_SOCKET, unix.SYS_SOCKETPAIR, unix.SYS_CONNECT, unix.SYS_BIND, unix.SYS_LISTEN, unix.SYS_ACCEPT, unix.SYS_ACCEPT4,
	unix.SYS_EXECVE, unix.SYS_EXECVEAT,
	unix.SYS_KILL, unix.SYS_TKILL, unix.SYS_RT_SIGQUEUEINFO, unix.SYS_RT_TGSIGQUEUEINFO,
	unix.SYS_PIDFD_OPEN, unix.SYS_PIDFD_SEND_SIGNAL, unix.SYS_PIDFD_GETFD,
	unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV, unix.SYS_PROCESS_MADVISE, unix.SYS_KCMP,
	unix.SYS_SETPRIORITY, unix.SYS_IOPRIO_SET, unix.SYS_SETPGID, unix.SYS_SETSID,
	unix.SYS_UNSHARE, unix.SYS_SETNS, unix.SYS_CHROOT, unix.SYS_PIVOT_ROOT, unix.SYS_MOUNT, unix.SYS_UMOUNT2,
	unix.SYS_FSOPEN, unix.SYS_FSMOUNT, unix.SYS_MOVE_MOUNT, unix.SYS_OPEN_TREE, unix.SYS_MOUNT_SETATTR,
	unix.SYS_OPEN_BY_HANDLE_AT, unix.SYS_NAME_TO_HANDLE_AT,
	unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN, unix.SYS_USERFAULTFD, unix.SYS_IO_URING_SETUP,
	unix.SYS_KEYCTL, unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY,
	unix.SYS_SHMGET, unix.SYS_SHMAT, unix.SYS_MSGGET, unix.SYS_SEMGET, unix.SYS_MQ_OPEN,
	unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE, unix.SYS_DELETE_MODULE, unix.SYS_KEXEC_LOAD, unix.SYS_REBOOT,
	unix.SYS_SETTIMEOFDAY, unix.SYS_CLOCK_SETTIME, unix.SYS_CLOCK_ADJTIME, unix.SYS_ADJTIMEX,
	unix.SYS_SWAPON, unix.SYS_SWAPOFF, unix.SYS_ACCT, unix.SYS_QUOTACTL, unix.SYS_SETHOSTNAME, unix.SYS_SETDOMAINNAME,
	unix.SYS_PERSONALITY, unix.SYS_SETUID, unix.SYS_SETGID, unix.SYS_SETREUID, unix.SYS_SETREGID, unix.SYS_SETRESUID, unix.SYS_SETRESGID, unix.SYS_SETGROUPS,
}

// refusedFiles are calls that find, make or change files by name.
var refusedFiles = []uintptr{
	unix.SYS_OPENAT, unix.SYS_OPENAT2, unix.SYS_CHDIR, unix.SYS_FCHDIR,
	unix.SYS_UNLINKAT, unix.SYS_RENAMEAT2, unix.SYS_LINKAT, unix.SYS_SYMLINKAT, unix.SYS_MKDIRAT, unix.SYS_MKNODAT,
	unix.SYS_TRUNCATE, unix.SYS_FTRUNCATE, unix.SYS_FALLOCATE, unix.SYS_MEMFD_CREATE,
	unix.SYS_FCHMOD, unix.SYS_FCHMODAT, unix.SYS_FCHOWN, unix.SYS_FCHOWNAT, unix.SYS_UTIMENSAT,
	unix.SYS_READLINKAT, unix.SYS_FACCESSAT, unix.SYS_FACCESSAT2, unix.SYS_STATX, unix.SYS_STATFS,
	unix.SYS_SETXATTR, unix.SYS_LSETXATTR, unix.SYS_FSETXATTR, unix.SYS_REMOVEXATTR, unix.SYS_LREMOVEXATTR, unix.SYS_FREMOVEXATTR,
	unix.SYS_INOTIFY_INIT1, unix.SYS_FANOTIFY_INIT,
}

// errNoFilter: there is none for this processor.
var errNoFilter = errors.New("no filter of system calls for " + goruntime.GOARCH)

// Offsets in struct seccomp_data.
const (
	atNumber = 0
	atArch   = 4
	atArgs   = 16 // the low half of the first argument, on little-endian processors
)

// filter is a program for the kernel, see seccomp(2).
type filter []unix.SockFilter

func (f *filter) load(offset uint32) {
	*f = append(*f, unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: offset})
}

func (f *filter) answer(action uint32) {
	*f = append(*f, unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: action})
}

// skip passes over n instructions unless the loaded value compares with k.
func (f *filter) skipUnless(compare uint16, k uint32, n uint8) {
	*f = append(*f, unix.SockFilter{Code: unix.BPF_JMP | compare | unix.BPF_K, K: k, Jf: n})
}

// skipIf passes over n instructions if the loaded value compares with k.
func (f *filter) skipIf(compare uint16, k uint32, n uint8) {
	*f = append(*f, unix.SockFilter{Code: unix.BPF_JMP | compare | unix.BPF_K, K: k, Jt: n})
}

const refuse = unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)

// begin kills the process for calls in another processor's manner, where numbers mean
// something else, and loads the number.
func (f *filter) begin() {
	f.load(atArch)
	f.skipIf(unix.BPF_JEQ, auditArch, 1)
	f.answer(unix.SECCOMP_RET_KILL_PROCESS)
	f.load(atNumber)
	if x32 > 0 {
		f.skipUnless(unix.BPF_JGE, x32, 1)
		f.answer(refuse)
	}
}

func (f *filter) refuse(numbers ...uintptr) {
	for _, number := range numbers {
		f.skipUnless(unix.BPF_JEQ, uint32(number), 1)
		f.answer(refuse)
	}
}

// refuseOthers refuses a call but for itself: unless its first argument is that value.
func (f *filter) refuseOthers(number uintptr, itself uint32) {
	f.skipUnless(unix.BPF_JEQ, uint32(number), 4)
	f.load(atArgs)
	f.skipIf(unix.BPF_JEQ, itself, 1)
	f.answer(refuse)
	f.answer(unix.SECCOMP_RET_ALLOW)
}

// fenceOff installs the first fence.
func fenceOff() error {
	var f filter
	f.begin()
	f.refuse(refused...)
	f.refuse(refusedHere...)
	f.refuseOthers(unix.SYS_TGKILL, uint32(os.Getpid())) // Go interrupts its threads by it
	f.refuseOthers(unix.SYS_PRLIMIT64, 0)

	// Threads, but no processes. clone3 hides its flags in memory; without it, clone is used.
	f.skipUnless(unix.BPF_JEQ, unix.SYS_CLONE3, 1)
	f.answer(unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS))
	f.skipUnless(unix.BPF_JEQ, unix.SYS_CLONE, 3)
	f.load(atArgs)
	f.skipIf(unix.BPF_JSET, unix.CLONE_THREAD, 1)
	f.answer(refuse)
	f.answer(unix.SECCOMP_RET_ALLOW)
	return f.install()
}

// fenceOffFiles installs the second: nothing can be opened any more.
func fenceOffFiles() error {
	var f filter
	f.begin()
	f.refuse(refusedFiles...)
	f.refuse(refusedFilesHere...)
	f.answer(unix.SECCOMP_RET_ALLOW)
	return f.install()
}

// install has the kernel apply the filter to all threads, for good.
func (f filter) install() error {
	if auditArch == 0 {
		return errNoFilter
	}
	program := unix.SockFprog{Len: uint16(len(f)), Filter: &f[0]}
	thread, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER,
		unix.SECCOMP_FILTER_FLAG_TSYNC|unix.SECCOMP_FILTER_FLAG_SPEC_ALLOW, uintptr(unsafe.Pointer(&program)))
	switch {
	case errno != 0:
		return fmt.Errorf("filter system calls: %w", errno)
	case thread != 0:
		return fmt.Errorf("filter system calls: thread %d does not take part", thread)
	}
	return nil
}
