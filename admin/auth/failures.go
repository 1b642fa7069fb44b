package auth

import (
	"net/netip"
	"sync"
	"time"
)

// How many failed logins an admin writes into the audit log in a minute: of one address,
// and of all. Whoever knocks at the door all night must not bury what others did.
const (
	notedPerAddress = 10
	notedInAll      = 100
)

// failures chooses the failed logins that are written down. It keeps at most notedInAll
// addresses.
type failures struct {
	mu     sync.Mutex
	since  time.Time // when the minute began that is counted
	noted  map[netip.Prefix]int
	all    int
	hidden int // since the last one that was written down
}

// Noteworthy reports whether a failed login from an address is to be written down, and if
// so, how many were not since the last one that was. Throttled logins have failed, too.
func (a *Auth) Noteworthy(from netip.Addr) (noted bool, hidden int) {
	return a.failures.take(network(from))
}

func (f *failures) take(from netip.Prefix) (noted bool, hidden int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if now := time.Now(); f.noted == nil || now.Sub(f.since) >= time.Minute {
		f.since, f.noted, f.all = now, map[netip.Prefix]int{}, 0
	}
	if f.all >= notedInAll || f.noted[from] >= notedPerAddress {
		f.hidden++
		return false, 0
	}
	f.all++
	f.noted[from]++
	hidden, f.hidden = f.hidden, 0
	return true, hidden
}
