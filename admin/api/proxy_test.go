package api_test

import (
	"net/netip"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/admin/api"
)

func TestProxies_TellTheClientsAddress(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		trusted, forwarded, want string
	}{
		"a proxy":                     {"127.0.0.0/8", "203.0.113.7", "203.0.113.7"},
		"two of them":                 {"127.0.0.0/8 10.0.0.0/8", "203.0.113.7, 10.1.2.3", "203.0.113.7"},
		"what the client made up":     {"127.0.0.0/8", "198.51.100.1, 203.0.113.7", "203.0.113.7"},
		"with a port":                 {"127.0.0.0/8", "[2001:db8::1]:443", "2001:db8::1"},
		"nonsense":                    {"127.0.0.0/8", "unknown", "127.0.0.1"},
		"none":                        {"127.0.0.0/8", "", "127.0.0.1"},
		"somebody who is not trusted": {"10.0.0.0/8", "203.0.113.7", "127.0.0.1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			deps := b.deps()
			deps.TrustedProxies = prefixes(t, c.trusted)
			b.serve(deps)
			s := &session{b: b, cookie: b.admin.cookie, header: map[string][]string{}}
			if c.forwarded != "" {
				s.header.Set("X-Forwarded-For", c.forwarded)
			}
			group := post[api.Group](s, "/groups", `{"app_name":"billing","title":"t"}`)
			require.NotZero(t, group.ID)
			entries := get[api.List[api.AuditEntry]](s, "/audit?action=createGroup").Items
			require.Len(t, entries, 1)
			require.Equal(t, c.want, entries[0].Address)
		})
	}
}

func prefixes(t *testing.T, text string) (out []netip.Prefix) {
	t.Helper()
	for one := range strings.FieldsSeq(text) {
		out = append(out, netip.MustParsePrefix(one))
	}
	return out
}
