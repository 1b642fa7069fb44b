// Package scrape serves figures to Prometheus, and to nobody who should not have them:
// names of states and machines, and how busy they are, tell strangers too much.
package scrape

import (
	"crypto/sha256"
	"crypto/subtle"
	"net"
	"net/http"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Handler serves what g gathers to programs on this machine, and to those that bring the
// token; without a token to this machine alone. A request that came through a proxy does
// not count as from this machine.
func Handler(g prometheus.Gatherer, token string) http.Handler {
	figures := promhttp.HandlerFor(g, promhttp.HandlerOpts{})
	want := sha256.Sum256([]byte(token))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		given := sha256.Sum256([]byte(strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")))
		knows := token != "" && subtle.ConstantTimeCompare(given[:], want[:]) == 1
		if !knows && !fromHere(r) {
			http.Error(w, "Send the metrics token as a bearer token, or ask from this machine itself.", http.StatusUnauthorized)
			return
		}
		figures.ServeHTTP(w, r)
	})
}

// fromHere reports whether the peer is this machine and speaks for itself.
func fromHere(r *http.Request) bool {
	if r.Header.Get("X-Forwarded-For") != "" || r.Header.Get("Forwarded") != "" {
		return false
	}
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return false
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}
