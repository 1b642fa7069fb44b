package auth

import (
	"container/list"
	"fmt"
	"math"
	"net/netip"
	"sync"
	"time"

	"github.com/gluewheel/gluewheel/admin/job"
)

// Limits of failed logins: so many at once, then one more each throttleWindow/limit.
// A person who mistypes is not stopped; a guesser gets a few hundred tries a day. The
// limit of an account over all addresses is wide, so that nobody is easily locked out
// by strangers, and still keeps a spread-out attack slow.
const (
	failuresPerPair    = 5   // one account from one address
	failuresPerAddress = 30  // one address, any accounts
	failuresPerAccount = 100 // one account, any addresses
	throttleWindow     = 5 * time.Minute
	throttleEntries    = 10_000 // kept at most, about 2 MiB; the longest untouched goes first
)

// TooManyError says that there were too many failed logins.
type TooManyError struct {
	After time.Duration // when to try again
}

func (e *TooManyError) Error() string {
	return fmt.Sprintf("too many failed logins: try again in %v", e.After.Round(time.Second))
}

// throttle counts failed logins in leaky buckets. An attempt is counted before the
// password is looked at, so that many at once cannot slip through, and taken back when
// it succeeds. It lives in memory and spares the database a flood; the store counts the
// same over all admins.
type throttle struct {
	mu      sync.Mutex
	buckets map[string]*list.Element // of *bucket
	order   *list.List               // last touched first
}

type bucket struct {
	key   string
	level float64 // failures that have not leaked out by at
	at    time.Time
}

func newThrottle() *throttle {
	return &throttle{buckets: map[string]*list.Element{}, order: list.New()}
}

// buckets are those that one attempt counts in.
func buckets(username string, addr netip.Addr) []job.Bucket {
	from := network(addr).String()
	return []job.Bucket{
		{Key: "p " + from + " " + username, Max: failuresPerPair},
		{Key: "a " + from, Max: failuresPerAddress},
		{Key: "u " + username, Max: failuresPerAccount},
	}
}

// network is what one attacker surely has at hand: an IPv4 address, an IPv6 /64.
func network(addr netip.Addr) netip.Prefix {
	addr = addr.Unmap().WithZone("")
	bits := 32
	if addr.Is6() {
		bits = 64
	}
	p, err := addr.Prefix(bits)
	if err != nil {
		return netip.Prefix{} // no address at all: all of those count as one
	}
	return p
}

// take counts one attempt, or refuses it with a *TooManyError.
func (t *throttle) take(username string, addr netip.Addr) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Now()
	all := buckets(username, addr)
	for _, l := range all {
		if over := t.get(l, now).level + 1 - l.Max; over > 0 {
			per := float64(throttleWindow) / l.Max
			return &TooManyError{After: time.Duration(math.Ceil(over * per))}
		}
	}
	for _, l := range all {
		t.get(l, now).level++
	}
	return nil
}

// giveBack undoes a take: the login succeeded, or failed through no fault of the user.
func (t *throttle) giveBack(username string, addr netip.Addr) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Now()
	for _, l := range buckets(username, addr) {
		b := t.get(l, now)
		b.level = max(0, b.level-1)
	}
}

// get returns a bucket with what has leaked out of it until now already gone.
func (t *throttle) get(l job.Bucket, now time.Time) *bucket {
	e, ok := t.buckets[l.Key]
	if !ok {
		if len(t.buckets) >= throttleEntries {
			oldest := t.order.Back()
			delete(t.buckets, t.order.Remove(oldest).(*bucket).key)
		}
		e = t.order.PushFront(&bucket{key: l.Key, at: now})
		t.buckets[l.Key] = e
	}
	t.order.MoveToFront(e)
	b := e.Value.(*bucket)
	b.level = max(0, b.level-now.Sub(b.at).Seconds()*l.Max/throttleWindow.Seconds())
	b.at = now
	return b
}
