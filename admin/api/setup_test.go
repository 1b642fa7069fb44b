package api_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/gluewheel/gluewheel/admin/api"
	"github.com/gluewheel/gluewheel/admin/auth"
	"github.com/gluewheel/gluewheel/admin/cron"
	"github.com/gluewheel/gluewheel/admin/job"
	"github.com/gluewheel/gluewheel/admin/report"
	"github.com/gluewheel/gluewheel/admin/seal"
	"github.com/gluewheel/gluewheel/admin/store"
	"github.com/gluewheel/gluewheel/admin/store/storetest"
	"github.com/gluewheel/gluewheel/glue"
	"github.com/gluewheel/gluewheel/runtime"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m,
		// fasthttp's clock for the Date header runs as long as the process, and its cleaner
		// of idle workers notices within 10 s that its server has ended.
		goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.updateServerDate.func1"),
		goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.(*workerPool).Start.func2"))
}

const adminPassword = "correct horse battery"

// bench is a served API on a real database, with the other parts of the admin faked.
type bench struct {
	t        *testing.T
	url      string
	store    *store.Store
	database string // its address
	auth     *auth.Auth
	seal     seal.Ring
	admin    *session

	mu       sync.Mutex
	names    int // given by unique
	fired    []job.Fire
	killed   []int64
	logs     map[int64]job.LogPiece                // by run; others have an executor that does not answer
	longLogs map[int64]func(from int) job.LogPiece // by run, before logs
	ready    error
}

func setup(t *testing.T) *bench {
	t.Helper()
	address := storetest.URL(t)
	b := &bench{t: t, store: storetest.Open(t, address), database: address, logs: map[int64]job.LogPiece{}, longLogs: map[int64]func(int) job.LogPiece{}}
	var err error
	b.seal, err = seal.Parse(seal.NewKey())
	require.NoError(t, err)
	b.auth, err = auth.New(t.Context(), b.store)
	require.NoError(t, err)
	created, err := b.auth.EnsureAdmin(t.Context(), adminPassword)
	require.NoError(t, err)
	require.True(t, created)
	b.serve(b.deps())
	b.admin = b.login("admin", adminPassword)
	return b
}

func (b *bench) deps() api.Deps {
	return api.Deps{
		Log: slog.New(slog.NewTextHandler(b.t.Output(), nil)), Store: b.store, Auth: b.auth,
		Schedule: func(t job.Timing) (api.Schedule, error) {
			return cron.For(t, time.UTC)
		},
		Fired: func(fires []job.Fire) {
			b.mu.Lock()
			defer b.mu.Unlock()
			b.fired = append(b.fired, fires...)
		},
		Kill: func(_ context.Context, r job.Run, _ string) error {
			b.mu.Lock()
			defer b.mu.Unlock()
			b.killed = append(b.killed, r.ID)
			return nil
		},
		ReadLog: func(_ context.Context, r job.Run, from int) (job.LogPiece, error) {
			b.mu.Lock()
			defer b.mu.Unlock()
			if long, ok := b.longLogs[r.ID]; ok {
				return long(from), nil
			}
			if piece, ok := b.logs[r.ID]; ok && from == piece.FromLine {
				return piece, nil
			}
			return job.LogPiece{}, fmt.Errorf("dial %s: connection refused", r.Address)
		},
		CheckSource: func(_ context.Context, _ glue.Type, source string) error {
			if strings.Contains(source, "syntax error") {
				return &job.CodeError{Line: 3, Column: 7, Message: "unexpected symbol near 'error'"}
			}
			return nil
		},
		FindProblems: func(_ context.Context, _, source string) ([]runtime.Problem, error) {
			if strings.Contains(source, "syntax error") {
				return []runtime.Problem{{Line: 3, Column: 7, Severity: runtime.SeverityError, Message: "unexpected symbol"}}, nil
			}
			return nil, nil
		},
		Forecast: report.NewForecast(b.store, func(t job.Timing) (report.Schedule, error) { return cron.For(t, time.UTC) }).Next,
		Inspect: func(_ context.Context, module []byte) (json.RawMessage, error) {
			if bytes.Contains(module, []byte("bomb")) {
				return nil, &job.CodeError{Message: "The type section is malformed."}
			}
			return json.RawMessage(`{"exports":["_start"]}`), nil
		},
		Ready: func(context.Context) error {
			b.mu.Lock()
			defer b.mu.Unlock()
			return b.ready
		},
		Unavailable: store.Unavailable,
		Seal:        b.seal,
		System:      api.SystemInfo{Version: "v1.2.3", TimeZone: "UTC"},
	}
}

func (b *bench) serve(deps api.Deps) {
	b.t.Helper()
	app := api.NewApp(deps.Log)
	require.NoError(b.t, api.Mount(app, deps))
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(b.t, err)
	b.url = "http://" + ln.Addr().String()
	var wg sync.WaitGroup
	wg.Go(func() { _ = app.Listener(ln) })
	b.t.Cleanup(func() {
		_ = app.ShutdownWithTimeout(5 * time.Second)
		wg.Wait()
	})
}

// session is a client with or without a login.
type session struct {
	b      *bench
	cookie string
	header http.Header // added to each request
}

func (b *bench) anonymous() *session { return &session{b: b, header: http.Header{}} }

func (b *bench) login(username, password string) *session {
	b.t.Helper()
	s := b.anonymous()
	body := fmt.Sprintf(`{"username":%q,"password":%q}`, username, password)
	r := s.do("POST", "/login", body)
	for try := 0; try < 4 && r.status == http.StatusServiceUnavailable; try++ { // many log in together, and passwords are costly
		r = s.do("POST", "/login", body)
	}
	require.Equal(b.t, 200, r.status, r.text)
	s.cookie = strings.Split(r.header.Get("Set-Cookie"), ";")[0]
	return s
}

// user makes an account of that name, a publisher in these groups, and logs it in.
func (b *bench) user(name string, groups ...int32) *session {
	b.t.Helper()
	var grants []job.Grant
	for _, g := range groups {
		grants = append(grants, job.Grant{GroupID: g, Role: job.GroupPublisher})
	}
	return b.account(job.User{Username: name, Role: job.RoleUser, Grants: grants})
}

// account makes an account and logs it in.
func (b *bench) account(u job.User) *session {
	b.t.Helper()
	_, err := b.auth.CreateUser(b.t.Context(), u, u.Username+" password")
	require.NoError(b.t, err)
	return b.login(u.Username, u.Username+" password")
}

// token makes an API token for an admin's account of its own.
func (b *bench) token(role job.TokenRole, groups ...int32) *session {
	b.t.Helper()
	owner := b.account(job.User{Username: b.unique("robot"), Role: job.RoleAdmin})
	id, err := b.auth.Authenticate(b.t.Context(), strings.TrimPrefix(owner.cookie, "gw_session="))
	require.NoError(b.t, err)
	_, secret, err := b.auth.CreateToken(b.t.Context(), id, job.APIToken{Name: "of a test", Role: role, GroupIDs: groups})
	require.NoError(b.t, err)
	return &session{b: b, header: http.Header{"Authorization": {"Bearer " + secret}}}
}

type reply struct {
	t      *testing.T
	status int
	header http.Header
	text   string
}

// do sends a request; body "" is none.
func (s *session) do(method, path, body string) reply {
	s.b.t.Helper()
	var r io.Reader
	media := ""
	if body != "" {
		r, media = strings.NewReader(body), "application/json"
	}
	return s.send(method, path, media, r)
}

func (s *session) send(method, path, media string, body io.Reader) reply {
	t := s.b.t
	t.Helper()
	if path != "/healthz" && path != "/readyz" {
		path = "/api/v1" + path
	}
	req, err := http.NewRequestWithContext(t.Context(), method, s.b.url+path, body)
	require.NoError(t, err)
	if media != "" {
		req.Header.Set("Content-Type", media)
	}
	if s.cookie != "" {
		req.Header.Set("Cookie", s.cookie)
	}
	for name, values := range s.header {
		req.Header[name] = values
	}
	if host := s.header.Get("Host"); host != "" {
		req.Host = host
	}
	client := http.Client{
		Transport: &http.Transport{DisableKeepAlives: true}, Timeout: time.Minute,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	resp, err := client.Do(req)
	require.NoError(t, err)
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	return reply{t, resp.StatusCode, resp.Header, string(text)}
}

// get, post and put want success and decode the answer.
func get[T any](s *session, path string) T { return want[T](s.do("GET", path, ""), 200) }

func post[T any](s *session, path, body string) T { return want[T](s.do("POST", path, body), 200, 201) }

func put[T any](s *session, path, body string) T     { return want[T](s.do("PUT", path, body), 200) }
func (s *session) postJSON(path string, v any) reply { return s.do("POST", path, jsonOf(s.b.t, v)) }
func (s *session) putJSON(path string, v any) reply  { return s.do("PUT", path, jsonOf(s.b.t, v)) }

func jsonOf(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	require.NoError(t, err)
	return string(text)
}

func want[T any](r reply, statuses ...int) T {
	r.t.Helper()
	require.Contains(r.t, statuses, r.status, r.text)
	var v T
	d := json.NewDecoder(strings.NewReader(r.text))
	d.DisallowUnknownFields()
	require.NoError(r.t, d.Decode(&v), r.text)
	return v
}

type problem struct {
	Title, Detail string
	Instance      string
	Status        int
	Errors        []struct {
		Location, Message string
		Value             any
	}
}

// refused wants a problem of that status; at, if not empty, is where it must say the
// mistake is.
func (r reply) refused(status int, at string) problem {
	r.t.Helper()
	require.Equal(r.t, status, r.status, r.text)
	require.Equal(r.t, "application/problem+json", r.header.Get("Content-Type"))
	p := want[problem](r, status)
	require.Equal(r.t, status, p.Status)
	require.Equal(r.t, http.StatusText(status), p.Title)
	require.NotEmpty(r.t, p.Detail)
	if at == "" {
		return p
	}
	var places []string
	for _, e := range p.Errors {
		require.NotEmpty(r.t, e.Message)
		places = append(places, e.Location)
	}
	require.Contains(r.t, places, at, r.text)
	return p
}

func (b *bench) group(app string) api.Group {
	b.t.Helper()
	return post[api.Group](b.admin, "/groups", fmt.Sprintf(`{"app_name":%q,"title":"A group"}`, app))
}

// fields is a job's input that is accepted, as a map so that tests can spoil it.
func fields(groupID int32, change ...map[string]any) map[string]any {
	in := map[string]any{"group_id": groupID, "name": "a job", "author": "ann", "glue_type": "GLUE_LUA", "schedule_type": "FIX_RATE", "schedule_conf": "3600"}
	for _, c := range change {
		for k, v := range c {
			if in[k] = v; v == nil {
				delete(in, k)
			}
		}
	}
	return in
}

func (b *bench) job(groupID int32, change ...map[string]any) api.Job {
	b.t.Helper()
	return post[api.Job](b.admin, "/jobs", jsonOf(b.t, fields(groupID, change...)))
}

func (b *bench) run(jobID int32) api.Triggered {
	b.t.Helper()
	return post[api.Triggered](b.admin, fmt.Sprintf("/jobs/%d/trigger", jobID), "{}")
}

type anyMap = map[string]any
