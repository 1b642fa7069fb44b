//go:build chaos

package chaos

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"

	"github.com/stretchr/testify/require"
)

// nonsense is what a malformed executor answers, one after the other: each is an answer,
// so that the run ends with it.
var nonsense = []string{
	``, `null`, `[]`, `"yes"`, `{`, `{"code":"two hundred"}`, `{"code":{}}`, `{"code":99999999999999999999}`,
	`<html>It works!</html>`, "\x00\xff\xfe", `{"code":500,"msg":"` + strings.Repeat("x", 1<<20) + `"}`, `{"code":500,"msg":"\u0000"}`,
}

// addLiar starts an executor whose answers mean nothing, and answers its address.
func (w *world) addLiar() string {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(w.t, err)
	var turn atomic.Int64
	server := http.Server{Handler: http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		n := turn.Add(1)
		if n%5 == 0 {
			rw.WriteHeader(http.StatusTeapot)
		}
		_, _ = io.WriteString(rw, nonsense[n%int64(len(nonsense))])
	})}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = server.Serve(listener)
	}()
	w.t.Cleanup(func() {
		server.Close()
		<-done
	})
	return fmt.Sprintf("http://%s/", listener.Addr())
}
