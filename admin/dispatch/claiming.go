package dispatch

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/gluewheel/gluewheel/admin/job"
	"github.com/gluewheel/gluewheel/admin/outage"
)

const (
	// claimBatch is the most runs of one claim.
	claimBatch = 2000
	// claimTries is how often a run whose job keeps changing is claimed, before it is
	// left to the sweeper.
	claimTries = 5
)

// claimLoop claims what comes in, in batches of what gathered meanwhile.
func (d *Dispatcher) claimLoop(ctx context.Context) {
	away := outage.Pacer{Log: d.log, What: "claim runs"}
	for {
		select {
		case <-ctx.Done():
			return
		case <-d.inbox.wake:
			away.After(ctx, d.claimRound(ctx))
		}
	}
}

// claimRound routes and claims one batch. When the database fails, what is not claimed
// goes back to the inbox, to be routed anew.
func (d *Dispatcher) claimRound(ctx context.Context) error {
	batch := d.inbox.take(claimBatch)
	slices.SortFunc(batch, func(a, b routed) int { return cmp.Compare(a.RunID, b.RunID) })
	batch = slices.CompactFunc(batch, func(a, b routed) bool { return a.RunID == b.RunID })
	ready, err := d.route(ctx, batch)
	if err != nil {
		d.again(batch)
		return err
	}
	var singles, parents, limited []routed
	for _, r := range ready {
		switch {
		case r.Shard == job.BroadcastParent && len(r.addresses) > 0:
			parents = append(parents, r)
		case d.crowded(&r):
		case r.limited():
			limited = append(limited, r)
		default:
			singles = append(singles, r)
		}
	}
	if err := d.claim(ctx, singles, d.claimSingles); err != nil {
		d.again(parents)
		d.again(limited)
		return err
	}
	if err := d.claim(ctx, limited, d.claimLimited); err != nil {
		d.again(parents)
		return err
	}
	return d.claim(ctx, parents, d.claimParents)
}

// crowded reports whether the address hangs, and so many runs wait for it already that
// one more would take the room of other executors. Such a run stays planned, and the
// sweeper offers it again.
func (d *Dispatcher) crowded(r *routed) bool {
	return len(r.addresses) == 1 && d.pace.hangs(job.SameAddress(r.addresses[0])) &&
		d.held.unsentAt(r.addresses[0]) > d.cfg.Capacity/20
}

func (d *Dispatcher) again(list []routed) {
	for i := range list {
		list[i].ready = false
	}
	if len(list) > 0 {
		d.inbox.addBack(list)
	}
}

// claim claims list by one statement, sends on what was won, and routes again what was
// not because its job changed. The rest is others' or cancelled.
func (d *Dispatcher) claim(ctx context.Context, list []routed, statement func(context.Context, []routed) ([]job.Claimed, error)) error {
	if len(list) == 0 {
		return nil
	}
	lease := time.Now().Add(d.cfg.Lease) // before asking: the database counts from later
	// Not cut off by the end of ctx: what is claimed must be known, to be given back.
	asking, cancel := context.WithTimeout(context.WithoutCancel(ctx), d.cfg.Lease)
	answers, err := statement(asking, list)
	cancel()
	if err != nil {
		d.again(list)
		return err
	}
	byRun := make(map[int64]*routed, len(list))
	for i := range list {
		byRun[list[i].RunID] = &list[i]
	}
	won := make([]*entry, 0, len(answers))
	var lost []routed
	for i := range answers {
		a := &answers[i]
		r, ok := byRun[a.RunID]
		if !ok && a.ParentID != nil { // a new shard: its parent was asked for
			r, ok = byRun[*a.ParentID]
		}
		switch {
		case !ok:
		case !a.Won():
			lost = d.reroute(lost, r, a)
		case a.Address == "":
			d.cfg.Complete.Report([]job.Ending{r.ending(a)})
		default:
			won = append(won, &entry{Claimed: *a, job: r.job, lease: lease})
		}
	}
	d.again(lost)
	d.start(ctx, won)
	return nil
}

// failed is how a run ends that this dispatcher gives up.
func failed(c *job.Claimed, reason, message string) job.Ending {
	return job.Ending{Epoch: c.Epoch, Result: job.Result{RunID: c.RunID, State: job.Failed, Reason: reason, Message: message}}
}

// start fills in what the claim fixed, and lets the runs wait for their instants.
func (d *Dispatcher) start(ctx context.Context, won []*entry) {
	if len(won) == 0 {
		return
	}
	d.held.add(won)
	won, err := d.equip(ctx, won)
	if err != nil {
		d.log.WarnContext(ctx, "claimed runs given back", "count", len(won), "first_run_id", won[0].RunID, "err", err)
		d.giveUp(won)
		return
	}
	d.pacer.add(won)
}

// equip gives each entry its code and its executor. Entries whose code is gone end.
func (d *Dispatcher) equip(ctx context.Context, entries []*entry) ([]*entry, error) {
	var keys []job.VersionKey
	for _, e := range entries {
		if e.GlueVersion != 0 {
			keys = append(keys, job.VersionKey{JobID: e.JobID, Number: e.GlueVersion})
		}
	}
	versions, err := d.cache.loadVersions(ctx, uniqueKeys(keys))
	if err != nil {
		return entries, err
	}
	tests, err := d.loadTests(ctx, entries)
	if err != nil {
		return entries, err
	}
	return slices.DeleteFunc(entries, func(e *entry) bool {
		e.target = d.cfg.Registry.Target(e.job.GroupID, e.Address)
		e.version = versions[job.VersionKey{JobID: e.JobID, Number: e.GlueVersion}]
		if e.IsTest {
			e.version = tests[e.RunID]
		}
		if e.version != nil || e.GlueVersion == 0 && !e.IsTest {
			return false
		}
		d.held.remove(e)
		d.cfg.Complete.Report([]job.Ending{failed(&e.Claimed, job.ReasonBadVersion,
			fmt.Sprintf("Version %d of the job's code does not exist any more.", e.GlueVersion))})
		return true
	}), nil
}

// loadTests reads the code of the test-runs among entries; mostly there are none.
func (d *Dispatcher) loadTests(ctx context.Context, entries []*entry) (map[int64]*version, error) {
	var ids []int64
	for _, e := range entries {
		if e.IsTest {
			ids = append(ids, e.RunID)
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	codes, err := d.cfg.Store.TestCodes(ctx, ids)
	if err != nil {
		return nil, err
	}
	tests := make(map[int64]*version, len(codes))
	for i := range codes {
		if tests[codes[i].RunID], err = versionOf(codes[i].Version()); err != nil {
			return nil, err
		}
	}
	return tests, nil
}

func uniqueKeys(keys []job.VersionKey) []job.VersionKey {
	slices.SortFunc(keys, func(a, b job.VersionKey) int {
		return cmp.Or(cmp.Compare(a.JobID, b.JobID), cmp.Compare(a.Number, b.Number))
	})
	return slices.Compact(keys)
}

// reroute adds a run whose claim was lost to list, with what the claim said about it.
func (d *Dispatcher) reroute(list []routed, r *routed, a *job.Claimed) []routed {
	d.cache.drop(job.Change{Kind: job.ChangeJob, ID: r.JobID})
	next := routed{Fire: r.Fire, own: a.Addresses, test: a.IsTest, tries: r.tries + 1}
	next.Epoch = a.Epoch
	if next.tries == claimTries {
		return list
	}
	return append(list, next)
}

// claimSingles asks for one address a run; runs that have none are claimed to be ended.
func (d *Dispatcher) claimSingles(ctx context.Context, list []routed) ([]job.Claimed, error) {
	return d.cfg.Store.Claim(ctx, d.cfg.Owner, d.cfg.Lease, claimsOf(list))
}

func claimsOf(list []routed) []job.Claim {
	claims := make([]job.Claim, len(list))
	for i, r := range list {
		claims[i] = job.Claim{RunID: r.RunID, JobID: r.JobID, Epoch: r.Epoch, Own: r.own != nil}
		if r.job != nil {
			claims[i].JobVersion = r.job.Version
		}
		if len(r.addresses) > 0 {
			claims[i].Address, claims[i].Route = r.addresses[0], r.route
		}
	}
	return claims
}

// claimParents expands broadcasts.
func (d *Dispatcher) claimParents(ctx context.Context, list []routed) ([]job.Claimed, error) {
	parents := make([]job.Expansion, len(list))
	for i, r := range list {
		parents[i] = job.Expansion{
			RunID: r.RunID, JobID: r.JobID, Epoch: r.Epoch, JobVersion: r.job.Version,
			Addresses: r.addresses, Own: r.own != nil,
		}
	}
	return d.cfg.Store.ExpandBroadcast(ctx, d.cfg.Owner, d.cfg.Lease, parents)
}
