package dispatch

import (
	"context"
	"fmt"

	"github.com/gluewheel/gluewheel/admin/job"
	"github.com/gluewheel/gluewheel/executor/protocol"
)

// limited reports whether the run needs room under its job's limit of concurrent runs. A
// run without an address is only ended.
func (r *routed) limited() bool {
	return r.job != nil && r.job.MaxConcurrent > 0 && len(r.addresses) > 0
}

// claimLimited claims what there is room for. The store counts under a lock, so that the
// limit holds whichever admins claim.
func (d *Dispatcher) claimLimited(ctx context.Context, list []routed) ([]job.Claimed, error) {
	answers, full, err := d.cfg.Store.ClaimLimited(ctx, d.cfg.Owner, d.cfg.Lease, claimsOf(list))
	if err != nil {
		return nil, err
	}
	noRoom := make(map[int64]bool, len(full))
	for _, id := range full {
		noRoom[id] = true
	}
	for i := range list {
		if noRoom[list[i].RunID] {
			d.keepBack(&list[i])
		}
	}
	return answers, nil
}

// keepBack decides about a run that there is no room for. It is claimed a second ahead of
// its instant, so that room may still come in time.
//
//	            before its instant   within roomPatience   later
//	DISCARD_LATER     waits             discarded         discarded
//	otherwise         waits             waits             the sweeper offers it
func (d *Dispatcher) keepBack(r *routed) {
	now := d.cfg.Now()
	switch {
	case now.Before(r.DueAt):
		d.lobby.add(r, nil)
	case r.job.BlockStrategy == protocol.BlockDiscard:
		r.addresses, r.why = nil, failure{job.ReasonDiscardLater, fmt.Sprintf(
			"Discarded: the job's limit of concurrent runs, %d, is reached.", r.job.MaxConcurrent)}
		d.inbox.addBack([]routed{*r}) // routed: it is claimed, and ended
	case now.Before(r.DueAt.Add(roomPatience)):
		d.lobby.add(r, nil)
	}
}

// ending is how a run ends that was claimed without an address.
func (r *routed) ending(a *job.Claimed) job.Ending {
	end := failed(a, r.why.reason, r.why.message)
	if r.why.reason == job.ReasonDiscardLater && !r.job.DiscardIsFailure {
		end.State = job.Discarded
	}
	return end
}
