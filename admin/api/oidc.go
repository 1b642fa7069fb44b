package api

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"net/netip"
	"net/url"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/gluewheel/gluewheel/admin/audit"
	"github.com/gluewheel/gluewheel/admin/auth"
	"github.com/gluewheel/gluewheel/admin/job"
)

// Single sign-on goes by redirects, so its two addresses stand outside the JSON API.
const (
	pathOIDCLogin    = "/oidc/login"
	pathOIDCCallback = "/oidc/callback"

	oidcCookie = "gw_oidc"
	// oidcTime is how long somebody may take at the identity provider.
	oidcTime = 10 * time.Minute
	// loginPage asks whoever is not logged in to log in, and says why single sign-on
	// failed by its parameter sso_error.
	loginPage = "/"
)

// oidcLogin sends the browser to the identity provider. What it must bring back stays in
// a cookie of its own: the provider's redirect comes from another site, so that cookie
// is Lax, and lies at these paths only.
func (s *server) oidcLogin(c *fiber.Ctx) error {
	if s.deps.OIDC == nil {
		return fiber.ErrNotFound
	}
	ctx, cancel := context.WithTimeout(c.UserContext(), requestTime)
	defer cancel()
	to, pending, err := s.deps.OIDC.Begin(ctx)
	if err != nil {
		return s.oidcFailed(c, err)
	}
	kept, err := json.Marshal(pending)
	if err != nil {
		return err
	}
	c.Cookie(s.oidcKept(c, base64.RawURLEncoding.EncodeToString(kept), oidcTime))
	return c.Redirect(to, http.StatusSeeOther)
}

func (s *server) oidcKept(c *fiber.Ctx, value string, age time.Duration) *fiber.Cookie {
	return &fiber.Cookie{
		Name: oidcCookie, Value: value, Path: prefix + "/oidc", MaxAge: int(age.Seconds()), HTTPOnly: true,
		Secure: c.Secure(), SameSite: fiber.CookieSameSiteLaxMode,
	}
}

// oidcCallback takes what the provider sent along, and begins a session.
func (s *server) oidcCallback(c *fiber.Ctx) error {
	if s.deps.OIDC == nil {
		return fiber.ErrNotFound
	}
	ctx, cancel := context.WithTimeout(c.UserContext(), requestTime)
	defer cancel()
	from := fiberClient(c)
	ctx = audit.With(ctx, job.AuditEntry{
		ActorKind: job.ActorUser, Action: "oidcLogin", Address: from.Addr.String(), RequestID: requestID(ctx),
	})
	_, secret, err := s.deps.OIDC.Finish(ctx, pendingOf(c), c.Query("state"), c.Query("code"), from)
	gone := s.oidcKept(c, "", 0)
	gone.Expires = fasthttpPast
	c.Cookie(gone)
	if err != nil {
		s.noteLogin(ctx, "", from.Addr, err)
		return s.oidcFailed(c, err)
	}
	c.Cookie(&fiber.Cookie{
		Name: cookieName, Value: secret, Path: "/", MaxAge: int(auth.SessionLife.Seconds()), HTTPOnly: true,
		Secure: c.Secure(), SameSite: fiber.CookieSameSiteStrictMode,
	})
	return c.Redirect("/", http.StatusSeeOther)
}

// fasthttpPast is an instant at which a cookie has expired for every browser.
var fasthttpPast = time.Unix(1, 0)

func fiberClient(c *fiber.Ctx) auth.Client {
	addr, err := netip.ParseAddrPort(c.Context().RemoteAddr().String())
	if err != nil {
		return auth.Client{UserAgent: c.Get(fiber.HeaderUserAgent), Session: c.Cookies(cookieName)}
	}
	return auth.Client{Addr: addr.Addr().Unmap(), UserAgent: c.Get(fiber.HeaderUserAgent), Session: c.Cookies(cookieName)}
}

// pendingOf is what the cookie keeps; a broken one is as good as none.
func pendingOf(c *fiber.Ctx) auth.Pending {
	var p auth.Pending
	text, err := base64.RawURLEncoding.DecodeString(c.Cookies(oidcCookie))
	if err != nil || json.Unmarshal(text, &p) != nil {
		return auth.Pending{}
	}
	return p
}

// oidcFailed brings the browser back to the login, with a word that the page explains.
func (s *server) oidcFailed(c *fiber.Ctx, err error) error {
	word := "failed"
	switch {
	case errors.Is(err, auth.ErrWrongLogin):
		word = "disabled"
	case errors.Is(err, auth.ErrSSOName):
		word = "name_taken"
	case !errors.Is(err, auth.ErrSSO) && s.deps.Unavailable(err):
		word = "unavailable"
	}
	s.log.WarnContext(c.UserContext(), "single sign-on failed", "reason", word, "err", err)
	return c.Redirect(loginPage+"?sso_error="+url.QueryEscape(word), http.StatusSeeOther)
}
