package scrape_test

import (
	"cmp"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/internal/scrape"
)

func TestHandler_LetsOnlyTokensAndThisMachineIn(t *testing.T) {
	t.Parallel()
	figures := prometheus.NewRegistry()
	count := prometheus.NewCounter(prometheus.CounterOpts{Name: "fires_total", Help: "Fires."})
	count.Add(2)
	figures.MustRegister(count)
	for name, c := range map[string]struct {
		token, bearer, peer, host string
		header                    string
		status                    int
	}{
		"the token":               {token: "secret-1", bearer: "Bearer secret-1", header: "X-Forwarded-For", peer: "10.0.0.2:4711", host: "jobs.example.com", status: 200},
		"another token":           {token: "secret-1", bearer: "Bearer secret-2", peer: "10.0.0.2:4711", status: 401},
		"no token set":            {bearer: "Bearer ", peer: "10.0.0.2:4711", status: 401},
		"nothing, far away":       {token: "secret-1", peer: "10.0.0.2:4711", host: "127.0.0.1:8080", status: 401},
		"nothing, from here":      {token: "secret-1", peer: "127.0.0.1:4711", status: 200},
		"from here, by name":      {peer: "127.0.0.1:4711", host: "localhost:8080", status: 200},
		"from here, without port": {peer: "127.0.0.1:4711", host: "localhost", status: 200},
		"from here, by IPv6":      {peer: "[::1]:4711", host: "[::1]:8080", status: 200},
		"IPv6 without port":       {peer: "[::1]:4711", host: "[::1]", status: 200},
		"IPv4 over IPv6":          {peer: "[::ffff:127.0.0.1]:4711", status: 200},
		"by another host":         {peer: "127.0.0.1:4711", host: "jobs.example.com", status: 401},
		"by a trick of a name":    {peer: "127.0.0.1:4711", host: "127.0.0.1.example.com:8080", status: 401},
		"by another address":      {peer: "127.0.0.1:4711", host: "10.0.0.1:8080", status: 401},
		"by no host":              {peer: "127.0.0.1:4711", host: " ", status: 401},
		"from nowhere":            {peer: "", status: 401},
		"X-Forwarded-For":         {header: "X-Forwarded-For", peer: "127.0.0.1:4711", status: 401},
		"X-Forwarded-Proto":       {header: "X-Forwarded-Proto", peer: "127.0.0.1:4711", status: 401},
		"X-Forwarded-Host":        {header: "X-Forwarded-Host", peer: "127.0.0.1:4711", status: 401},
		"Forwarded":               {header: "Forwarded", peer: "127.0.0.1:4711", status: 401},
		"X-Real-IP":               {header: "X-Real-IP", peer: "127.0.0.1:4711", status: 401},
		"Via":                     {header: "Via", peer: "127.0.0.1:4711", status: 401},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := httptest.NewRequest(http.MethodGet, "/metrics", nil)
			r.RemoteAddr, r.Host = c.peer, cmp.Or(c.host, "127.0.0.1:8080")
			if c.bearer != "" {
				r.Header.Set("Authorization", c.bearer)
			}
			if c.header != "" {
				r.Header.Set(c.header, "10.0.0.1")
			}
			w := httptest.NewRecorder()
			scrape.Handler(figures, c.token).ServeHTTP(w, r)
			require.Equal(t, c.status, w.Code)
			if c.status == http.StatusOK {
				require.Contains(t, w.Body.String(), "fires_total 2")
			} else {
				require.NotContains(t, w.Body.String(), "fires_total")
			}
		})
	}
}
