package main

import (
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCodeFlags_Policy(t *testing.T) {
	t.Parallel()
	p, err := (&codeFlags{}).policy()
	require.NoError(t, err)
	require.Nil(t, p.Hosts, "any host")
	require.Empty(t, p.Networks, "no network but the public ones")

	p, err = (&codeFlags{AllowHosts: []string{"none"}}).policy()
	require.NoError(t, err)
	require.NotNil(t, p.Hosts)
	require.Empty(t, p.Hosts)

	p, err = (&codeFlags{AllowHosts: []string{"*.example.com"}, AllowNetworks: []string{"10.1.2.3/16"}}).policy()
	require.NoError(t, err)
	require.Equal(t, []string{"*.example.com"}, p.Hosts)
	require.Equal(t, []netip.Prefix{netip.MustParsePrefix("10.1.0.0/16")}, p.Networks)
}

func TestCodeFlags_NamesWhatIsWrong(t *testing.T) {
	t.Parallel()
	for want, f := range map[string]codeFlags{
		"allow-hosts":    {AllowHosts: []string{"http://a.test"}},
		"allow-networks": {AllowNetworks: []string{"10.1.0.0"}},
		"max-job-memory": {MaxJobMemory: -1},
	} {
		require.ErrorContains(t, f.Validate(), want)
	}
}
