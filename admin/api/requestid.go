package api

import (
	"context"
	"crypto/rand"
	"log/slog"
	"net/http"
	"regexp"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gofiber/fiber/v2"
)

// Each request has an id, by which its answer, its entry in the audit log and the lines
// that were logged for it are brought together.

const requestIDHeader = "X-Request-Id"

// sane is what is taken over as a request's id from a proxy or a client.
var sane = regexp.MustCompile(`^[A-Za-z0-9._-]{1,64}$`)

type requestIDKey struct{}

// nameRequest puts the id into the context of the request. Executors are not told it:
// their protocol knows no such header.
func nameRequest(c *fiber.Ctx) error {
	id := c.Get(requestIDHeader)
	if !sane.MatchString(id) {
		id = rand.Text()
	}
	c.SetUserContext(context.WithValue(c.UserContext(), requestIDKey{}, id))
	return c.Next()
}

// requestID is that of the request which ctx belongs to; empty for none.
func requestID(ctx context.Context) string {
	id, _ := ctx.Value(requestIDKey{}).(string)
	return id
}

// nameFailure says in a problem that is the server's fault which request it was.
func nameFailure(ctx context.Context, p *huma.ErrorModel) {
	id := requestID(ctx)
	if id == "" || p.Status < http.StatusInternalServerError {
		return
	}
	p.Instance = "urn:gluewheel:request:" + id
	if p.Detail == internalDetail {
		p.Detail += " Look for request_id=" + id + " there."
	}
}

// LogHandler writes lines with the id of the request that they were written for, as
// request_id, where their context belongs to one.
func LogHandler(next slog.Handler) slog.Handler { return requestLog{next} }

type requestLog struct{ slog.Handler }

// Handle implements [slog.Handler].
func (h requestLog) Handle(ctx context.Context, r slog.Record) error {
	if id := requestID(ctx); id != "" {
		r = r.Clone()
		r.AddAttrs(slog.String("request_id", id))
	}
	return h.Handler.Handle(ctx, r)
}

// WithAttrs implements [slog.Handler].
func (h requestLog) WithAttrs(attrs []slog.Attr) slog.Handler {
	return requestLog{h.Handler.WithAttrs(attrs)}
}

// WithGroup implements [slog.Handler].
func (h requestLog) WithGroup(name string) slog.Handler {
	return requestLog{h.Handler.WithGroup(name)}
}
