package report

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/gluewheel/gluewheel/admin/job"
	"github.com/gluewheel/gluewheel/admin/outage"
)

// tallier counts; *store.Store does.
type tallier interface {
	Tally(ctx context.Context) (job.Tally, error)
}

// CounterConfig wires a Counter. Store and Log are required.
type CounterConfig struct {
	Store tallier
	Log   *slog.Logger
	// Every is the pause between two counts; default 5 s.
	Every time.Duration
}

// Counter keeps the counts of ended runs up to date.
type Counter struct{ cfg CounterConfig }

// NewCounter checks the configuration; Run does the work.
func NewCounter(cfg CounterConfig) (*Counter, error) {
	if cfg.Store == nil || cfg.Log == nil {
		return nil, errors.New("make counter of runs: Store and Log are required")
	}
	cfg.Every = cmp.Or(cfg.Every, 5*time.Second)
	cfg.Log = cfg.Log.With("component", "report")
	return &Counter{cfg}, nil
}

// Run counts until ctx ends. A long ledger that was never counted is worked through
// without pauses.
func (c *Counter) Run(ctx context.Context) error {
	pace := outage.Pacer{Log: c.cfg.Log, What: "count runs for reports"}
	for ctx.Err() == nil {
		t, err := c.cfg.Store.Tally(ctx)
		pace.After(ctx, err)
		if err == nil && t.Behind == 0 {
			outage.Sleep(ctx, c.cfg.Every)
		}
	}
	return nil
}
