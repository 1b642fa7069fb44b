package auth

import (
	"net/netip"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func TestFailures_AFloodIsNotWrittenDown(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := &Auth{}
		for range notedPerAddress {
			noted, hidden := a.Noteworthy(here)
			require.True(t, noted)
			require.Zero(t, hidden)
		}
		for range 1000 {
			noted, _ := a.Noteworthy(here)
			require.False(t, noted)
		}
		noted, hidden := a.Noteworthy(there)
		require.True(t, noted, "others are written down")
		require.Equal(t, 1000, hidden)
		time.Sleep(time.Minute)
		noted, hidden = a.Noteworthy(here)
		require.True(t, noted, "after a minute")
		require.Zero(t, hidden, "told already")
	})
}

func TestFailures_ManyAddressesAreOneFlood(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := &Auth{}
		written := 0
		for i := range 10_000 {
			if noted, _ := a.Noteworthy(netip.AddrFrom4([4]byte{10, 0, byte(i >> 8), byte(i)})); noted {
				written++
			}
		}
		require.Equal(t, notedInAll, written)
		require.LessOrEqual(t, len(a.failures.noted), notedInAll)
	})
}
