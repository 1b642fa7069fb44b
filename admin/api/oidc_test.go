package api_test

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"maps"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/admin/api"
	"github.com/gluewheel/gluewheel/admin/auth"
	"github.com/gluewheel/gluewheel/admin/job"
)

const oidcClient, oidcSecret = "gluewheel", "client secret"

// provider is an OpenID Connect provider, at which whoever comes is the person of claims.
type provider struct {
	*httptest.Server
	t   *testing.T
	key *rsa.PrivateKey

	mu     sync.Mutex
	claims map[string]any // beside iss, aud, exp, iat, nonce
	spoil  map[string]any // over all of these
	codes  map[string]url.Values
}

func newProvider(t *testing.T) *provider {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	require.NoError(t, err)
	p := &provider{t: t, key: key, codes: map[string]url.Values{}}
	mux := http.NewServeMux()
	mux.HandleFunc("/.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		p.answer(w, map[string]any{
			"issuer": p.URL, "authorization_endpoint": p.URL + "/authorize", "token_endpoint": p.URL + "/token", "jwks_uri": p.URL + "/keys",
			"id_token_signing_alg_values_supported": []string{"RS256"},
		})
	})
	mux.HandleFunc("/keys", func(w http.ResponseWriter, _ *http.Request) {
		p.answer(w, map[string]any{"keys": []any{map[string]string{
			"kty": "RSA", "alg": "RS256", "use": "sig", "kid": "1", "n": b64(key.N.Bytes()), "e": b64(big.NewInt(int64(key.E)).Bytes()),
		}}})
	})
	mux.HandleFunc("/token", p.token)
	p.Server = httptest.NewServer(mux)
	t.Cleanup(p.Close)
	return p
}

func b64(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

func (p *provider) answer(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v)
}

// is decides who comes next.
func (p *provider) is(claims map[string]any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.claims, p.spoil = claims, nil
}

// authorize stands for the person who agrees on the provider's page: it gives the code
// and the state that the browser is sent back with.
func (p *provider) authorize(to string) (code, state string) {
	p.t.Helper()
	u, err := url.Parse(to)
	require.NoError(p.t, err)
	q := u.Query()
	require.Equal(p.t, p.URL+"/authorize", u.Scheme+"://"+u.Host+u.Path)
	require.Equal(p.t, "code", q.Get("response_type"))
	require.Equal(p.t, "S256", q.Get("code_challenge_method"))
	require.Equal(p.t, oidcClient, q.Get("client_id"))
	require.Contains(p.t, strings.Fields(q.Get("scope")), "openid")
	p.mu.Lock()
	defer p.mu.Unlock()
	code = b64([]byte(q.Get("nonce")))
	p.codes[code] = q
	return code, q.Get("state")
}

// token exchanges a code once, for whoever shows the client's secret and the verifier.
func (p *provider) token(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	q, ok := p.codes[r.FormValue("code")]
	delete(p.codes, r.FormValue("code"))
	sum := sha256.Sum256([]byte(r.FormValue("code_verifier")))
	id, secret, _ := r.BasicAuth()
	if id == "" {
		id, secret = r.FormValue("client_id"), r.FormValue("client_secret")
	}
	if secret, _ = url.QueryUnescape(secret); !ok || b64(sum[:]) != q.Get("code_challenge") || id != oidcClient || secret != oidcSecret || r.FormValue("redirect_uri") != q.Get("redirect_uri") {
		w.WriteHeader(http.StatusBadRequest)
		p.answer(w, map[string]string{"error": "invalid_grant"})
		return
	}
	now := time.Now()
	claims := map[string]any{"iss": p.URL, "aud": oidcClient, "iat": now.Unix(), "exp": now.Add(time.Minute).Unix(), "nonce": q.Get("nonce")}
	maps.Copy(claims, p.claims)
	maps.Copy(claims, p.spoil)
	p.answer(w, map[string]any{"access_token": "a", "token_type": "Bearer", "id_token": p.sign(claims)})
}

func (p *provider) sign(claims map[string]any) string {
	body, err := json.Marshal(claims)
	require.NoError(p.t, err)
	text := b64([]byte(`{"alg":"RS256","kid":"1"}`)) + "." + b64(body)
	sum := sha256.Sum256([]byte(text))
	signature, err := rsa.SignPKCS1v15(rand.Reader, p.key, crypto.SHA256, sum[:])
	require.NoError(p.t, err)
	return text + "." + b64(signature)
}

// setupOIDC serves an API with single sign-on, whose groups "ops" and "audit" count.
func setupOIDC(t *testing.T) (*bench, *provider) {
	t.Helper()
	b, p := setup(t), newProvider(t)
	deps := b.deps()
	var err error
	deps.OIDC, err = auth.NewOIDC(auth.OIDCConfig{
		Name: "Example", Issuer: p.URL, ClientID: oidcClient, ClientSecret: oidcSecret, RedirectURL: "http://gluewheel.test/api/v1/oidc/callback",
		Access: map[string]auth.Access{"ops": {Groups: map[string]job.GroupRole{"sync": job.GroupOperator, "not-there": job.GroupViewer}}, "audit": {Role: job.RoleAuditor}},
	}, b.auth)
	require.NoError(t, err)
	b.serve(deps)
	return b, p
}

func cookies(r reply) string {
	var list []string
	for _, c := range r.header.Values("Set-Cookie") {
		pair, _, _ := strings.Cut(c, ";")
		list = append(list, pair)
	}
	return strings.Join(list, "; ")
}

// sso logs whoever the provider takes the browser for in; spoil may change what it brings back.
func (b *bench) sso(p *provider, spoil func(code, state *string, s *session)) reply {
	b.t.Helper()
	s := b.anonymous()
	begun := s.do("GET", "/oidc/login", "")
	require.Equal(b.t, 303, begun.status, begun.text)
	require.Contains(b.t, begun.header.Get("Set-Cookie"), "HttpOnly")
	require.Contains(b.t, begun.header.Get("Set-Cookie"), "SameSite=Lax")
	s.cookie = cookies(begun)
	code, state := p.authorize(begun.header.Get("Location"))
	if spoil != nil {
		spoil(&code, &state, s)
	}
	return s.do("GET", "/oidc/callback?code="+url.QueryEscape(code)+"&state="+url.QueryEscape(state), "")
}

// me is who a finished login made the browser.
func (b *bench) me(r reply) api.Me {
	b.t.Helper()
	require.Equal(b.t, 303, r.status, r.text)
	require.Equal(b.t, "/", r.header.Get("Location"))
	s := b.anonymous()
	s.cookie = cookies(r)
	return get[api.Me](s, "/me")
}

func TestOIDC_MakesTheAccountAndMapsItsGroupsAtEachLogin(t *testing.T) {
	t.Parallel()
	b, p := setupOIDC(t)
	g := b.group("sync")
	require.Equal(t, api.OIDCOption{Enabled: true, Name: "Example"}, get[api.LoginOptions](b.anonymous(), "/login/options").OIDC)

	p.is(map[string]any{"sub": "1", "preferred_username": "ann", "groups": []string{"ops", "other"}})
	me := b.me(b.sso(p, nil))
	require.Equal(t, "ann", me.User.Username)
	require.Equal(t, []api.Grant{{GroupID: g.ID, Role: "operator"}}, me.Grants)
	require.Equal(t, api.Role("user"), me.Role)

	p.is(map[string]any{"sub": "1", "preferred_username": "renamed", "groups": "audit"})
	me = b.me(b.sso(p, nil))
	require.Equal(t, "ann", me.User.Username, "the same account")
	require.Equal(t, api.Role("auditor"), me.Role)
	require.Empty(t, me.Grants)

	entries := get[api.List[api.AuditEntry]](b.admin, "/audit?action=oidcLogin").Items
	require.Len(t, entries, 4, "made, logged in, changed, logged in")

	b.anonymous().do("POST", "/login", `{"username":"ann","password":"12345678"}`).refused(401, "")
	u := get[api.List[api.User]](b.admin, "/users?q=ann").Items[0]
	require.True(t, u.SSO)
	put[api.User](b.admin, "/users/"+itoa(u.ID), `{"role":"auditor","disabled":true,"version":`+itoa(u.Version)+`}`)
	require.Equal(t, "/?sso_error=disabled", b.sso(p, nil).header.Get("Location"))
}

func TestOIDC_TakesOverNoAccountByItsName(t *testing.T) {
	t.Parallel()
	b, p := setupOIDC(t)
	for _, claims := range []map[string]any{
		{"sub": "2", "preferred_username": "admin"}, {"sub": "3", "email": "admin"},
	} {
		p.is(claims)
		r := b.sso(p, nil)
		require.Equal(t, "/?sso_error=name_taken", r.header.Get("Location"))
		require.NotContains(t, cookies(r), "gw_session")
	}
}

func TestOIDC_BelievesNoForgery(t *testing.T) {
	t.Parallel()
	b, p := setupOIDC(t)
	for name, spoil := range map[string]func(code, state *string, s *session){
		"another state":      func(_, state *string, _ *session) { *state = "x" },
		"no state":           func(_, state *string, _ *session) { *state = "" },
		"another code":       func(code, _ *string, _ *session) { *code = "x" },
		"another browser":    func(_, _ *string, s *session) { s.cookie = "" },
		"a broken cookie":    func(_, _ *string, s *session) { s.cookie = "gw_oidc=%%%" },
		"an empty cookie":    func(_, state *string, s *session) { s.cookie, *state = "gw_oidc="+b64([]byte("{}")), "" },
		"another login's":    func(code, state *string, _ *session) { p.spoil = map[string]any{"nonce": "x"} },
		"another client's":   func(code, state *string, _ *session) { p.spoil = map[string]any{"aud": "x"} },
		"another provider's": func(code, state *string, _ *session) { p.spoil = map[string]any{"iss": "http://evil.test"} },
		"an old one": func(code, state *string, _ *session) {
			p.spoil = map[string]any{"exp": time.Now().Add(-time.Hour).Unix()}
		},
	} {
		p.is(map[string]any{"sub": "4", "preferred_username": "eve"})
		r := b.sso(p, spoil)
		require.Equal(t, 303, r.status, name)
		require.Equal(t, "/?sso_error=failed", r.header.Get("Location"), name)
		require.NotContains(t, cookies(r), "gw_session", name)
	}
	require.Empty(t, get[api.List[api.User]](b.admin, "/users?q=eve").Items)
	p.is(map[string]any{"sub": "4", "preferred_username": "eve"})
	require.Equal(t, "eve", b.me(b.sso(p, nil)).User.Username, "without forgery she gets in")
}

func TestOIDC_IsNotThereUnlessAskedFor(t *testing.T) {
	t.Parallel()
	b := setup(t)
	require.False(t, get[api.LoginOptions](b.anonymous(), "/login/options").OIDC.Enabled)
	b.anonymous().do("GET", "/oidc/login", "").refused(404, "")
	b.anonymous().do("GET", "/oidc/callback?code=x&state=y", "").refused(404, "")
}

func TestOIDC_SaysWhenTheProviderIsAway(t *testing.T) {
	t.Parallel()
	b, p := setupOIDC(t)
	p.Close()
	require.Equal(t, "/?sso_error=failed", b.anonymous().do("GET", "/oidc/login", "").header.Get("Location"))
}
