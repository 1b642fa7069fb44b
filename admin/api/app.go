package api

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/gluewheel/gluewheel/admin/bundle"
	"github.com/gluewheel/gluewheel/executor/protocol"
	"github.com/gluewheel/gluewheel/glue"
)

const (
	// maxBody is the most bytes of a request to anything but an upload and the executors'
	// callbacks. Operations have smaller limits.
	maxBody = protocol.MaxBody
	// readTimeout bounds the reading of a request. Uploads have longer, see uploadTime.
	readTimeout  = 20 * time.Second
	writeTimeout = 60 * time.Second
	idleTimeout  = 100 * time.Second // above the 90 s for which Java clients keep connections
	// maxHeader is the most bytes of a request's line and headers. fasthttp's default of
	// 4 KiB is less than some proxies add.
	maxHeader = 16 << 10
	// prefix is where the API lies.
	prefix = "/api/v1"
)

// NewApp makes the admin's one fiber app, on which the API, the executors' endpoints
// and the web UI are mounted. Its settings are what this package relies on:
//
//   - Immutable, because handlers keep strings of a request.
//   - Bodies are streamed, so that an upload does not lie in memory before somebody has
//     asked who sends it; all others are read here, up to maxBody, before their handler.
//   - Form bodies are not parsed ahead: fiber would write them to temporary files,
//     whatever their size.
func NewApp(log *slog.Logger) *fiber.App {
	app := fiber.New(fiber.Config{
		AppName:                      "gluewheel",
		Immutable:                    true,
		StreamRequestBody:            true,
		BodyLimit:                    maxBody,
		ReadBufferSize:               maxHeader,
		DisablePreParseMultipartForm: true,
		DisableStartupMessage:        true,
		ReadTimeout:                  readTimeout,
		WriteTimeout:                 writeTimeout,
		IdleTimeout:                  idleTimeout,
		ErrorHandler:                 errorHandler(log),
	})
	app.Use(nameRequest, recoverPanics(log), readBody)
	return app
}

// errorHandler answers what no handler has answered: unknown paths, broken requests.
func errorHandler(log *slog.Logger) fiber.ErrorHandler {
	return func(c *fiber.Ctx, err error) error {
		status := http.StatusInternalServerError
		if e, ok := errors.AsType[*fiber.Error](err); ok {
			status = e.Code
		} else {
			log.ErrorContext(c.UserContext(), "request failed", "path", c.Path(), "err", err)
		}
		return writeProblem(c, status, details[status])
	}
}

// details are the sentences for statuses that come without one.
var details = map[int]string{
	http.StatusNotFound:            "There is nothing at this path.",
	http.StatusMethodNotAllowed:    "This path does not take this method. See the Allow header.",
	http.StatusInternalServerError: internalDetail,
}

// writeProblem is for answers outside huma.
func writeProblem(c *fiber.Ctx, status int, detail string) error {
	p := newProblem(status, detail)
	nameFailure(c.UserContext(), p)
	err := c.Status(status).JSON(p)
	c.Set(fiber.HeaderContentType, "application/problem+json")
	return err
}

// recoverPanics keeps a bug in one handler from ending the admin.
func recoverPanics(log *slog.Logger) fiber.Handler {
	return func(c *fiber.Ctx) (err error) {
		defer func() {
			if r := recover(); r != nil {
				log.ErrorContext(c.UserContext(), "handler panicked", "method", c.Method(), "path", c.Path(), "panic", r, "stack", string(debug.Stack()))
				c.Context().SetConnectionClose()
				err = fiber.ErrInternalServerError
			}
		}()
		return c.Next()
	}
}

// readBody reads the whole body before the handler, up to maxBody; an upload's is left
// to its handler. fasthttp does not skip what nobody reads of a streamed body, and would
// take the rest for the next request: such a connection is closed.
func readBody(c *fiber.Ctx) error {
	stream := c.Request().BodyStream()
	if stream == nil {
		return c.Next()
	}
	if most := uploadBytes(c); most > 0 {
		c.Context().SetConnectionClose()
		u := &upload{r: stream}
		c.Locals(uploadKey{}, u)
		err := c.Next()
		drain(u, most)
		return err
	}
	size := c.Request().Header.ContentLength()
	if size > maxBody && size <= protocol.MaxCallback && isCallback(c) {
		c.Context().SetConnectionClose()
		err := c.Next()
		drain(stream, glue.MaxArtifact)
		return err
	}
	if size > maxBody {
		return tooLarge(c, stream)
	}
	content, err := io.ReadAll(io.LimitReader(stream, maxBody+1))
	switch {
	case err != nil:
		c.Context().SetConnectionClose()
		return writeProblem(c, http.StatusBadRequest, "The body could not be read to its end.")
	case len(content) > maxBody:
		return tooLarge(c, stream)
	}
	c.Request().SetBodyStream(bytes.NewReader(content), len(content))
	return c.Next()
}

// drain reads what is left, within reason: a client that is still sending when the
// connection closes does not see the answer. The read timeout bounds it.
func drain(stream io.Reader, most int64) {
	// Its error is that the client has gone, or has more than that to say.
	_, _ = io.Copy(io.Discard, io.LimitReader(stream, most))
}

func tooLarge(c *fiber.Ctx, rest io.Reader) error {
	c.Context().SetConnectionClose()
	drain(rest, glue.MaxArtifact)
	return writeProblem(c, http.StatusRequestEntityTooLarge, fmt.Sprintf("The body is larger than %d bytes. Send less.", maxBody))
}

// isCallback tells results of executors, which may be more than other requests. Large
// ones are read by their handler, once it has looked at the token in the headers.
func isCallback(c *fiber.Ctx) bool {
	return c.Method() == fiber.MethodPost && slices.Contains(callbackPaths, strings.TrimRight(c.Path(), "/"))
}

var callbackPaths = []string{"/api/callback", "/xxl-job-admin/api/callback"}

// uploadBytes is how many bytes an upload may have; 0 for other requests.
func uploadBytes(c *fiber.Ctx) int64 {
	if c.Method() != fiber.MethodPost {
		return 0
	}
	switch strings.TrimRight(c.Path(), "/") {
	case prefix + pathArtifacts:
		return glue.MaxArtifact
	case prefix + pathImportPlan, prefix + pathImportApply:
		return bundle.MaxText
	default:
		return 0
	}
}

// upload is the streamed body of an upload. It is read to its end once: fasthttp's
// stream, asked again after the end of a chunked body, waits for another chunk.
type upload struct {
	r   io.Reader
	err error // io.EOF at the end
}

type uploadKey struct{}

// uploadOf is the upload that a request carries; an empty one if it carries none.
func uploadOf(c *fiber.Ctx) *upload {
	if u, ok := c.Locals(uploadKey{}).(*upload); ok {
		return u
	}
	return &upload{err: io.EOF}
}

func (u *upload) Read(p []byte) (n int, err error) {
	if u.err == nil {
		n, u.err = u.r.Read(p)
	}
	return n, u.err
}
