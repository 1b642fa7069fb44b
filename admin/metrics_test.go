package admin

import (
	"io"
	"net/http/httptest"
	"testing"

	"github.com/gofiber/fiber/v2"
	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/admin/job"
)

func TestMetrics_CountsEndsAndLetsOnlyTokensAndThisMachineIn(t *testing.T) {
	t.Parallel()
	m := newMetrics()
	m.endedRuns([]job.Ended{{State: job.Succeeded}, {State: job.Succeeded}, {State: job.TimedOut}})
	for name, tc := range map[string]struct {
		token, bearer, forwarded string
		status                   int
	}{
		"the token":           {token: "secret-1", bearer: "Bearer secret-1", forwarded: "10.0.0.1", status: 200},
		"another token":       {token: "secret-1", bearer: "Bearer secret-2", forwarded: "10.0.0.1", status: 401},
		"no token set":        {bearer: "Bearer ", forwarded: "10.0.0.1", status: 401},
		"nothing, far away":   {token: "secret-1", status: 401}, // the app's test has no loopback address
		"nothing, by a proxy": {token: "secret-1", forwarded: "10.0.0.1", status: 401},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			app := fiber.New()
			app.Get("/metrics", m.handler(tc.token))
			req := httptest.NewRequest("GET", "/metrics", nil)
			if tc.bearer != "" {
				req.Header.Set("Authorization", tc.bearer)
			}
			if tc.forwarded != "" {
				req.Header.Set("X-Forwarded-For", tc.forwarded)
			}
			resp, err := app.Test(req)
			require.NoError(t, err)
			defer resp.Body.Close()
			require.Equal(t, tc.status, resp.StatusCode)
			if tc.status == 200 {
				body, err := io.ReadAll(resp.Body)
				require.NoError(t, err)
				require.Contains(t, string(body), `gluewheel_runs_ended_total{state="succeeded"} 2`)
			}
		})
	}
}
