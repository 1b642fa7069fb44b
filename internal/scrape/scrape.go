// Package scrape serves figures to Prometheus, and to nobody who should not have them:
// names of states and machines, and how busy they are, tell strangers too much.
package scrape

import (
	"crypto/sha256"
	"crypto/subtle"
	"net"
	"net/http"
	"net/netip"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Handler serves what g gathers to programs on this machine that ask for it by a loopback
// address, and to those that bring the token; without a token to this machine alone. A
// request that came through a proxy does not count as from this machine.
func Handler(g prometheus.Gatherer, token string) http.Handler {
	figures := promhttp.HandlerFor(g, promhttp.HandlerOpts{})
	want := sha256.Sum256([]byte(token))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		given := sha256.Sum256([]byte(strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")))
		knows := token != "" && subtle.ConstantTimeCompare(given[:], want[:]) == 1
		if !knows && !fromHere(r) {
			http.Error(w, "Send the metrics token as a bearer token, or ask this machine from itself, by a loopback address and through no proxy.", http.StatusUnauthorized)
			return
		}
		figures.ServeHTTP(w, r)
	})
}

// fromHere reports whether the peer is this machine and speaks for itself. A proxy on this
// machine shows by what it adds, or, if that is nothing, by the name that its client asked
// for; so does a web page that calls itself by a name for 127.0.0.1.
func fromHere(r *http.Request) bool {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	return err == nil && peer.Addr().Unmap().IsLoopback() && isLoopback(r.Host) && !forwarded(r.Header)
}

// isLoopback judges a Host header, with or without a port.
func isLoopback(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	ip, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return host == "localhost" || err == nil && ip.Unmap().IsLoopback()
}

func forwarded(h http.Header) bool {
	for name := range h {
		switch {
		case name == "Via", name == "Forwarded", name == "X-Real-Ip", strings.HasPrefix(name, "X-Forwarded-"):
			return true
		}
	}
	return false
}
