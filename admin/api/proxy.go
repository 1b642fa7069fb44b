package api

import (
	"bytes"
	"net"
	"net/netip"
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"
)

// maxHops is the most addresses of X-Forwarded-For that are looked at.
const maxHops = 20

// behindProxies gives requests that trusted proxies pass on the address of their client:
// throttling, sessions and the audit log are about that one. Each proxy adds the address
// of its own peer on the right, so that the client's is the first from the right that is
// no proxy's; what stands left of it anybody may have written.
func behindProxies(trusted []netip.Prefix) fiber.Handler {
	return func(c *fiber.Ctx) error {
		if len(trusted) == 0 {
			return c.Next()
		}
		// Of the connection: what was set here for the request before it does not count.
		peer, err := netip.ParseAddrPort(c.Context().Conn().RemoteAddr().String())
		if err != nil {
			return c.Next()
		}
		lines := c.Context().Request.Header.PeekAll(fiber.HeaderXForwardedFor)
		hops := strings.Split(string(bytes.Join(lines, []byte{','})), ",")
		addr := clientOfHops(peer.Addr().Unmap(), hops, trusted)
		c.Context().SetRemoteAddr(net.TCPAddrFromAddrPort(netip.AddrPortFrom(addr, peer.Port())))
		return c.Next()
	}
}

// clientOfHops is who asked the outermost of the trusted proxies.
func clientOfHops(peer netip.Addr, hops []string, trusted []netip.Prefix) netip.Addr {
	isTrusted := func(a netip.Addr) bool {
		return slices.ContainsFunc(trusted, func(p netip.Prefix) bool { return p.Contains(a) })
	}
	for i := len(hops) - 1; i >= max(0, len(hops)-maxHops) && isTrusted(peer); i-- {
		hop, ok := hopAddr(strings.TrimSpace(hops[i]))
		if !ok {
			break
		}
		peer = hop
	}
	return peer
}

// hopAddr reads an address, which some proxies write with its port.
func hopAddr(text string) (netip.Addr, bool) {
	if ap, err := netip.ParseAddrPort(text); err == nil {
		return ap.Addr().Unmap().WithZone(""), true
	}
	a, err := netip.ParseAddr(strings.Trim(text, "[]"))
	return a.Unmap().WithZone(""), err == nil
}
