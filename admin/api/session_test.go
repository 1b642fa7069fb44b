package api_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/admin/api"
)

func TestLogin_GivesASessionAndTakesItBack(t *testing.T) {
	t.Parallel()
	b := setup(t)
	r := b.anonymous().do("POST", "/login", `{"username":"admin","password":"`+adminPassword+`"}`)
	me := want[api.Me](r, 200)
	require.Equal(t, "admin", me.User.Username)
	require.Equal(t, api.Role("admin"), me.User.Role)
	cookie := r.header.Get("Set-Cookie")
	require.Contains(t, cookie, "gw_session=")
	require.Contains(t, cookie, "HttpOnly")
	require.Contains(t, cookie, "SameSite=Strict")
	require.NotContains(t, cookie, "Secure")

	s := b.anonymous()
	s.cookie = strings.Split(cookie, ";")[0]
	require.Equal(t, me, get[api.Me](s, "/me"))
	r = s.do("POST", "/logout", "")
	require.Equal(t, 204, r.status)
	require.Contains(t, r.header.Get("Set-Cookie"), "Max-Age=0")
	s.do("GET", "/me", "").refused(401, "")
}

func TestLogin_RotatesTheSession(t *testing.T) {
	t.Parallel()
	b := setup(t)
	old := *b.admin
	again := b.admin.do("POST", "/login", `{"username":"admin","password":"`+adminPassword+`"}`)
	require.Equal(t, 200, again.status)
	require.NotContains(t, again.header.Get("Set-Cookie"), old.cookie)
	old.do("GET", "/me", "").refused(401, "")
}

func TestLogin_MarksTheCookieSecureBehindTLS(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.anonymous()
	s.header.Set("X-Forwarded-Proto", "https")
	r := s.do("POST", "/login", `{"username":"admin","password":"`+adminPassword+`"}`)
	require.Contains(t, r.header.Get("Set-Cookie"), "Secure")
}

func TestLogin_AnswersTheSameForUnknownUserAndWrongPassword(t *testing.T) {
	t.Parallel()
	b := setup(t)
	wrong := b.anonymous().do("POST", "/login", `{"username":"admin","password":"wrong password"}`)
	wrong.refused(401, "")
	unknown := b.anonymous().do("POST", "/login", `{"username":"nobody","password":"wrong password"}`)
	require.Equal(t, wrong.status, unknown.status)
	require.Equal(t, wrong.text, unknown.text)
	require.Empty(t, unknown.header.Get("Set-Cookie"))
}

func TestLogin_IsThrottled(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.anonymous()
	for range 5 {
		s.do("POST", "/login", `{"username":"ann","password":"wrong password"}`).refused(401, "")
	}
	r := s.do("POST", "/login", `{"username":"ann","password":"wrong password"}`)
	r.refused(429, "")
	require.NotEmpty(t, r.header.Get("Retry-After"))
	b.login("admin", adminPassword) // other accounts from there still get in
}

func TestLogin_NeverEchoesThePassword(t *testing.T) {
	t.Parallel()
	s := setup(t).anonymous()
	const secret = "my-very-secret"
	for _, body := range []string{
		`{"username":"admin","password":"` + secret + `"`,
		`{"username":"admin","password":["` + secret + `"]}`,
		`{"username":"admin","password":"` + secret + strings.Repeat("x", 300) + `"}`,
		`{"username":"admin","password":"` + secret + `","extra":1}`,
		`{"username":"admin","password":"` + secret + `\u0000"}`,
	} {
		r := s.do("POST", "/login", body)
		require.GreaterOrEqual(t, r.status, 400, body)
		require.Less(t, r.status, 500, r.text)
		require.NotContains(t, r.text, secret)
	}
}

func TestGuard_RefusesOtherOriginsAndMediaTypes(t *testing.T) {
	t.Parallel()
	b := setup(t)
	host := strings.TrimPrefix(b.url, "http://")
	for _, c := range []struct {
		name   string
		header http.Header
		media  string
		status int
	}{
		{"no origin", http.Header{}, "application/json", 200},
		{"own origin", http.Header{"Origin": {"http://" + host}, "Sec-Fetch-Site": {"same-origin"}}, "application/json; charset=utf-8", 200},
		{"other origin", http.Header{"Origin": {"http://evil.example"}}, "application/json", 403},
		{"null origin", http.Header{"Origin": {"null"}}, "application/json", 403},
		{"other port", http.Header{"Origin": {"http://127.0.0.1:1"}}, "application/json", 403},
		{"cross-site", http.Header{"Sec-Fetch-Site": {"cross-site"}}, "application/json", 403},
		{"same-site", http.Header{"Sec-Fetch-Site": {"same-site"}}, "application/json", 403},
		{"form", http.Header{}, "application/x-www-form-urlencoded", 415},
		{"text", http.Header{}, "text/plain", 415},
		{"multipart", http.Header{}, "multipart/form-data; boundary=x", 415},
		{"none", http.Header{}, "", 415},
		{"broken", http.Header{}, ";;", 415},
		{"wasm where JSON belongs", http.Header{}, "application/wasm", 415},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := &session{b: b, cookie: b.admin.cookie, header: c.header}
			r := s.send("POST", "/schedule/preview", c.media, strings.NewReader(`{"schedule_type":"NONE"}`))
			require.Equal(t, c.status, r.status, r.text)
		})
	}
}

func TestGuard_SetsSecurityHeaders(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, path := range []string{"/me", "/nowhere", "/openapi.json", "/jobs/x", "/healthz"} {
		h := b.admin.do("GET", path, "").header
		require.Equal(t, "nosniff", h.Get("X-Content-Type-Options"), path)
		require.Equal(t, "no-store", h.Get("Cache-Control"), path)
		require.Contains(t, h.Get("Content-Security-Policy"), "default-src 'none'", path)
	}
}
