package wire

import (
	"context"
	"errors"
	"fmt"

	"github.com/goccy/go-json"
	"github.com/gofiber/fiber/v2"

	"github.com/gluewheel/gluewheel/admin/access"
	"github.com/gluewheel/gluewheel/admin/job"
	"github.com/gluewheel/gluewheel/executor/protocol"
	"github.com/gluewheel/gluewheel/glue"
)

// openRuns tells where an open run belongs; job.ErrNotFound when there is none.
type openRuns interface {
	OpenRun(ctx context.Context, h job.Hold) (job.RunPlace, error)
}

// kvStore is what the guests of a job's runs keep.
type kvStore interface {
	KVGet(ctx context.Context, jobID int32, key string) (value []byte, found bool, err error)
	KVSet(ctx context.Context, jobID int32, key string, value []byte) error
	KVDelete(ctx context.Context, jobID int32, key string) (bool, error)
	KVKeys(ctx context.Context, jobID int32, prefix string) ([]string, error)
}

// kv works on the store of a run's job, for the executor that the run was dispatched
// to, as long as the run is open: POST /gw/kv, with both headers.
func (h *handler) kv(c *fiber.Ctx) error {
	pass, err := h.authenticate(c)
	if err != nil {
		return c.Status(fiber.StatusUnauthorized).SendString(err.Error())
	}
	var r protocol.KVRequest
	if err := json.Unmarshal(c.Body(), &r); err != nil {
		return c.Status(fiber.StatusBadRequest).SendString("the request is not as it should be: " + err.Error())
	}
	ctx, cancel := context.WithTimeout(c.UserContext(), requestTimeout)
	defer cancel()
	place, err := h.place(ctx, c, pass, job.Hold{RunID: r.RunID, Epoch: r.Epoch})
	if err != nil {
		return h.refuseService(ctx, c, r.RunID, err)
	}
	answer, err := h.workOn(ctx, place.JobID, r)
	if err != nil {
		return h.refuseService(ctx, c, r.RunID, err)
	}
	return c.JSON(answer)
}

// place is where an open run belongs that was sent to an executor of the asking app.
func (h *handler) place(ctx context.Context, c *fiber.Ctx, pass access.Pass, run job.Hold) (job.RunPlace, error) {
	if run.RunID <= 0 {
		return job.RunPlace{}, job.ErrNotFound
	}
	place, err := h.Runs.OpenRun(ctx, run)
	if err != nil {
		return job.RunPlace{}, err
	}
	if !h.sentHere(c, pass, place) {
		return job.RunPlace{}, job.ErrNotFound
	}
	return place, nil
}

// refuseService says why a run's guest gets nothing.
func (h *handler) refuseService(ctx context.Context, c *fiber.Ctx, runID int64, err error) error {
	if wrong, ok := errors.AsType[kvError](err); ok {
		return c.Status(fiber.StatusUnprocessableEntity).SendString(wrong.Error())
	}
	switch {
	case errors.Is(err, job.ErrNotFound):
		return c.Status(fiber.StatusNotFound).SendString("no such open run of this executor")
	case errors.Is(err, job.ErrKVFull):
		return c.Status(fiber.StatusUnprocessableEntity).SendString(
			fmt.Sprintf("the job's store is full: it holds %d keys at most; delete some first", glue.MaxKVKeys))
	}
	h.log.ErrorContext(ctx, "run not served", "run_id", runID, "err", err)
	return c.Status(fiber.StatusServiceUnavailable).SendString("the admin cannot do it now")
}

// kvError is what is wrong with a request, for people.
type kvError struct{ error }

func (h *handler) workOn(ctx context.Context, jobID int32, r protocol.KVRequest) (answer protocol.KVAnswer, err error) {
	if r.Op != "list" || r.Key != "" {
		if err := glue.CheckKVKey(r.Key); err != nil {
			return answer, kvError{err}
		}
	}
	switch r.Op {
	case "get":
		answer.Value, answer.Found, err = h.KV.KVGet(ctx, jobID, r.Key)
	case "set":
		if err := glue.CheckKVValue(r.Value); err != nil {
			return answer, kvError{err}
		}
		err = h.KV.KVSet(ctx, jobID, r.Key, r.Value)
	case "delete":
		answer.Found, err = h.KV.KVDelete(ctx, jobID, r.Key)
	case "list":
		answer.Keys, err = h.KV.KVKeys(ctx, jobID, r.Key)
	default:
		err = kvError{fmt.Errorf("there is no operation %q: get, set, delete and list are", r.Op)}
	}
	return answer, err
}
