package workermain

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/gluewheel/gluewheel/runtime"
	"github.com/gluewheel/gluewheel/runtime/frame"
)

// calls are what the guest has the supervisor do.
type calls struct {
	conn  *frame.Conn
	slots chan struct{} // as many as the supervisor takes at a time; beyond that, calls wait

	mu      sync.Mutex
	last    uint64
	waiting map[uint64]chan frame.AnswerBody
}

func newCalls(conn *frame.Conn) *calls {
	return &calls{conn: conn, slots: make(chan struct{}, frame.MaxCalls), waiting: make(map[uint64]chan frame.AnswerBody)}
}

// errEmpty is the failure of a call whose answer lacks what was asked for.
var errEmpty = errors.New("the answer is empty")

// http has a request made. When the run is stopped, the supervisor answers with that.
func (c *calls) http(ctx context.Context, req runtime.HTTPRequest) (runtime.HTTPResponse, error) {
	answer, err := c.call(ctx, frame.CallBody{HTTP: &req})
	if err != nil {
		return runtime.HTTPResponse{}, err
	}
	if answer.HTTP == nil {
		return runtime.HTTPResponse{}, errEmpty
	}
	return *answer.HTTP, nil
}

// kv has the job's store worked on.
func (c *calls) kv(ctx context.Context, req runtime.KVRequest) (runtime.KVResponse, error) {
	answer, err := c.call(ctx, frame.CallBody{KV: &req})
	if err != nil {
		return runtime.KVResponse{}, err
	}
	if answer.KV == nil {
		return runtime.KVResponse{}, errEmpty
	}
	return *answer.KV, nil
}

// secret has a secret read.
func (c *calls) secret(ctx context.Context, name string) (string, error) {
	answer, err := c.call(ctx, frame.CallBody{Secret: name})
	return answer.Secret, err
}

// call waits for the supervisor's answer, an error of which is returned as one.
func (c *calls) call(ctx context.Context, body frame.CallBody) (frame.AnswerBody, error) {
	select {
	case c.slots <- struct{}{}:
		defer func() { <-c.slots }()
	case <-ctx.Done():
		return frame.AnswerBody{}, context.Cause(ctx)
	}
	id, answered := c.begin()
	defer c.forget(id)
	body.ID = id
	payload, err := json.Marshal(body)
	if err != nil {
		return frame.AnswerBody{}, fmt.Errorf("encode call: %w", err)
	}
	if len(payload) > frame.MaxToSupervisor {
		return frame.AnswerBody{}, fmt.Errorf("the request takes %d bytes; %d are allowed", len(payload), frame.MaxToSupervisor)
	}
	if err := c.conn.Write(frame.Call, payload); err != nil {
		return frame.AnswerBody{}, fmt.Errorf("call supervisor: %w", err)
	}
	select {
	case answer := <-answered:
		if answer.Error != "" {
			return frame.AnswerBody{}, errors.New(answer.Error)
		}
		return answer, nil
	case <-ctx.Done():
		return frame.AnswerBody{}, context.Cause(ctx)
	}
}

func (c *calls) begin() (id uint64, answered <-chan frame.AnswerBody) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last++
	channel := make(chan frame.AnswerBody, 1) // of the one answer: who delivers it never waits
	c.waiting[c.last] = channel
	return c.last, channel
}

func (c *calls) forget(id uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.waiting, id)
}

// answered takes an Answer frame. One that nobody waits for any more is dropped.
func (c *calls) answered(payload []byte) {
	var body frame.AnswerBody
	if json.Unmarshal(payload, &body) != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if channel, ok := c.waiting[body.ID]; ok {
		delete(c.waiting, body.ID)
		channel <- body
	}
}
