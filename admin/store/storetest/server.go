package storetest

import (
	"os"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// private remembers the address of the private server.
var private = sync.OnceValues(startPrivate)

// serverURL is the address of the server that test databases are made on.
func serverURL(t testing.TB) string {
	t.Helper()
	if url := os.Getenv("TEST_DATABASE_URL"); url != "" {
		return url
	}
	url, err := private()
	require.NoError(t, err, "no PostgreSQL for tests: TEST_DATABASE_URL is unset and no private server could be started")
	return url
}
