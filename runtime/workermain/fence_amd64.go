package workermain

import "golang.org/x/sys/unix"

const (
	auditArch = unix.AUDIT_ARCH_X86_64
	x32       = 0x40000000 // from here on are calls of the x32 manner
)

// refusedHere are those that only this processor has.
var refusedHere = []uintptr{unix.SYS_FORK, unix.SYS_VFORK, unix.SYS_IOPL, unix.SYS_IOPERM, unix.SYS_MODIFY_LDT, unix.SYS_USELIB}

var refusedFilesHere = []uintptr{
	unix.SYS_OPEN, unix.SYS_CREAT, unix.SYS_UNLINK, unix.SYS_RENAME, unix.SYS_RENAMEAT, unix.SYS_LINK, unix.SYS_SYMLINK,
	unix.SYS_MKDIR, unix.SYS_RMDIR, unix.SYS_MKNOD, unix.SYS_CHMOD, unix.SYS_CHOWN, unix.SYS_LCHOWN,
	unix.SYS_UTIME, unix.SYS_UTIMES, unix.SYS_FUTIMESAT, unix.SYS_READLINK, unix.SYS_ACCESS,
	unix.SYS_STAT, unix.SYS_LSTAT, unix.SYS_NEWFSTATAT, unix.SYS_INOTIFY_INIT,
}
