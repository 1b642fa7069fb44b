package egress

import (
	"net/netip"
	"slices"
)

// reserved are the networks that look public to netip but are not, or lead elsewhere
// (IANA's special-purpose registries), and a cloud's metadata outside of link-local.
var reserved = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"),
	netip.MustParsePrefix("100.64.0.0/10"),    // shared by carriers; metadata of Alibaba Cloud
	netip.MustParsePrefix("168.63.129.16/32"), // Azure's host
	netip.MustParsePrefix("192.0.0.0/24"),
	netip.MustParsePrefix("192.0.2.0/24"),
	netip.MustParsePrefix("192.88.99.0/24"),
	netip.MustParsePrefix("198.18.0.0/15"),
	netip.MustParsePrefix("198.51.100.0/24"),
	netip.MustParsePrefix("203.0.113.0/24"),
	netip.MustParsePrefix("240.0.0.0/4"),
	netip.MustParsePrefix("::/96"),        // IPv4 addresses in the old form
	netip.MustParsePrefix("64:ff9b::/96"), // IPv4 addresses behind NAT64
	netip.MustParsePrefix("64:ff9b:1::/48"),
	netip.MustParsePrefix("100::/64"),
	netip.MustParsePrefix("2001::/23"), // Teredo, which holds IPv4 addresses, and others
	netip.MustParsePrefix("2001:db8::/32"),
	netip.MustParsePrefix("2002::/16"), // 6to4, likewise
	netip.MustParsePrefix("fec0::/10"),
}

// public reports whether addr belongs to the internet.
func public(addr netip.Addr) bool {
	if !addr.IsGlobalUnicast() || addr.IsPrivate() { // neither loopback, link-local, multicast nor unspecified
		return false
	}
	return !slices.ContainsFunc(reserved, func(p netip.Prefix) bool { return p.Contains(addr) })
}
