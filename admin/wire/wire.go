package wire

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/goccy/go-json"
	"github.com/gofiber/fiber/v2"

	"github.com/gluewheel/gluewheel/admin/job"
	"github.com/gluewheel/gluewheel/executor/protocol"
)

// registry keeps executors.
type registry interface {
	Beat(b job.Beat) error
	Remove(ctx context.Context, appName, address string) error
	Target(address string) job.Target
}

// completer ends runs, and returns after the commit.
type completer interface {
	EndStarted(ctx context.Context, endings []job.Ending) error
}

// grants tells which artifact an open run may fetch, and where it was sent.
type grants interface {
	RunArtifact(ctx context.Context, h job.Hold) (digest, address string, err error)
}

// artifacts holds content by digest; job.ErrNotFound when there is none.
type artifacts interface {
	ArtifactContent(ctx context.Context, digest string) ([]byte, error)
}

// Deps are what the endpoints need; everything is required but Token, without which
// nobody is let in.
type Deps struct {
	// Token is the one that executors send.
	Token     string
	Registry  registry
	Complete  completer
	Grants    grants
	Artifacts artifacts
	Log       *slog.Logger
}

// requestTimeout bounds a request; Java executors wait 3 s.
const requestTimeout = 2500 * time.Millisecond

// handler serves the endpoints.
type handler struct {
	Deps
	log   *slog.Logger
	token [sha256.Size]byte // of a digest, so that comparing tells no length
}

// Mount adds the endpoints to an app that was made with Immutable, so that what is
// kept of a request stays as it is.
func Mount(r fiber.Router, d Deps) error {
	if d.Registry == nil || d.Complete == nil || d.Grants == nil || d.Artifacts == nil || d.Log == nil {
		return errors.New("mount executor endpoints: Registry, Complete, Grants, Artifacts and Log are required")
	}
	h := &handler{Deps: d, log: d.Log.With("component", "wire"), token: sha256.Sum256([]byte(d.Token))}
	if d.Token == "" {
		h.log.Warn("no executor token is configured: all executors are refused")
	}
	for _, prefix := range []string{"/api", "/xxl-job-admin/api"} {
		r.All(prefix, h.serve)
		r.All(prefix+"/:name", h.serve)
	}
	r.Get("/gw/artifact/:digest", h.artifact)
	return nil
}

// action is what one name of the protocol does with a body.
type action func(h *handler, ctx context.Context, c *fiber.Ctx, body []byte) error

var actions = map[string]action{
	"registry":       (*handler).registry,
	"registryRemove": (*handler).registryRemove,
	"callback":       (*handler).callback,
}

// refusal is an answer in the protocol's own words.
type refusal string

func (r refusal) Error() string { return string(r) }

// serve checks in the order of XXL-JOB's admin (3.3 and later), acts and answers.
func (h *handler) serve(c *fiber.Ctx) error {
	ctx, cancel := context.WithTimeout(c.UserContext(), requestTimeout)
	defer cancel()
	err := h.act(ctx, c)
	if said, ok := errors.AsType[refusal](err); ok {
		return answer(c, protocol.CodeFail, string(said))
	}
	if err != nil {
		return answer(c, protocol.CodeFail, "openapi invoke error: "+err.Error())
	}
	return answer(c, protocol.CodeOK, protocol.MsgSuccess)
}

func (h *handler) act(ctx context.Context, c *fiber.Ctx) error {
	name, body := c.Params("name"), c.Body()
	switch {
	case c.Method() != fiber.MethodPost:
		return refusal(protocol.MsgBadMethod)
	case strings.TrimSpace(name) == "":
		return refusal(protocol.MsgNoPath)
	case len(strings.TrimSpace(string(body))) == 0:
		return refusal(protocol.MsgEmptyBody)
	}
	if err := h.authenticate(c); err != nil {
		return err
	}
	act, ok := actions[name]
	if !ok {
		return refusal(fmt.Sprintf(protocol.MsgUnknownPath, name))
	}
	return act(h, ctx, c, body)
}

// Texts of 3.5, which wants both headers.
const (
	msgNoCredentials  = "invalid request, accessToken or appname is empty."
	msgBadCredentials = "invalid request, accessToken or appname invalid."
)

// authenticate compares the token in constant time and fails closed. Peers that send
// an app name get 3.5's texts.
func (h *handler) authenticate(c *fiber.Ctx) error {
	token := c.Get(protocol.HeaderToken)
	given := sha256.Sum256([]byte(token))
	ok := h.Token != "" && subtle.ConstantTimeCompare(given[:], h.token[:]) == 1
	switch {
	case ok:
		return nil
	case c.Get(protocol.HeaderAppName) == "":
		return refusal(protocol.MsgBadToken)
	case token == "":
		return refusal(msgNoCredentials)
	default:
		return refusal(msgBadCredentials)
	}
}

// envelope is read by 2.x (content) and 3.x (data) clients alike.
type envelope struct {
	Code    int     `json:"code"`
	Msg     string  `json:"msg"`
	Content *string `json:"content"`
	Data    *string `json:"data"`
}

func answer(c *fiber.Ctx, code int, msg string) error {
	raw, err := json.Marshal(envelope{Code: code, Msg: msg})
	if err != nil {
		return fmt.Errorf("write answer: %w", err)
	}
	c.Set(fiber.HeaderContentType, protocol.ContentType)
	return c.Status(fiber.StatusOK).Send(raw)
}
