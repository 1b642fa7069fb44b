package wire

import (
	"context"
	"errors"

	"github.com/goccy/go-json"
	"github.com/gofiber/fiber/v2"

	"github.com/gluewheel/gluewheel/admin/job"
	"github.com/gluewheel/gluewheel/executor/protocol"
)

// secrets opens what a run was granted.
type secrets interface {
	Read(ctx context.Context, run job.Hold, name string) (value string, at job.RunPlace, err error)
}

// secret gives a secret of a run's group to the executor that the run was dispatched to,
// as long as the run is open and its code was granted it: POST /gw/secret, with both
// headers. The value is in the answer and nowhere else.
func (h *handler) secret(c *fiber.Ctx) error {
	pass, err := h.authenticate(c)
	if err != nil {
		return c.Status(fiber.StatusUnauthorized).SendString(err.Error())
	}
	var r protocol.SecretRequest
	if err := json.Unmarshal(c.Body(), &r); err != nil {
		return c.Status(fiber.StatusBadRequest).SendString("the request is not as it should be: " + err.Error())
	}
	if !job.IsSecretName(r.Name) {
		return c.Status(fiber.StatusBadRequest).SendString("no secret can have this name")
	}
	ctx, cancel := context.WithTimeout(c.UserContext(), requestTimeout)
	defer cancel()
	if r.RunID <= 0 {
		return h.refuseService(ctx, c, r.RunID, job.ErrNotFound)
	}
	value, at, err := h.Secrets.Read(ctx, job.Hold{RunID: r.RunID, Epoch: r.Epoch}, r.Name)
	if (at != job.RunPlace{}) && !h.sentHere(c, pass, at) {
		err = job.ErrNotFound // whatever it was: it is not theirs to know
	}
	switch {
	case errors.Is(err, job.ErrNotGranted), errors.Is(err, job.ErrNoSecret):
		return c.Status(fiber.StatusForbidden).SendString(err.Error())
	case err != nil:
		return h.refuseService(ctx, c, r.RunID, err)
	}
	return c.JSON(protocol.SecretAnswer{Value: value})
}
