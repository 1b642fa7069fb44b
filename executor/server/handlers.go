package server

import (
	"context"
	"errors"
	"fmt"

	"github.com/gofiber/fiber/v2"

	"github.com/gluewheel/gluewheel/executor/protocol"
)

// beat takes any body: peers send none, "", or a request without a length.
func (s *Server) beat(*fiber.Ctx) (any, error) { return nil, nil }

func (s *Server) idleBeat(c *fiber.Ctx) (any, error) {
	var r protocol.IdleBeat
	if err := parse(c, &r); err != nil {
		return nil, err
	}
	if s.executor.Busy(int32(r.JobID)) {
		return nil, errors.New(protocol.MsgBusy)
	}
	return nil, nil
}

func (s *Server) run(c *fiber.Ctx) (any, error) {
	var t protocol.Trigger
	if err := parse(c, &t); err != nil {
		return nil, err
	}
	if t.JobID <= 0 || t.LogID <= 0 {
		return nil, fmt.Errorf(protocol.MsgRequestError, "jobId and logId are required")
	}
	results, err := s.accept(c, []protocol.Trigger{t})
	if err != nil {
		return nil, err
	}
	if r := results[0]; r.Code != protocol.CodeOK {
		return nil, errors.New(r.Msg)
	}
	return nil, nil
}

func (s *Server) batch(c *fiber.Ctx) (any, error) {
	var r protocol.BatchRequest
	if err := parse(c, &r); err != nil {
		return nil, err
	}
	results, err := s.accept(c, r.Triggers)
	if err != nil {
		return nil, err
	}
	return batchAnswer{Code: protocol.CodeOK, Results: results}, nil
}

func (s *Server) accept(c *fiber.Ctx, triggers []protocol.Trigger) ([]protocol.BatchResult, error) {
	ctx, cancel := context.WithTimeout(c.UserContext(), protocol.CallTimeout)
	defer cancel()
	results := s.executor.Accept(ctx, triggers)
	if len(results) != len(triggers) {
		return nil, fmt.Errorf(protocol.MsgRequestError, "the executor lost count of its triggers")
	}
	return results, nil
}

// kill succeeds always; XXL-JOB says in the payload when there was nothing to kill.
func (s *Server) kill(c *fiber.Ctx) (any, error) {
	var k protocol.Kill
	if err := parse(c, &k); err != nil {
		return nil, err
	}
	if !s.executor.Kill(k) {
		return protocol.MsgAlreadyKilled, nil
	}
	return nil, nil
}

func (s *Server) readLog(c *fiber.Ctx) (any, error) {
	var r protocol.LogRequest
	if err := parse(c, &r); err != nil {
		return nil, err
	}
	result, err := s.executor.Log(r)
	if err != nil {
		return nil, fmt.Errorf(protocol.MsgRequestError, err)
	}
	return result, nil
}
