package queue

import (
	"context"
	"errors"
	"fmt"

	"github.com/gluewheel/gluewheel/executor/protocol"
	"github.com/gluewheel/gluewheel/runtime"
)

// Stop is why a trigger was stopped or never begun. As the cause of a run's context it
// reads as runtime.ErrKilled.
type Stop struct {
	Reason string // protocol.Reason…
	Text   string // the protocol's sentence
}

// StopKill is a stop by the scheduling centre.
func StopKill() *Stop {
	return &Stop{Reason: protocol.ReasonKilled, Text: protocol.MsgKilledByAdmin}
}

// StopCover is a stop by COVER_EARLY.
func StopCover() *Stop {
	return &Stop{Reason: protocol.ReasonCoverEarly, Text: protocol.MsgCoverEarly}
}

// StopShutdown is a stop by the end of the executor.
func StopShutdown() *Stop {
	return &Stop{Reason: protocol.ReasonShutdown, Text: protocol.MsgShutdown}
}

func (s *Stop) Error() string { return s.Text }

// Unwrap makes a Stop a kind of runtime.ErrKilled.
func (s *Stop) Unwrap() error { return runtime.ErrKilled }

// Running is the result's message for a run that had begun.
func (s *Stop) Running() string { return fmt.Sprintf(protocol.MsgKilledRunning, s.Text) }

// Queued is the result's message for a trigger that had not begun.
func (s *Stop) Queued() string { return fmt.Sprintf(protocol.MsgKilledQueued, s.Text) }

// StopOf is the Stop that cancelled ctx, or nil.
func StopOf(ctx context.Context) *Stop {
	stop, _ := errors.AsType[*Stop](context.Cause(ctx))
	return stop
}
