package api_test

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/admin/api"
	"github.com/gluewheel/gluewheel/glue"
	"github.com/gluewheel/gluewheel/internal/logtest"
	"github.com/gluewheel/gluewheel/runtime"
)

// logged is a log whose lines a test reads.
type logged struct{ logtest.Buffer }

// linesOf are the lines of a request.
func (l *logged) linesOf(id string) []string {
	var lines []string
	for line := range strings.Lines(l.String()) {
		if strings.HasSuffix(line, " request_id="+id+"\n") {
			lines = append(lines, line)
		}
	}
	return lines
}

// failing serves an API whose sandbox has a bug, and whose look for problems panics or
// finds no database.
func failing(t *testing.T) (*bench, *logged) {
	t.Helper()
	b, log := setup(t), &logged{}
	deps := b.deps()
	deps.Log = slog.New(api.LogHandler(slog.NewTextHandler(log, nil)))
	deps.CheckSource = func(context.Context, glue.Type, string) error { return errors.New("the sandbox is broken") }
	deps.FindProblems = func(_ context.Context, _, source string) ([]runtime.Problem, error) {
		if source == "panic" {
			panic("a bug")
		}
		return nil, &pgconn.PgError{Code: "57P01"}
	}
	b.serve(deps)
	return b, log
}

func TestRequestID_JoinsAnswerAuditAndLog(t *testing.T) {
	t.Parallel()
	b, log := failing(t)
	j := b.job(b.group("orders").ID)
	for id, c := range map[string]struct {
		path, body, said string
		status           int
	}{
		"a-mistake-of-ours": {"/jobs/" + itoa(j.ID) + "/versions", `{"source":"return 1","remark":"the first","base_version":0}`, "the sandbox is broken", 500},
		"a-panic":           {"/glue/check", `{"glue_type":"GLUE_LUA","source":"panic"}`, "a bug", 500},
		"no-database":       {"/glue/check", `{"glue_type":"GLUE_LUA","source":"x"}`, "57P01", 503},
	} {
		b.admin.header.Set("X-Request-Id", id)
		r := b.admin.do("POST", c.path, c.body)
		p := r.refused(c.status, "")
		require.Equal(t, id, r.header.Get("X-Request-Id"))
		require.Equal(t, "urn:gluewheel:request:"+id, p.Instance)
		require.Equal(t, c.status == 500, strings.Contains(p.Detail, "request_id="+id), p.Detail)
		require.Contains(t, strings.Join(log.linesOf(id), ""), c.said, id)
	}
}

func TestRequestID_IsGivenWhereNoneIsUsable(t *testing.T) {
	t.Parallel()
	b := setup(t)
	seen := map[string]bool{}
	for _, sent := range []string{"", "with spaces", strings.Repeat("x", 65), "<script>"} {
		b.admin.header.Set("X-Request-Id", sent)
		for _, path := range []string{"/groups", "/healthz", "/no/such/path", "/oidc/login"} {
			id := b.admin.do("GET", path, "").header.Get("X-Request-Id")
			require.Regexp(t, `^[A-Z0-9]{26}$`, id, path)
			require.False(t, seen[id], "each has its own")
			seen[id] = true
		}
	}
	b.admin.header = http.Header{}
	p := b.admin.do("GET", "/jobs/4711", "").refused(404, "")
	require.Empty(t, p.Instance, "no fault of the server")
}

func TestRequestID_StandsInTheAuditLog(t *testing.T) {
	t.Parallel()
	b := setup(t)
	r := b.admin.do("POST", "/groups", `{"app_name":"orders","title":"Orders"}`)
	require.Equal(t, 201, r.status, r.text)
	require.Equal(t, r.header.Get("X-Request-Id"), get[api.List[api.AuditEntry]](b.admin, "/audit?action=createGroup").Items[0].RequestID)
}
