package runtime

import (
	"cmp"
	"context"
	"time"
)

// DefaultGrace is the time between the soft stop and the kill where Limits name none.
const DefaultGrace = 500 * time.Millisecond

// GraceTime is the run's grace, or the default.
func (l Limits) GraceTime() time.Duration { return cmp.Or(max(l.Grace, 0), DefaultGrace) }

// Stopped is the result of a run whose context was cancelled: the cause decides its
// Kind, and how says in what way the code came to its end.
func Stopped(ctx context.Context, how string) Result {
	kind, _ := KindOf(ctx)
	message := context.Cause(ctx).Error()
	if how != "" {
		message += ": " + how
	}
	return Result{Kind: kind, Message: message}
}
