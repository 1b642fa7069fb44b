//go:build unix

package execclient

import (
	"errors"
	"net"
	"syscall"
)

// closedByPeer looks at an idle connection without reading from it. An HTTP peer has
// nothing to say between requests, so data means that it is out of step; under TLS
// data may be a session ticket.
func closedByPeer(c net.Conn, secure bool) bool {
	sc, ok := c.(syscall.Conn)
	if !ok {
		return false
	}
	raw, err := sc.SyscallConn()
	if err != nil {
		return true
	}
	var n int
	var peekErr error
	err = raw.Read(func(fd uintptr) bool {
		var b [1]byte
		n, _, peekErr = syscall.Recvfrom(int(fd), b[:], syscall.MSG_PEEK) // the descriptor does not block
		return true
	})
	switch {
	case err != nil:
		return true
	case errors.Is(peekErr, syscall.EAGAIN), errors.Is(peekErr, syscall.EINTR):
		return false
	case peekErr != nil, n == 0:
		return true
	default:
		return !secure
	}
}
