package scrape_test

import (
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
		token, bearer, forwarded, peer string
		status                         int
	}{
		"the token":           {token: "secret-1", bearer: "Bearer secret-1", forwarded: "10.0.0.1", peer: "10.0.0.2:4711", status: 200},
		"another token":       {token: "secret-1", bearer: "Bearer secret-2", peer: "10.0.0.2:4711", status: 401},
		"no token set":        {bearer: "Bearer ", peer: "10.0.0.2:4711", status: 401},
		"nothing, far away":   {token: "secret-1", peer: "10.0.0.2:4711", status: 401},
		"nothing, from here":  {token: "secret-1", peer: "127.0.0.1:4711", status: 200},
		"from here, by IPv6":  {peer: "[::1]:4711", status: 200},
		"nothing, by a proxy": {token: "secret-1", forwarded: "10.0.0.1", peer: "127.0.0.1:4711", status: 401},
		"from nowhere":        {peer: "", status: 401},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := httptest.NewRequest(http.MethodGet, "/metrics", nil)
			r.RemoteAddr = c.peer
			if c.bearer != "" {
				r.Header.Set("Authorization", c.bearer)
			}
			if c.forwarded != "" {
				r.Header.Set("X-Forwarded-For", c.forwarded)
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
