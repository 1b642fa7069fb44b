package auth

import (
	"fmt"
	"net/netip"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

var here, there = netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("198.51.100.1")

func refused(t *testing.T, err error) time.Duration {
	t.Helper()
	var tooMany *TooManyError
	require.ErrorAs(t, err, &tooMany)
	require.Positive(t, tooMany.After)
	return tooMany.After
}

func TestThrottle_SlowsOneAccountFromOneAddress(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		th := newThrottle()
		for range failuresPerPair {
			require.NoError(t, th.take("ann", here))
		}
		after := refused(t, th.take("ann", here))
		require.NoError(t, th.take("ann", there), "others are not locked out")
		require.NoError(t, th.take("bob", here))

		time.Sleep(after - time.Millisecond)
		refused(t, th.take("ann", here))
		time.Sleep(time.Millisecond)
		require.NoError(t, th.take("ann", here), "one more after the time that was told")
		refused(t, th.take("ann", here))
		time.Sleep(throttleWindow)
		for range failuresPerPair {
			require.NoError(t, th.take("ann", here), "all forgotten after the window")
		}
	})
}

func TestThrottle_SlowsOneAddressOverManyAccounts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		th := newThrottle()
		for i := range failuresPerAddress {
			require.NoError(t, th.take(fmt.Sprint("user", i), here))
		}
		refused(t, th.take("ann", here))
		require.NoError(t, th.take("ann", there))
	})
}

func TestThrottle_SlowsOneAccountOverManyAddresses(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		th := newThrottle()
		addr := here
		for range failuresPerAccount {
			addr = addr.Next()
			require.NoError(t, th.take("ann", addr))
		}
		refused(t, th.take("ann", there))
	})
}

func TestThrottle_GivesBackWhatSucceeded(t *testing.T) {
	t.Parallel()
	th := newThrottle()
	for range 10 * failuresPerAccount {
		require.NoError(t, th.take("ann", here))
		th.giveBack("ann", here)
	}
}

func TestThrottle_TakesAnIPv6NetworkForOneAddress(t *testing.T) {
	t.Parallel()
	require.Equal(t, network(netip.MustParseAddr("2001:db8::1")), network(netip.MustParseAddr("2001:db8::ffff")))
	require.NotEqual(t, network(netip.MustParseAddr("2001:db8::1")), network(netip.MustParseAddr("2001:db8:0:1::1")))
	require.Equal(t, network(here), network(netip.MustParseAddr("::ffff:192.0.2.1")))
	require.Equal(t, network(netip.MustParseAddr("fe80::1%eth0")), network(netip.MustParseAddr("fe80::2%eth1")))
	require.Equal(t, netip.Prefix{}, network(netip.Addr{}))
}

func TestThrottle_IsBounded(t *testing.T) {
	t.Parallel()
	th := newThrottle()
	addr := here
	for i := range throttleEntries {
		addr = addr.Next()
		require.NoError(t, th.take(fmt.Sprint("user", i), addr))
	}
	require.LessOrEqual(t, len(th.buckets), throttleEntries)
	require.Equal(t, len(th.buckets), th.order.Len())
}
