package main

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestInstallSamples_OneFails has the first job's code refused for once: nothing is left
// of that sample, the others are made, and the next start makes what is missing.
func TestInstallSamples_OneFails(t *testing.T) {
	t.Parallel()
	s := startStandalone(t, openDir(t), "--no-samples", "--admin-password=correct horse battery")
	defer func() { require.Equal(t, exitOK, s.stop()) }()
	admin, err := url.Parse(s.url)
	require.NoError(t, err)
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(admin) }}
	var failed atomic.Bool
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/versions") && failed.CompareAndSwap(false, true) {
			http.Error(w, `{"title":"Busy","status":503}`, http.StatusServiceUnavailable)
			return
		}
		proxy.ServeHTTP(w, r)
	}))
	defer server.Close()
	api := loggedIn(t, server.URL, "correct horse battery")

	made, err := installSamples(t.Context(), api, "gluewheel-executor")
	require.ErrorContains(t, err, "create sample hello-lua: ")
	require.Equal(t, builtSamples(t)-1, made)
	require.NotContains(t, jobNames(t, api), "hello-lua")

	made, err = installSamples(t.Context(), api, "gluewheel-executor")
	require.NoError(t, err)
	require.Equal(t, 1, made)
	require.Len(t, jobNames(t, api), builtSamples(t))
}
