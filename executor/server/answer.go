package server

import (
	"encoding/json"
	"errors"
	"fmt"

	gojson "github.com/goccy/go-json"
	"github.com/gofiber/fiber/v2"

	"github.com/gluewheel/gluewheel/executor/protocol"
)

// batchAnswer is an answer that is no envelope.
type batchAnswer protocol.BatchAnswer

// answer writes a success; the payload goes into the members of both generations.
func answer(c *fiber.Ctx, payload any) error {
	var body any
	switch p := payload.(type) {
	case batchAnswer:
		body = p
	case nil:
		body = envelope(protocol.CodeOK, protocol.MsgSuccess, nil)
	default:
		raw, err := json.Marshal(p)
		if err != nil {
			return fmt.Errorf("encode answer: %w", err)
		}
		body = envelope(protocol.CodeOK, protocol.MsgSuccess, raw)
	}
	return write(c, body)
}

func envelope(code int, msg string, payload json.RawMessage) protocol.Envelope {
	return protocol.Envelope{Code: protocol.Int(code), Msg: &msg, Content: payload, Data: payload}
}

func write(c *fiber.Ctx, body any) error {
	raw, err := json.Marshal(body)
	if err != nil {
		return fmt.Errorf("encode answer: %w", err)
	}
	c.Set(fiber.HeaderContentType, protocol.ContentType)
	return c.Status(fiber.StatusOK).Send(raw)
}

// fail is the one place where an error becomes an answer. What comes from fiber itself,
// such as a body over the limit, reads as XXL-JOB's answer to an unreadable request.
func (s *Server) fail(c *fiber.Ctx, err error) error {
	msg := err.Error()
	if _, ok := errors.AsType[*fiber.Error](err); ok {
		msg = fmt.Sprintf(protocol.MsgRequestError, msg)
	}
	s.log.Debug("request refused", "path", c.Path(), "error", err)
	return write(c, envelope(protocol.CodeFail, msg, nil))
}

// parse reads the request's body into v.
func parse(c *fiber.Ctx, v any) error {
	body := c.Body()
	if len(body) == 0 {
		return fmt.Errorf(protocol.MsgRequestError, "the request has no body")
	}
	if err := gojson.Unmarshal(body, v); err != nil {
		return fmt.Errorf(protocol.MsgRequestError, err)
	}
	return nil
}
