package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/gluewheel/gluewheel/runtime/broker"
	"github.com/gluewheel/gluewheel/runtime/frame"
	"github.com/gluewheel/gluewheel/runtime/hostapi"
)

// calls does what one run's worker asks for, as far as the broker lets it.
type calls struct {
	broker broker.Broker
	conn   *frame.Conn
	slots  chan struct{}
	served atomic.Int64
	going  sync.WaitGroup
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
	answer, err := c.do(ctx, body)
	if err != nil {
		answer = frame.AnswerBody{Error: hostapi.Cut(err.Error(), maxCallError)}
	}
	answer.ID = body.ID
	return answer
}

// maxCallError bounds what a guest is told of a failure, in bytes.
const maxCallError = 4 << 10

func (c *calls) do(ctx context.Context, body frame.CallBody) (answer frame.AnswerBody, err error) {
	switch {
	case body.HTTP != nil:
		response, err := c.broker.HTTP(ctx, *body.HTTP)
		return frame.AnswerBody{HTTP: &response}, err
	case body.KV != nil:
		response, err := c.broker.KV(ctx, *body.KV)
		return frame.AnswerBody{KV: &response}, err
	case body.Secret != "":
		answer.Secret, err = c.broker.Secret(ctx, body.Secret)
		return answer, err
	default:
		return answer, errors.New("the call asks for nothing")
	}
}

// count is the number of calls so far.
func (c *calls) count() int64 { return c.served.Load() }

// wait waits for the calls in progress. Their context has ended, and so has the worker.
func (c *calls) wait() { c.going.Wait() }
