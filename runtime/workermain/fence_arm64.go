package workermain

import "golang.org/x/sys/unix"

const (
	auditArch = unix.AUDIT_ARCH_AARCH64
	x32       = 0 // there is one manner only
)

// refusedHere are those that only this processor has: none.
var refusedHere []uintptr

var refusedFilesHere = []uintptr{unix.SYS_RENAMEAT, unix.SYS_FSTATAT}
