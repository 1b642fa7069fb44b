package main

import (
	"errors"
	"fmt"
	"net"
	"syscall"
)

// checkPort finds out early that an address cannot be listened on: starting a database
// only to stop it again costs seconds.
func checkPort(addr, flag, variable string) error {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return hintPort(err, addr, flag, variable)
	}
	return l.Close()
}

// hintPort turns a taken port into a sentence that says what to do.
func hintPort(err error, addr, flag, variable string) error {
	if errors.Is(err, syscall.EADDRINUSE) {
		return fmt.Errorf("%s is taken by another program: choose another address with --%s or %s (%w)", addr, flag, variable, err)
	}
	return err
}
