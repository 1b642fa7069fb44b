package api

import (
	"context"
	"net/http"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/gluewheel/gluewheel/glue"
)

// System describes the installation.
type System struct {
	Version          string   `json:"version"`
	TimeZone         string   `json:"time_zone" doc:"Of schedules that name none."`
	Now              Time     `json:"now" doc:"The server's clock."`
	Warnings         []string `json:"warnings" nullable:"false" doc:"What its admins should do something about; empty for others."`
	MaxSourceBytes   int64    `json:"max_source_bytes"`
	MaxArtifactBytes int64    `json:"max_artifact_bytes"`
}

func (s *server) system(ctx context.Context, _ *struct{}) (*body[System], error) {
	var warnings []string
	if s.deps.Warnings != nil && callerOf(ctx).Admin() {
		warnings = s.deps.Warnings()
	}
	return answer(System{
		Warnings: notNil(warnings),
		Version:  s.deps.System.Version, TimeZone: s.deps.System.TimeZone, Now: instant(time.Now()),
		MaxSourceBytes: glue.MaxSource, MaxArtifactBytes: glue.MaxArtifact,
	}), nil
}

// readyTime bounds the answer to a probe.
const readyTime = 2 * time.Second

// healthz says that the process answers; it does not look at the database, so that no
// supervisor restarts an admin for an outage elsewhere.
func (s *server) healthz(c *fiber.Ctx) error {
	return c.JSON(map[string]string{"status": "ok"})
}

// readyz says whether jobs can fire.
func (s *server) readyz(c *fiber.Ctx) error {
	ctx, cancel := context.WithTimeout(c.UserContext(), readyTime)
	defer cancel()
	if err := s.deps.Ready(ctx); err != nil {
		return writeProblem(c, http.StatusServiceUnavailable, "Jobs cannot fire at present: "+err.Error()+".")
	}
	return c.JSON(map[string]string{"status": "ready"})
}
