package api

import (
	"net/url"

	"github.com/danielgtaylor/huma/v2"
)

// humaContext names huma's interface so that it can be embedded: it has a method Context.
type humaContext = huma.Context

// decoded gives the parameters of a path without their percent-encoding, which fiber
// leaves in: sha256%3Aab is sha256:ab.
type decoded struct{ humaContext }

// Param implements huma.Context.
func (d decoded) Param(name string) string {
	raw := d.humaContext.Param(name)
	text, err := url.PathUnescape(raw)
	if err != nil { // the guard has parsed the address: this cannot be
		return raw
	}
	return text
}

// Unwrap lets humafiber find its own.
func (d decoded) Unwrap() huma.Context { return d.humaContext }
