package main

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestPprof_OnlyOnLoopback(t *testing.T) {
	t.Parallel()
	for addr, refused := range map[string]string{
		"":               "",
		"127.0.0.1:6060": "",
		"localhost:0":    "",
		"[::1]:6060":     "",
		":6060":          "not a loopback address",
		"0.0.0.0:6060":   "not a loopback address",
		"10.0.0.1:6060":  "not a loopback address",
		"6060":           "missing port",
	} {
		t.Run(addr, func(t *testing.T) {
			t.Parallel()
			f := pprofFlag{Pprof: addr}
			if refused == "" {
				require.NoError(t, f.validatePprof())
				return
			}
			require.ErrorContains(t, f.validatePprof(), "pprof: ")
			require.ErrorContains(t, f.validatePprof(), refused)
		})
	}
}

func TestPprof_ServesUntilTheEnd(t *testing.T) {
	t.Parallel()
	require.Empty(t, (&pprofFlag{}).profiles(slog.New(slog.DiscardHandler)), "nothing listens unless asked")

	f := pprofFlag{Pprof: freeAddr(t)}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- f.serve(ctx, slog.New(slog.DiscardHandler)) }()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: 30 * time.Second}
	require.Eventually(t, func() bool {
		resp, err := client.Get("http://" + f.Pprof + "/debug/pprof/cmdline")
		if err != nil {
			return false
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		return err == nil && resp.StatusCode == http.StatusOK && len(body) > 0
	}, 30*time.Second, 10*time.Millisecond)
	cancel()
	require.NoError(t, <-ended)
}

func TestPprof_AnotherNameForLoopbackIsRefused(t *testing.T) {
	t.Parallel()
	for host, status := range map[string]int{
		"127.0.0.1:6060":     http.StatusOK,
		"localhost:6060":     http.StatusOK,
		"rebound.test:6060":  http.StatusForbidden,
		"192.168.0.1:6060":   http.StatusForbidden,
		"127.0.0.1.test:606": http.StatusForbidden,
	} {
		r := httptest.NewRequest(http.MethodGet, "/debug/pprof/cmdline", nil)
		r.Host = host
		w := httptest.NewRecorder()
		pprofHandler().ServeHTTP(w, r)
		require.Equal(t, status, w.Code, host)
	}
}
