package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/gluewheel/gluewheel/runtime"
	"github.com/gluewheel/gluewheel/runtime/egress"
	"github.com/gluewheel/gluewheel/runtime/frame"
)

// calls does what one run's worker asks for. The grants are the supervisor's own: what
// the worker believes to have been granted does not matter.
type calls struct {
	http   *egress.Client
	grants runtime.Grants
	conn   *frame.Conn
	slots  chan struct{}
	served atomic.Int64
	going  sync.WaitGroup
}

func newCalls(http *egress.Client, grants runtime.Grants, conn *frame.Conn) *calls {
	return &calls{http: http, grants: grants, conn: conn, slots: make(chan struct{}, frame.MaxCalls)}
}

// errTooManyCalls is the error of a worker that does not count its calls.
var errTooManyCalls = errors.New("too many calls at a time")

// serve takes a Call frame and answers it in the background. An error means that the
// worker breaks the rules.
func (c *calls) serve(ctx context.Context, payload []byte) error {
	var body frame.CallBody
	if err := json.Unmarshal(payload, &body); err != nil {
		return fmt.Errorf("decode call: %w", err)
	}
	select {
	case c.slots <- struct{}{}:
	default:
		return errTooManyCalls
	}
	c.served.Add(1)
	c.going.Go(func() {
		answer := c.answer(ctx, body)
		<-c.slots                             // before the worker can know, so that it never sees one taken too many
		_ = c.conn.Send(frame.Answer, answer) // a worker that has ended needs none
	})
	return nil
}

func (c *calls) answer(ctx context.Context, body frame.CallBody) frame.AnswerBody {
	answer := frame.AnswerBody{ID: body.ID}
	if body.HTTP == nil {
		answer.Error = "the call asks for nothing"
		return answer
	}
	response, err := c.http.Do(ctx, c.grants, *body.HTTP)
	if err != nil {
		answer.Error = err.Error()
		return answer
	}
	answer.HTTP = &response
	return answer
}

// count is the number of calls so far.
func (c *calls) count() int64 { return c.served.Load() }

// wait waits for the calls in progress. Their context has ended, and so has the worker.
func (c *calls) wait() { c.going.Wait() }
