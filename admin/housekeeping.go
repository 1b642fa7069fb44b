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
	// testCodeAge is how long the code of a test-run is kept, and testCodeAtOnce bounds
	// one deletion.
	testCodeAge    = 24 * time.Hour
	testCodeAtOnce = 1000
	// auditAtOnce bounds one deletion: over a million entries a day.
	auditAtOnce = 10_000
)

// housekeep deletes modules that no version uses any more, the code of old test-runs and
// audit entries that are old enough, and seals anew after a rotation of keys, until ctx
// ends. Several admins may do it at once.
func (p *parts) housekeep(ctx context.Context) error {
	pace := outage.Pacer{Log: p.opts.Log, What: "keep house"}
	for {
		more, err := p.clear(ctx)
		if err == nil {
			err = p.reseal(ctx)
		}
		pace.After(ctx, err)
		if ctx.Err() != nil || err == nil && !more && !outage.Sleep(ctx, housekeepEvery) {
			return nil
		}
	}
}

// clear deletes a part of what is not kept any longer, and tells whether there is more.
func (p *parts) clear(ctx context.Context) (more bool, err error) {
	// Code first: what it uses cannot be deleted before.
	code, err := p.store.DeleteTestCode(ctx, testCodeAge, testCodeAtOnce)
	if err != nil {
		return false, err
	}
	modules, err := p.store.DeleteUnusedArtifacts(ctx, artifactGrace, artifactsAtOnce)
	if err != nil {
		return false, err
	}
	if modules > 0 {
		p.opts.Log.InfoContext(ctx, "unused modules deleted", "count", modules)
	}
	more = code >= testCodeAtOnce || modules >= artifactsAtOnce
	if p.opts.AuditRetention <= 0 {
		return more, nil
	}
	entries, err := p.store.ClearAudit(ctx, p.opts.AuditRetention, auditAtOnce)
	return more || entries >= auditAtOnce, err
}

// reseal seals what an older key sealed: secrets of groups, of alarm channels, and the
// tokens of groups.
func (p *parts) reseal(ctx context.Context) error {
	if err := p.vault.Reseal(ctx, p.opts.Log); err != nil {
		return err
	}
	if err := p.alarms.Reseal(ctx); err != nil {
		return err
	}
	return p.access.Reseal(ctx)
}
