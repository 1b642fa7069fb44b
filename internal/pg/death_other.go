//go:build !linux

package pg

import "syscall"

// dieWithParent cannot be had here: the next Start stops a left-over server.
func dieWithParent(*syscall.SysProcAttr) {}
