package api

import (
	"context"
	"errors"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gofiber/fiber/v2"

	"github.com/gluewheel/gluewheel/admin/auth"
)

const (
	cookieName = "gw_session"
	// requestTime bounds one request but an upload; fiber's contexts have no end.
	requestTime = 15 * time.Second
)

// caller is who asks, and for which right: what the guard found out.
type caller struct {
	auth.Identity
	right  auth.Right
	method string
}

// Groups are those that lists are cut down to, by the right that the operation needs:
// nil for all, and never nil otherwise.
func (c caller) Groups() []int32 {
	groups, _ := c.GroupsWith(c.right)
	return groups
}

// own are the rights that concern the caller alone: they are those of who asks.
var own = []auth.Right{auth.Public, auth.Self, auth.AccountOwn, auth.TokenOwn}

type callerKey struct{}

func callerOf(ctx context.Context) caller {
	c, _ := ctx.Value(callerKey{}).(caller)
	return c
}

// allow is the one place where a right on an object is checked: on the group of the
// object as it was loaded.
func allow(ctx context.Context, groupID int32) error {
	if c := callerOf(ctx); !c.May(c.right, groupID) {
		return auth.ErrForbidden
	}
	return nil
}

// guard lets a request through to its operation. It bounds it in time, refuses what
// could be forged by another site, and asks who is there.
func (s *server) guard(r route) func(huma.Context, func(huma.Context)) {
	limit := max(r.time, requestTime)
	return func(hc huma.Context, next func(huma.Context)) {
		ctx, cancel := context.WithTimeout(hc.Context(), limit)
		defer cancel()
		if p := checkURL(hc); p != nil {
			s.refuse(hc, p)
			return
		}
		if p := checkOrigin(hc); p != nil {
			s.refuse(hc, p)
			return
		}
		if p := checkCondition(hc); p != nil {
			s.refuse(hc, p)
			return
		}
		c := caller{right: r.right, method: r.method}
		if r.right != auth.Public {
			var err error
			if c.Identity, err = s.identify(ctx, hc); err != nil {
				s.refuse(hc, s.problem(ctx, err))
				return
			}
		}
		if r.method == http.MethodGet && !slices.Contains(own, r.right) {
			c.Identity = c.ForReading()
		}
		if !c.Holds(r.right) {
			s.refuse(hc, s.problem(ctx, auth.ErrForbidden))
			return
		}
		ctx = context.WithValue(s.beginNote(ctx, hc, r, c), callerKey{}, c)
		next(huma.WithContext(decoded{hc}, ctx))
	}
}

// needLogin lets a request through to what is no operation, for whoever is logged in.
func (s *server) needLogin(c *fiber.Ctx) error {
	ctx, cancel := context.WithTimeout(c.UserContext(), requestTime)
	defer cancel()
	_, err := s.whoIs(ctx, c.Get(fiber.HeaderAuthorization), c.Cookies(cookieName))
	if err == nil {
		return c.Next()
	}
	p, ok := errors.AsType[*huma.ErrorModel](s.problem(ctx, err))
	if !ok {
		p = newProblem(http.StatusServiceUnavailable, "This cannot be told at present. Try again in a moment.")
	}
	return writeProblem(c, p.Status, p.Detail)
}

// identify asks who is there: a program with an API token, or a person with a session.
// Whoever sends a token is judged by it alone.
func (s *server) identify(ctx context.Context, hc huma.Context) (auth.Identity, error) {
	return s.whoIs(ctx, hc.Header("Authorization"), sessionToken(hc))
}

func (s *server) whoIs(ctx context.Context, header, session string) (auth.Identity, error) {
	if header == "" {
		return s.deps.Auth.Authenticate(ctx, session)
	}
	scheme, token, _ := strings.Cut(header, " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return auth.Identity{}, auth.ErrNoSession
	}
	return s.deps.Auth.AuthenticateToken(ctx, strings.TrimSpace(token))
}

// refuse writes a problem in place of the operation.
func (s *server) refuse(hc huma.Context, err error) {
	if withHeaders, ok := errors.AsType[huma.HeadersError](err); ok {
		for name, values := range withHeaders.GetHeaders() {
			for _, v := range values {
				hc.SetHeader(name, v)
			}
		}
	}
	p, ok := errors.AsType[*huma.ErrorModel](err)
	if !ok {
		p = newProblem(http.StatusInternalServerError, details[http.StatusInternalServerError])
	}
	// Its own error is that the client has gone; huma has logged it.
	_ = huma.WriteErr(s.huma, hc, p.Status, p.Detail, errorsOf(p)...)
}

func errorsOf(p *huma.ErrorModel) []error {
	out := make([]error, len(p.Errors))
	for i, d := range p.Errors {
		out[i] = d
	}
	return out
}

func sessionToken(hc huma.Context) string {
	if c, err := huma.ReadCookie(hc, cookieName); err == nil {
		return c.Value
	}
	return ""
}

// clientAddr is the peer's address; the zero value when it cannot be told.
func clientAddr(hc huma.Context) netip.Addr {
	ap, err := netip.ParseAddrPort(hc.RemoteAddr())
	if err != nil {
		return netip.Addr{}
	}
	return ap.Addr()
}

// overTLS tells whether the browser speaks TLS, with us or with the proxy before us.
func overTLS(hc huma.Context) bool {
	return hc.TLS() != nil || strings.EqualFold(hc.Header("X-Forwarded-Proto"), "https")
}

// headers stand on every answer of the API: it is no page, and is nobody else's. The
// request's id is among them.
func headers(c *fiber.Ctx) error {
	for name, value := range securityHeaders {
		c.Set(name, value)
	}
	c.Set(requestIDHeader, requestID(c.UserContext()))
	return c.Next()
}

var securityHeaders = map[string]string{
	"Cache-Control":                "no-store",
	"Content-Security-Policy":      "default-src 'none'; frame-ancestors 'none'",
	"Cross-Origin-Resource-Policy": "same-origin",
	"Referrer-Policy":              "no-referrer",
	"X-Content-Type-Options":       "nosniff",
	"X-Frame-Options":              "DENY",
}

// onlyMethods answers requests to known paths with other methods.
func onlyMethods(methods []string) fiber.Handler {
	slices.Sort(methods)
	allowed := strings.Join(methods, ", ")
	return func(c *fiber.Ctx) error {
		c.Set(fiber.HeaderAllow, allowed)
		return fiber.ErrMethodNotAllowed
	}
}
