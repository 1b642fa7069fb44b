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
	right auth.Right
}

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
		c := caller{right: r.right}
		if r.right != auth.Public {
			var err error
			if c.Identity, err = s.deps.Auth.Authenticate(ctx, sessionToken(hc)); err != nil {
				s.refuse(hc, s.problem(ctx, err))
				return
			}
		}
		if !c.Holds(r.right) {
			s.refuse(hc, s.problem(ctx, auth.ErrForbidden))
			return
		}
		next(huma.WithContext(hc, context.WithValue(ctx, callerKey{}, c)))
	}
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

// headers stand on every answer of the API: it is no page, and is nobody else's.
func headers(c *fiber.Ctx) error {
	for name, value := range securityHeaders {
		c.Set(name, value)
	}
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
