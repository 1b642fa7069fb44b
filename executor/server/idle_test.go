package server

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestServer_ShutdownDoesNotWaitForIdleConnections: admins keep theirs for long.
func TestServer_ShutdownDoesNotWaitForIdleConnections(t *testing.T) {
	t.Parallel()
	s, err := New(Config{Token: "tok", Executor: &fakeExecutor{}})
	require.NoError(t, err)
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	var serve sync.WaitGroup
	serve.Go(func() { _ = s.Serve(ln) })
	conn, err := net.Dial("tcp", ln.Addr().String())
	require.NoError(t, err)
	defer conn.Close()
	_, err = io.WriteString(conn, post("/beat", ""))
	require.NoError(t, err)
	_, err = http.ReadResponse(bufio.NewReader(conn), nil)
	require.NoError(t, err)

	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	require.NoError(t, s.Shutdown(ctx))
	serve.Wait()
}
