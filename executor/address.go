package executor

import (
	"fmt"
	"net"
	"strconv"
)

// addressFor is what the admin is told when nothing is configured: the host listened on
// or, for every host, the first IPv4 address of a real interface, as XXL-JOB chooses.
func addressFor(ln net.Addr) string {
	tcp, ok := ln.(*net.TCPAddr)
	if !ok {
		return fmt.Sprintf("http://%s/", ln)
	}
	ip := tcp.IP
	if ip.IsUnspecified() {
		ip = interfaceIP()
	}
	return fmt.Sprintf("http://%s/", net.JoinHostPort(ip.String(), strconv.Itoa(tcp.Port)))
}

// interfaceIP is the first IPv4 address of an interface that is up and not a loopback;
// where there is none, the loopback address.
func interfaceIP() net.IP {
	loopback := net.IPv4(127, 0, 0, 1)
	interfaces, err := net.Interfaces()
	if err != nil {
		return loopback
	}
	for _, i := range interfaces {
		if i.Flags&net.FlagUp == 0 || i.Flags&net.FlagLoopback != 0 {
			continue
		}
		addrs, err := i.Addrs()
		if err != nil {
			continue
		}
		for _, a := range addrs {
			if n, ok := a.(*net.IPNet); ok && n.IP.To4() != nil && !n.IP.IsLinkLocalUnicast() {
				return n.IP
			}
		}
	}
	return loopback
}
