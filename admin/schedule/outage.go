package schedule

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// outage logs once when the first of several loops begins to fail, and once when none
// fails any more. Safe for concurrent use.
type outage struct {
	log *slog.Logger

	mu      sync.Mutex
	since   time.Time
	failing map[string]struct{}
}

func newOutage(log *slog.Logger) *outage {
	return &outage{log: log, failing: make(map[string]struct{})}
}

// report takes the outcome of one time of the named loop. A failure because ctx ended
// is none.
func (o *outage) report(ctx context.Context, loop string, err error) {
	if err != nil && ctx.Err() != nil {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	_, failed := o.failing[loop]
	switch {
	case err != nil && !failed:
		o.failing[loop] = struct{}{}
		if len(o.failing) > 1 {
			o.log.DebugContext(ctx, "scheduling fails further", "loop", loop, "err", err)
			return
		}
		o.since = time.Now()
		o.log.ErrorContext(ctx, "scheduling fails, trying on", "loop", loop, "err", err)
	case err == nil && failed:
		delete(o.failing, loop)
		if len(o.failing) == 0 {
			o.log.InfoContext(ctx, "scheduling works again", "after", time.Since(o.since))
		}
	}
}
