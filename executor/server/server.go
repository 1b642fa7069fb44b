package server

import (
	"cmp"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/gofiber/fiber/v2/middleware/adaptor"
	"github.com/gofiber/fiber/v2/middleware/recover"

	"github.com/gluewheel/gluewheel/executor/protocol"
)

const (
	// idleTimeout closes a connection without requests; Java's servers wait as long.
	idleTimeout = 90 * time.Second
	// bodyTimeout bounds reading one request and writing one answer.
	bodyTimeout = 30 * time.Second
	// pathMetrics is the one path that is no part of XXL-JOB's protocol.
	pathMetrics = "/metrics"
)

// Executor does what the endpoints ask for.
type Executor interface {
	// Accept takes triggers and answers each, in order, once it is durable.
	Accept(ctx context.Context, triggers []protocol.Trigger) []protocol.BatchResult
	// Busy reports whether the job runs or waits here.
	Busy(jobID int32) bool
	// Kill stops a job, or one of its runs when the request names it; false if the job
	// has no queue here.
	Kill(k protocol.Kill) bool
	// Log reads a run's log.
	Log(r protocol.LogRequest) (protocol.LogResult, error)
}

// Config is what a server needs.
type Config struct {
	// Token is what every request must carry. Required: without one nothing is served.
	Token string
	// Executor does the work. Required.
	Executor Executor
	// Metrics, if not nil, answers GET /metrics, whoever asks.
	Metrics http.Handler
	// Log takes what an operator should know. Default: nothing is logged.
	Log *slog.Logger
}

// Server answers admins.
type Server struct {
	executor Executor
	token    [sha256.Size]byte
	app      *fiber.App
	routes   map[string]handler
	log      *slog.Logger
}

// handler answers one path; its payload goes into both payload members.
type handler func(c *fiber.Ctx) (payload any, err error)

// New makes a server that listens nowhere yet.
func New(cfg Config) (*Server, error) {
	if cfg.Token == "" {
		return nil, errors.New("executor server: a token is required; without one anybody could run code here")
	}
	if cfg.Executor == nil {
		return nil, errors.New("executor server: Executor is required")
	}
	s := &Server{
		executor: cfg.Executor,
		token:    sha256.Sum256([]byte(cfg.Token)),
		log:      cmp.Or(cfg.Log, slog.New(slog.DiscardHandler)).With("component", "server"),
	}
	s.routes = map[string]handler{
		protocol.PathBeat:     s.beat,
		protocol.PathIdleBeat: s.idleBeat,
		protocol.PathRun:      s.run,
		protocol.PathTrigger:  s.run,
		protocol.PathKill:     s.kill,
		protocol.PathLog:      s.readLog,
		protocol.PathBatch:    s.batch,
	}
	s.app = fiber.New(fiber.Config{
		Immutable:             true, // triggers outlive their request's buffer
		BodyLimit:             protocol.MaxBody,
		IdleTimeout:           idleTimeout,
		ReadTimeout:           bodyTimeout,
		WriteTimeout:          bodyTimeout,
		DisableStartupMessage: true,
		ErrorHandler:          s.fail,
	})
	s.app.Use(recover.New())
	if cfg.Metrics != nil {
		s.app.Get(pathMetrics, adaptor.HTTPHandler(cfg.Metrics))
	}
	s.app.Use(s.serve)
	return s, nil
}

// Serve answers on ln until Shutdown.
func (s *Server) Serve(ln net.Listener) error {
	if err := s.app.Listener(ln); err != nil {
		return fmt.Errorf("serve executor endpoints: %w", err)
	}
	return nil
}

// Shutdown stops listening and waits for requests in progress, or until ctx ends.
func (s *Server) Shutdown(ctx context.Context) error {
	if err := s.app.ShutdownWithContext(ctx); err != nil {
		return fmt.Errorf("stop executor endpoints: %w", err)
	}
	return nil
}

// serve makes XXL-JOB's checks in its order: method, path, token, name.
func (s *Server) serve(c *fiber.Ctx) error {
	path := string(c.Request().Header.RequestURI()) // as sent, not tidied up
	if c.Method() != fiber.MethodPost {
		return errors.New(protocol.MsgBadMethod)
	}
	if path == "" {
		return errors.New(protocol.MsgNoPath)
	}
	if !s.trusted(c.Get(protocol.HeaderToken)) {
		return errors.New(protocol.MsgBadToken)
	}
	handle, ok := s.routes[path]
	if !ok {
		return fmt.Errorf(protocol.MsgUnknownPath, path)
	}
	payload, err := handle(c)
	if err != nil {
		return err
	}
	return answer(c, payload)
}

// trusted compares digests, so that neither the content nor the length of the token
// shows in the time it takes.
func (s *Server) trusted(token string) bool {
	sum := sha256.Sum256([]byte(token))
	return subtle.ConstantTimeCompare(sum[:], s.token[:]) == 1
}
