package admin

import (
	"context"
	"time"

	"github.com/gluewheel/gluewheel/admin/outage"
)

const (
	// housekeepEvery is the pause between two rounds.
	housekeepEvery = 10 * time.Minute
	// artifactGrace is how long an uploaded module is kept that no version uses: the
	// time between its upload and its publish.
	artifactGrace = 24 * time.Hour
	// artifactsAtOnce bounds one deletion.
	artifactsAtOnce = 100
)

// housekeep deletes modules that no version uses any more, until ctx ends. Several
// admins may do it at once.
func (p *parts) housekeep(ctx context.Context) error {
	pace := outage.Pacer{Log: p.opts.Log, What: "delete unused modules"}
	for {
		n, err := p.store.DeleteUnusedArtifacts(ctx, artifactGrace, artifactsAtOnce)
		pace.After(ctx, err)
		switch {
		case n > 0:
			p.opts.Log.InfoContext(ctx, "unused modules deleted", "count", n)
		case err == nil && !outage.Sleep(ctx, housekeepEvery):
			return nil
		case ctx.Err() != nil:
			return nil
		}
	}
}
