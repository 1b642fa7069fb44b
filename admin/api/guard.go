package api

import (
	"context"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humafiber"
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

// checkURL refuses addresses that huma cannot parse, which would make it panic, and
// texts that PostgreSQL cannot store. Each parameter may stand there once.
func checkURL(hc huma.Context) error {
	u, err := url.Parse(string(humafiber.Unwrap(hc).Request().RequestURI()))
	if err != nil {
		return newProblem(http.StatusBadRequest, "The address is not a valid URL.")
	}
	if !storable(u.Path) {
		return newProblem(http.StatusBadRequest, "The address contains NUL characters or is not valid UTF-8.")
	}
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return newProblem(http.StatusBadRequest, "The query of the address is not well encoded.")
	}
	for name, values := range query {
		switch {
		case !storable(name) || !storable(values[0]):
			return queryProblem(name, "This contains NUL characters or is not valid UTF-8.")
		case len(values) > 1:
			return queryProblem(name, "This stands there more than once. Separate several values by commas.")
		}
	}
	return nil
}

func storable(text string) bool { return utf8.ValidString(text) && !strings.ContainsRune(text, 0) }

func queryProblem(name, message string) error {
	p := newProblem(http.StatusUnprocessableEntity, invalidInput)
	p.Errors = []*huma.ErrorDetail{{Location: "query." + strings.ToValidUTF8(name, "?"), Message: message}}
	tidy(p)
	return p
}

// checkOrigin keeps other sites from acting with the session of a user who visits them.
// The cookie is SameSite=Strict; this does not rely on it alone. Browsers tell where a
// request comes from, and a form cannot send our media types.
func checkOrigin(hc huma.Context) error {
	method := hc.Method()
	if method == http.MethodGet || method == http.MethodHead {
		return nil
	}
	if site := hc.Header("Sec-Fetch-Site"); site != "" && site != "same-origin" && site != "none" {
		return newProblem(http.StatusForbidden, "Requests from other sites are refused.")
	}
	if origin := hc.Header("Origin"); origin != "" {
		u, err := url.Parse(origin)
		if err != nil || !strings.EqualFold(u.Host, hc.Host()) || u.Host == "" {
			return newProblem(http.StatusForbidden, "Requests from other origins are refused. If a proxy stands before gluewheel, it must pass on the Host header.")
		}
	}
	return checkMedia(hc)
}

// checkMedia demands the media type of the operation. A request without a body and
// without a type passes: a browser sends its Origin with it.
func checkMedia(hc huma.Context) error {
	want := "application/json"
	if b := hc.Operation().RequestBody; b != nil && b.Content[want] == nil {
		for t := range b.Content {
			want = t
		}
	}
	given := hc.Header("Content-Type")
	if given == "" && humafiber.Unwrap(hc).Request().Header.ContentLength() <= 0 {
		return nil
	}
	if t, _, err := mime.ParseMediaType(given); err != nil || t != want {
		return newProblem(http.StatusUnsupportedMediaType, fmt.Sprintf("Send the body as %s, and say so in the Content-Type header.", want))
	}
	return nil
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
