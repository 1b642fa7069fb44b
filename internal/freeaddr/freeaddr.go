// Package freeaddr finds addresses for the servers that tests start as processes.
package freeaddr

import (
	"fmt"
	"math/rand/v2"
	"net"
)

// Get is a loopback address that nobody listens on now. Its port is below those that Linux
// gives to connections and to listeners that ask for any, so that it stays free until its
// process listens, and while that is dead. It fails when a hundred tries find none.
func Get() (string, error) {
	var err error
	for range 100 {
		var l net.Listener
		if l, err = net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", 12_000+rand.IntN(20_000))); err == nil {
			return l.Addr().String(), l.Close()
		}
	}
	return "", fmt.Errorf("find a free port: %w", err)
}
