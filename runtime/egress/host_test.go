package egress_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/runtime/egress"
)

func TestCheckHost(t *testing.T) {
	t.Parallel()
	for pattern, fine := range map[string]bool{
		"api.example.com": true, "*.example.com": true, "api.example.com:8443": true, "*": true, "localhost": true,
		"10.1.2.3": true, "10.1.2.3:80": true, "[2001:db8::1]:443": true, "::1": true,
		"": false, "http://a.test": false, "a.test/path": false, "a.test:0": false, "a.test:99999": false, "a*.test": false, "*.": false, "a b": false,
	} {
		err := egress.CheckHost(pattern)
		require.Equal(t, fine, err == nil, "%q: %v", pattern, err)
	}
}
