package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humafiber"
	"github.com/gofiber/fiber/v2"

	"github.com/gluewheel/gluewheel/admin/auth"
	"github.com/gluewheel/gluewheel/admin/job"
	"github.com/gluewheel/gluewheel/admin/report"
	"github.com/gluewheel/gluewheel/admin/seal"
	"github.com/gluewheel/gluewheel/glue"
	"github.com/gluewheel/gluewheel/runtime"
)

// Store is the database as the API needs it.
type Store interface {
	groupStore
	jobStore
	codeStore
	runStore
	draftStore
	alarmStore
	secretStore
	rerunStore
	reportStore
	undoer
	bundleStore
	accountStore
	auditStore
	groupTokenStore
	waitingStore
	Executors(ctx context.Context) ([]job.Executor, error)
}

// Schedule computes instants.
type Schedule interface {
	// Next is the first fire strictly after t, or the zero time if there is none.
	Next(t time.Time) time.Time
}

// Deps are the parts of the admin behind the API. All are required.
type Deps struct {
	Log   *slog.Logger
	Store Store
	Auth  *auth.Auth

	// Schedule compiles a schedule; an empty zone is the server's. NONE is never asked
	// for. What is wrong with it is told by a *job.FieldError.
	Schedule func(t job.Timing) (Schedule, error)
	// Fired hands over a run that the API has planned.
	Fired func([]job.Fire)
	// Kill ends an open run, or asks its executor to; by names the user.
	// job.ErrEnded when it has ended already.
	Kill func(ctx context.Context, r job.Run, by string) error
	// ReadLog reads a run's log at its executor, from a line on (1-based).
	ReadLog func(ctx context.Context, r job.Run, fromLine int) (job.LogPiece, error)
	// CheckSource looks for mistakes in code, without running it: a *job.CodeError.
	CheckSource func(ctx context.Context, t glue.Type, source string) error
	// FindProblems tells what is wrong with a source of a type, without running it.
	FindProblems func(ctx context.Context, glueType, source string) ([]runtime.Problem, error)
	// Inspect describes a WebAssembly module as a JSON object, or refuses it with a
	// *job.CodeError.
	Inspect func(ctx context.Context, module []byte) (json.RawMessage, error)

	// Forecast tells how many fires each of the coming minutes has, in groups (nil = all).
	Forecast func(ctx context.Context, groups []int32, now time.Time, minutes int) (report.Outlook, error)

	// Ready says why jobs cannot fire at present; nil when they can.
	Ready func(ctx context.Context) error
	// Unavailable tells whether an error of Store means that the database is away.
	Unavailable func(error) bool
	// Vault keeps the secrets of groups.
	Vault Vault
	// Alarms knows the channels of alarms.
	Alarms Alarms
	// TrustedProxies are peers whose X-Forwarded-For is believed. Default: none.
	TrustedProxies []netip.Prefix
	// OIDC logs people in with an identity provider; nil when there is none.
	OIDC *auth.OIDC
	// Seal keeps the tokens of executors; without a key none can be made.
	Seal seal.Ring
	// Warnings are what the installation's admins should know; nil = there are none.
	Warnings func() []string
	// System is told to those who are logged in.
	System SystemInfo
}

// SystemInfo describes the installation.
type SystemInfo struct {
	Version  string
	TimeZone string // IANA name of the zone that schedules without one use
}

func (d *Deps) check() error {
	for name, missing := range map[string]bool{
		"Log": d.Log == nil, "Store": d.Store == nil, "Auth": d.Auth == nil, "Schedule": d.Schedule == nil,
		"Fired": d.Fired == nil, "Kill": d.Kill == nil, "ReadLog": d.ReadLog == nil,
		"CheckSource": d.CheckSource == nil, "Inspect": d.Inspect == nil, "Ready": d.Ready == nil,
		"Unavailable": d.Unavailable == nil, "FindProblems": d.FindProblems == nil, "Forecast": d.Forecast == nil,
	} {
		if missing {
			return fmt.Errorf("api: %s is required", name)
		}
	}
	return nil
}

type server struct {
	deps Deps
	log  *slog.Logger
	huma huma.API
	// uploads bounds how many modules lie in memory at once: 16 MiB each, and as much
	// again on their way to the database.
	uploads chan struct{}
	// bundles bounds how many are exported and imported at once.
	bundles chan struct{}
	// downloads bounds how many lie there while they are sent: 16 MiB each.
	downloads chan struct{}
}

const (
	schemaPrefix   = "#/components/schemas/"
	securityScheme = "session"
	tokenScheme    = "token"
	uploadsAtOnce  = 2
	bundlesAtOnce  = 2
	// downloadsAtOnce is more: the slowest client keeps its place until the write timeout.
	downloadsAtOnce = 8
)

// Mount puts the API, /healthz and /readyz on an app made by NewApp.
func Mount(app *fiber.App, deps Deps) error {
	if err := deps.check(); err != nil {
		return err
	}
	if c := app.Config(); !c.Immutable || !c.StreamRequestBody {
		return errors.New("api: the app was not made by NewApp")
	}
	s := &server{
		deps: deps, log: deps.Log.With("component", "api"),
		uploads: make(chan struct{}, uploadsAtOnce), bundles: make(chan struct{}, bundlesAtOnce), downloads: make(chan struct{}, downloadsAtOnce),
	}
	app.Get("/healthz", headers, s.healthz)
	app.Get("/readyz", headers, s.readyz)
	group := app.Group(prefix, headers, behindProxies(deps.TrustedProxies))
	document, err := s.register(app, group)
	if err != nil {
		return err
	}
	group.Get(pathOIDCLogin, s.oidcLogin)
	group.Get(pathOIDCCallback, s.oidcCallback)
	group.Get(pathOpenAPI, s.needLogin, func(c *fiber.Ctx) error {
		c.Set(fiber.HeaderContentType, "application/openapi+json")
		return c.Send(document)
	})
	if err := s.mountDocs(group, s.needLogin); err != nil {
		return err
	}
	s.refuseRest(group)
	return nil
}

// Document is the OpenAPI description of the API.
func Document() ([]byte, error) {
	app := NewApp(slog.New(slog.DiscardHandler))
	return (&server{}).register(app, app.Group(prefix))
}

// register puts the operations on the group and describes them.
func (s *server) register(app *fiber.App, group fiber.Router) (document []byte, err error) {
	s.huma = humafiber.NewWithGroup(app, group, humaConfig())
	for _, r := range s.routes() {
		r.bind(s, s.operation(r))
	}
	document, err = json.MarshalIndent(s.huma.OpenAPI(), "", "  ")
	if err != nil {
		return nil, fmt.Errorf("describe api: %w", err)
	}
	return append(document, '\n'), nil
}

// refuseRest answers what is below prefix and is no operation.
func (s *server) refuseRest(group fiber.Router) {
	methods := map[string][]string{
		pathOpenAPI: {http.MethodGet}, pathOIDCLogin: {http.MethodGet}, pathOIDCCallback: {http.MethodGet},
		pathDocs: {http.MethodGet}, pathDocs + "/page.css": {http.MethodGet}, pathDocs + "/page.js": {http.MethodGet},
	}
	for _, r := range s.routes() {
		p := strings.NewReplacer("{", ":", "}", "").Replace(r.path)
		methods[p] = append(methods[p], r.method)
	}
	for p, m := range methods {
		group.All(p, onlyMethods(m))
	}
	group.Use(func(*fiber.Ctx) error { return fiber.ErrNotFound })
}

const pathOpenAPI = "/openapi.json"

// humaConfig leaves out huma's own pages: they load scripts from outside.
func humaConfig() huma.Config {
	return huma.Config{
		OpenAPI: &huma.OpenAPI{
			OpenAPI: "3.1.0",
			Info: &huma.Info{
				Title:       "gluewheel",
				Version:     "1",
				Description: "Jobs, their live code and their runs. Log in with POST /login, the session is a cookie; or send an API token.",
			},
			Servers: []*huma.Server{{URL: prefix}},
			Components: &huma.Components{
				Schemas: huma.NewMapRegistry(schemaPrefix, schemaName),
				SecuritySchemes: map[string]*huma.SecurityScheme{
					securityScheme: {Type: "apiKey", In: "cookie", Name: cookieName},
					tokenScheme:    {Type: "http", Scheme: "bearer", Description: "An API token, gw_…"},
				},
			},
			Tags: tags,
		},
		Formats:                      map[string]huma.Format{"application/json": jsonFormat, "json": jsonFormat},
		DefaultFormat:                "application/json",
		RejectUnknownQueryParameters: true,
		Transformers:                 []huma.Transformer{tidyProblems},
	}
}
