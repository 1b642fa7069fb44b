// Package outage paces the admin's loops while the database is away: no loop ends, none
// spins, each resumes within a second, and each outage is logged once when it begins
// and once when it ends.
package outage

import (
	"context"
	"log/slog"
	"time"
)

const (
	firstPause = 50 * time.Millisecond
	// lastPause bounds the pause, so that work resumes within a second of the database.
	lastPause = time.Second
)

// Pacer belongs to one loop. What is the verb phrase of the loop's work, for the log.
type Pacer struct {
	Log  *slog.Logger
	What string

	pause time.Duration
}

// After takes the outcome of one round, and waits when it failed: longer each time, and
// never beyond the end of ctx. A failure because ctx ended is none.
func (p *Pacer) After(ctx context.Context, err error) {
	switch {
	case err == nil:
		if p.pause > 0 {
			p.Log.InfoContext(ctx, "database is back", "what", p.What)
		}
		p.pause = 0
	case ctx.Err() == nil:
		if p.pause == 0 {
			p.Log.WarnContext(ctx, "database is away", "what", p.What, "err", err)
		}
		p.pause = min(max(2*p.pause, firstPause), lastPause)
		Sleep(ctx, p.pause)
	}
}

// Sleep waits for d or the end of ctx, and reports whether ctx still lasts.
func Sleep(ctx context.Context, d time.Duration) bool { return SleepOr(ctx, d, nil) }

// SleepOr is Sleep that an early call ends.
func SleepOr(ctx context.Context, d time.Duration, early <-chan struct{}) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-early:
	case <-ctx.Done():
	}
	return ctx.Err() == nil
}
