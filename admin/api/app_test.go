package api_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/admin/api"
	"github.com/gluewheel/gluewheel/admin/job"
)

func TestApp_AnswersUnknownPathsAndMethodsWithProblems(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.admin.do("GET", "/nowhere", "").refused(404, "")
	b.admin.do("GET", "/jobs/1/nowhere", "").refused(404, "")
	r := b.admin.do("PATCH", "/jobs/1", "{}")
	r.refused(405, "")
	require.Equal(t, "DELETE, GET, PUT", r.header.Get("Allow"))
	b.admin.do("GET", "/login", "").refused(405, "")
	b.admin.do("GET", "/jobs/abc", "").refused(422, "path.id")
	b.admin.do("GET", "/jobs/4294967297", "").refused(422, "path.id")
	b.admin.do("GET", "/jobs/-1", "").refused(422, "path.id")
}

func TestApp_RefusesHugeBodies(t *testing.T) {
	t.Parallel()
	b := setup(t)
	overJSON := `{"app_name":"` + strings.Repeat("a", 1<<20) + `"}`
	p := b.admin.do("POST", "/groups", overJSON).refused(413, "")
	require.Contains(t, p.Detail, "1048576")
	huge := strings.Repeat("a", 6<<20)
	b.admin.do("POST", "/groups", huge).refused(413, "")
	b.admin.send("POST", "/groups", "application/json", io.MultiReader(strings.NewReader(huge))).refused(413, "")
	b.anonymous().send("POST", "/groups", "application/json", io.MultiReader(strings.NewReader(huge))).refused(413, "")
	b.anonymous().upload(make([]byte, 1<<20)).refused(401, "")
	require.Zero(t, get[api.List[api.Group]](b.admin, "/groups").Total)
}

// dialog sends raw requests over one connection and returns the answers' statuses, in
// order, until the server closes it.
func (b *bench) dialog(raw string) (statuses []int) {
	b.t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(b.url, "http://"))
	require.NoError(b.t, err)
	defer conn.Close()
	require.NoError(b.t, conn.SetDeadline(time.Now().Add(20*time.Second)))
	_, err = io.WriteString(conn, raw)
	require.NoError(b.t, err)
	r := bufio.NewReader(conn)
	for {
		resp, err := http.ReadResponse(r, nil)
		if err != nil {
			return statuses
		}
		_, err = io.Copy(io.Discard, resp.Body)
		require.NoError(b.t, err)
		require.NoError(b.t, resp.Body.Close())
		if statuses = append(statuses, resp.StatusCode); resp.Close {
			return statuses
		}
	}
}

func TestApp_TakesNoBodyForTheNextRequest(t *testing.T) {
	t.Parallel()
	b := setup(t)
	inner := "GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
	// Longer than what fasthttp reads ahead of a streamed body.
	padding := strings.Repeat("A", 64<<10)
	for _, path := range []string{"/api/v1/artifacts", "/api/v1/jobs", "/nowhere", "/healthz"} {
		body := padding + inner
		raw := fmt.Sprintf("POST %s HTTP/1.1\r\nHost: x\r\nContent-Type: application/wasm\r\nContent-Length: %d\r\n\r\n%s", path, len(body), body)
		got := b.dialog(raw + "GET /readyz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
		require.LessOrEqual(t, len(got), 2, "%s: a body was read as a request", path)
		require.GreaterOrEqual(t, got[0], 400, path)
	}
}

func TestApp_RefusesWhatIsNoURL(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, target := range []string{"/api/v1/jobs/%zz", "/api/v1/jobs?q=%zz", "/api/v1/jobs?a;b", "/api/v1/jobs/%00", "/api/v1/jobs/%ff"} {
		got := b.dialog("GET " + target + " HTTP/1.1\r\nHost: x\r\nCookie: " + b.admin.cookie + "\r\nConnection: close\r\n\r\n")
		require.Len(t, got, 1, target)
		require.GreaterOrEqual(t, got[0], 400, target)
		require.Less(t, got[0], 500, target)
	}
}

// broken is a store whose jobs cannot be read.
type broken struct {
	api.Store
	err error
}

func (b broken) Job(context.Context, int32) (job.Job, error) { return job.Job{}, b.err }

func TestProblems_OfTheServerSayLittleAndLogAll(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name       string
		err        error
		status     int
		retryAfter string
	}{
		{"unforeseen", errors.New("secret detail"), 500, ""},
		{"database away", fmt.Errorf("read job: %w", &net.OpError{Op: "dial", Err: errors.New("secret detail")}), 503, "2"},
		{"lock timeout", fmt.Errorf("read job: %w", &pgconn.PgError{Code: "55P03"}), 503, "2"},
		{"deadline", fmt.Errorf("secret detail: %w", context.DeadlineExceeded), 503, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			var log bytes.Buffer
			deps := b.deps()
			deps.Log = slog.New(slog.NewTextHandler(&log, nil))
			deps.Store = broken{b.store, c.err}
			b.serve(deps)
			r := b.admin.do("GET", "/jobs/1", "")
			r.refused(c.status, "")
			require.NotContains(t, r.text, "secret")
			require.Equal(t, c.retryAfter, r.header.Get("Retry-After"))
			require.Contains(t, log.String(), c.err.Error())
		})
	}
}

func TestApp_SurvivesAPanic(t *testing.T) {
	t.Parallel()
	app := api.NewApp(slog.New(slog.DiscardHandler))
	app.Get("/boom", func(*fiber.Ctx) error { panic("boom") })
	resp, err := app.Test(httpRequest(t, "http://x/boom"))
	require.NoError(t, err)
	defer resp.Body.Close()
	require.Equal(t, 500, resp.StatusCode)
	require.Equal(t, "application/problem+json", resp.Header.Get("Content-Type"))
}

func httpRequest(t *testing.T, url string) *http.Request {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	require.NoError(t, err)
	return req
}

func TestMount_NamesWhatIsMissing(t *testing.T) {
	t.Parallel()
	require.ErrorContains(t, api.Mount(api.NewApp(slog.New(slog.DiscardHandler)), api.Deps{}), "is required")
	b := setup(t)
	require.ErrorContains(t, api.Mount(fiber.New(), b.deps()), "NewApp")
}
