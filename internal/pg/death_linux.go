package pg

import "syscall"

// dieWithParent lets the kernel ask for a fast shutdown when this process is gone.
func dieWithParent(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGINT }
