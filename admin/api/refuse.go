package api

import (
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humafiber"
)

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

// checkCondition refuses If-Match where it is not looked at: a precondition that is
// ignored is worse than none.
func checkCondition(hc huma.Context) error {
	if hc.Method() == http.MethodGet || hc.Header("If-Match") == "" {
		return nil
	}
	for _, p := range hc.Operation().Parameters {
		if p.In == "header" && p.Name == "If-Match" {
			return nil
		}
	}
	p := newProblem(http.StatusBadRequest, "This operation takes no If-Match. Leave it out.")
	p.Errors = []*huma.ErrorDetail{{Location: "header.If-Match", Message: "It is not looked at here."}}
	return p
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
