package runtime

import (
	"cmp"
	"context"
	"fmt"
	"time"
)

// DefaultGrace is the time between the soft stop and the kill where Limits name none.
const DefaultGrace = 500 * time.Millisecond

// GraceTime is the run's grace, or the default.
func (l Limits) GraceTime() time.Duration { return cmp.Or(max(l.Grace, 0), DefaultGrace) }

// CheckMemory refuses limits that ask for more memory than most; 0 is no bound.
func (l Limits) CheckMemory(most int64) error {
	if most <= 0 || l.MemoryBytes <= most {
		return nil
	}
	return &InvalidError{Message: fmt.Sprintf(
		"the version's manifest asks for %d MiB of memory; this executor allows %d MiB", l.MemoryBytes>>20, most>>20)}
}

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
