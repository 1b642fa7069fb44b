package egress

import (
	"fmt"
	"net"
	"net/netip"
	"regexp"
	"strconv"
	"strings"
)

// hostName is a DNS name, with a leading "*." for all below it.
var hostName = regexp.MustCompile(`^(\*\.)?[A-Za-z0-9]([A-Za-z0-9._-]{0,251}[A-Za-z0-9])?$`)

// CheckHost says what is wrong with a pattern of [Policy.Hosts].
func CheckHost(pattern string) error {
	name, port, err := net.SplitHostPort(pattern)
	if err != nil {
		name, port = strings.Trim(pattern, "[]"), "80"
	}
	if n, err := strconv.Atoi(port); err != nil || n < 1 || n > 65535 {
		return fmt.Errorf("%q has no valid port; write it like api.example.com:8443", pattern)
	}
	if _, err := netip.ParseAddr(name); err != nil && name != "*" && !hostName.MatchString(name) {
		return fmt.Errorf("%q is not a host; write it like api.example.com, *.example.com or api.example.com:8443", pattern)
	}
	return nil
}
