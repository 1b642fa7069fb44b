package wire

import (
	"context"
	"errors"
	"net/url"
	"strconv"

	"github.com/gofiber/fiber/v2"

	"github.com/gluewheel/gluewheel/admin/access"
	"github.com/gluewheel/gluewheel/admin/job"
)

// artifact sends content to the executor that a run was dispatched to, as long as the
// run is open: GET /gw/artifact/{digest}?run=&epoch=, with both headers.
func (h *handler) artifact(c *fiber.Ctx) error {
	pass, err := h.authenticate(c)
	if err != nil {
		return c.Status(fiber.StatusUnauthorized).SendString(err.Error())
	}
	run, runErr := strconv.ParseInt(c.Query("run"), 10, 64)
	epoch, epochErr := strconv.ParseInt(c.Query("epoch"), 10, 32)
	if runErr != nil || epochErr != nil || run <= 0 {
		return c.Status(fiber.StatusBadRequest).SendString("run and epoch must be numbers")
	}
	ctx, cancel := context.WithTimeout(c.UserContext(), requestTimeout)
	defer cancel()
	content, err := h.granted(ctx, c, pass, job.Hold{RunID: run, Epoch: int32(epoch)})
	switch {
	case errors.Is(err, job.ErrNotFound):
		return c.Status(fiber.StatusNotFound).SendString("no such artifact for an open run of this executor")
	case err != nil:
		h.log.ErrorContext(ctx, "artifact not sent", "run_id", run, "err", err)
		return c.Status(fiber.StatusServiceUnavailable).SendString("the artifact cannot be read now")
	}
	c.Set(fiber.HeaderContentType, fiber.MIMEOctetStream)
	return c.Send(content)
}

// granted gives the content when the run needs just this artifact and was sent to an
// executor of the asking app.
func (h *handler) granted(ctx context.Context, c *fiber.Ctx, pass access.Pass, run job.Hold) ([]byte, error) {
	grant, err := h.Grants.RunArtifact(ctx, run)
	if err != nil {
		return nil, err
	}
	digest, err := url.PathUnescape(c.Params("digest"))
	if err != nil || digest != grant.Artifact || !h.sentHere(c, pass, grant.RunPlace) {
		return nil, job.ErrNotFound
	}
	return h.Artifacts.ArtifactContent(ctx, digest)
}
