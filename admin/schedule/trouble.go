package schedule

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// trouble logs once when the first of several loops begins to fail, and once when none
// fails any more. Safe for concurrent use.
type trouble struct {
	log *slog.Logger

	mu      sync.Mutex
	since   time.Time
	failing map[string]struct{}
}

func newTrouble(log *slog.Logger) *trouble {
	return &trouble{log: log, failing: make(map[string]struct{})}
}

// report takes the outcome of one time of the named loop. A failure because ctx ended
// is none.
func (t *trouble) report(ctx context.Context, loop string, err error) {
	if err != nil && ctx.Err() != nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	_, failed := t.failing[loop]
	switch {
	case err != nil && !failed:
		t.failing[loop] = struct{}{}
		if len(t.failing) > 1 {
			t.log.DebugContext(ctx, "scheduling fails further", "loop", loop, "err", err)
			return
		}
		t.since = time.Now()
		t.log.ErrorContext(ctx, "scheduling fails, trying on", "loop", loop, "err", err)
	case err == nil && failed:
		delete(t.failing, loop)
		if len(t.failing) == 0 {
			t.log.InfoContext(ctx, "scheduling works again", "after", time.Since(t.since))
		}
	}
}
