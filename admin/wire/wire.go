package wire

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/goccy/go-json"
	"github.com/gofiber/fiber/v2"

	"github.com/gluewheel/gluewheel/admin/access"
	"github.com/gluewheel/gluewheel/admin/job"
	"github.com/gluewheel/gluewheel/executor/protocol"
)

// gate knows for whom a token speaks, and which groups there are.
type gate interface {
	Check(token, app string) (access.Pass, bool)
	Group(app string) int32
}

// registry keeps executors.
type registry interface {
	Beat(b job.Beat) error
	Remove(ctx context.Context, appName, address string) error
	Target(group int32, address string) job.Target
}

// completer ends runs, and returns after the commit.
type completer interface {
	EndStarted(ctx context.Context, endings []job.Ending) error
}

// grants tells what open runs may fetch, and to which groups runs belong.
type grants interface {
	RunArtifact(ctx context.Context, h job.Hold) (job.RunGrant, error)
	RunsOfGroups(ctx context.Context, ids []int64, groups []int32) ([]int64, error)
}

// artifacts holds content by digest; job.ErrNotFound when there is none.
type artifacts interface {
	ArtifactContent(ctx context.Context, digest string) ([]byte, error)
}

// Deps are what the endpoints need; everything is required.
type Deps struct {
	Access    gate
	Registry  registry
	Complete  completer
	Grants    grants
	Artifacts artifacts
	Runs      openRuns
	KV        kvStore
	Secrets   secrets
	Jobs      JobAPI
	Log       *slog.Logger
}

// requestTimeout bounds a request; Java executors wait 3 s.
const requestTimeout = 2500 * time.Millisecond

// handler serves the endpoints.
type handler struct {
	Deps
	log   *slog.Logger
	large chan struct{} // places for large callbacks
	rates rates
}

// Mount adds the endpoints to an app that was made with Immutable, so that what is
// kept of a request stays as it is.
func Mount(r fiber.Router, d Deps) error {
	if d.Runs == nil || d.KV == nil || d.Secrets == nil {
		return errors.New("mount executor endpoints: Runs, KV and Secrets are required")
	}
	if d.Access == nil || d.Registry == nil || d.Complete == nil || d.Grants == nil || d.Artifacts == nil || d.Log == nil {
		return errors.New("mount executor endpoints: Access, Registry, Complete, Grants, Artifacts and Log are required")
	}
	if err := d.Jobs.check(); err != nil {
		return err
	}
	h := &handler{Deps: d, log: d.Log.With("component", "wire"), large: make(chan struct{}, largeAtOnce)}
	for _, prefix := range []string{"/api", "/xxl-job-admin/api"} {
		r.All(prefix, h.serve)
		r.All(prefix+"/:name", h.serve)
	}
	// Executors put the path of the admin's address in front of these, too.
	for _, prefix := range []string{"", "/xxl-job-admin"} {
		r.Get(prefix+protocol.PathArtifact+":digest", h.artifact)
		r.Post(prefix+protocol.PathKV, h.kv)
		r.Post(prefix+protocol.PathSecret, h.secret)
	}
	return nil
}

// call is a request of the protocol that was let in.
type call struct {
	body []byte
	app  string // header of 3.5; "" from others
	access.Pass
}

// action is what one name of the protocol does. Its answer is the payload.
type action func(h *handler, ctx context.Context, c *fiber.Ctx, in *call) (*string, error)

var actions = map[string]action{
	"registry":       (*handler).registry,
	"registryRemove": (*handler).registryRemove,
	"callback":       (*handler).callback,
	"addJob":         jobAction((*handler).addJob),
	"updateJob":      jobAction((*handler).updateJob),
	"removeJob":      jobAction((*handler).removeJob),
	"startJob":       jobAction((*handler).startJob),
	"stopJob":        jobAction((*handler).stopJob),
	"triggerJob":     jobAction((*handler).triggerJob),
}

// refusal is an answer in the protocol's own words.
type refusal string

func (r refusal) Error() string { return string(r) }

// serve checks in the order of XXL-JOB's admin (3.3 and later), acts and answers.
func (h *handler) serve(c *fiber.Ctx) error {
	limit := requestTimeout
	if isLarge(c) {
		limit = largeTimeout
	}
	ctx, cancel := context.WithTimeout(c.UserContext(), limit)
	defer cancel()
	payload, err := h.act(ctx, c)
	if said, ok := errors.AsType[refusal](err); ok {
		return answer(c, protocol.CodeFail, string(said), nil)
	}
	switch {
	case errors.Is(err, errTooMany):
		return answer(c, protocol.CodeTimeout, err.Error(), nil)
	case err != nil:
		return answer(c, protocol.CodeFail, "openapi invoke error: "+err.Error(), nil)
	}
	return answer(c, protocol.CodeOK, protocol.MsgSuccess, payload)
}

func (h *handler) act(ctx context.Context, c *fiber.Ctx) (*string, error) {
	name := c.Params("name")
	switch {
	case c.Method() != fiber.MethodPost:
		return nil, refusal(protocol.MsgBadMethod)
	case strings.TrimSpace(name) == "":
		return nil, refusal(protocol.MsgNoPath)
	case !isLarge(c) && len(bytes.TrimSpace(c.Body())) == 0:
		return nil, refusal(protocol.MsgEmptyBody)
	}
	pass, err := h.authenticate(c)
	if err != nil {
		return nil, err
	}
	act, ok := actions[name]
	if !ok {
		return nil, refusal(fmt.Sprintf(protocol.MsgUnknownPath, name))
	}
	body, done, err := h.body(ctx, c)
	if err != nil {
		return nil, err
	}
	defer done()
	return act(h, ctx, c, &call{body: body, app: c.Get(protocol.HeaderAppName), Pass: pass})
}

// Texts of 3.5, which wants both headers.
const (
	msgNoCredentials  = "invalid request, accessToken or appname is empty."
	msgBadCredentials = "invalid request, accessToken or appname invalid."
)

// authenticate finds out for whom the request speaks, and fails closed. Peers that send
// an app name get 3.5's texts.
func (h *handler) authenticate(c *fiber.Ctx) (access.Pass, error) {
	token, app := c.Get(protocol.HeaderToken), c.Get(protocol.HeaderAppName)
	pass, ok := h.Access.Check(token, app)
	switch {
	case ok:
		return pass, nil
	case app == "":
		return access.Pass{}, refusal(protocol.MsgBadToken)
	case token == "":
		return access.Pass{}, refusal(msgNoCredentials)
	default:
		return access.Pass{}, refusal(msgBadCredentials)
	}
}

// sentHere reports whether the peer that asks is the executor to which a run of a group
// was sent.
func (h *handler) sentHere(c *fiber.Ctx, pass access.Pass, place job.RunPlace) bool {
	app := c.Get(protocol.HeaderAppName)
	return pass.May(app) && h.Registry.Target(place.GroupID, place.Address).AppName == app
}

// envelope is read by 2.x (content) and 3.x (data) clients alike.
type envelope struct {
	Code    int     `json:"code"`
	Msg     string  `json:"msg"`
	Content *string `json:"content"`
	Data    *string `json:"data"`
}

func answer(c *fiber.Ctx, code int, msg string, payload *string) error {
	raw, err := json.Marshal(envelope{Code: code, Msg: msg, Content: payload, Data: payload})
	if err != nil {
		return fmt.Errorf("write answer: %w", err)
	}
	c.Set(fiber.HeaderContentType, protocol.ContentType)
	return c.Status(fiber.StatusOK).Send(raw)
}
