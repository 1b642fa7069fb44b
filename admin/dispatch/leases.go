package dispatch

import (
	"context"
	"time"

	"github.com/gluewheel/gluewheel/admin/job"
	"github.com/gluewheel/gluewheel/admin/outage"
)

const (
	// renewEvery is how often leases are looked at. Most runs are sent and answered
	// before their lease is ever renewed.
	renewEvery = time.Second
	// takeOverEvery is how often ended leases are looked for among recent runs; the
	// whole ledger is looked through at start and every lookBackEvery.
	takeOverEvery  = 500 * time.Millisecond
	lookBackEvery  = 10 * time.Second
	recent         = time.Minute
	ever           = 10 * 365 * 24 * time.Hour
	takeOverAtOnce = 500
)

// renewLoop lengthens the leases of what has been held for more than a moment.
func (d *Dispatcher) renewLoop(ctx context.Context) {
	away := outage.Pacer{Log: d.log, What: "renew leases"}
	for outage.Sleep(ctx, renewEvery) {
		away.After(ctx, d.renew(ctx))
	}
}

func (d *Dispatcher) renew(ctx context.Context) error {
	now := time.Now() // before asking: the database counts from later
	holds := d.held.expiring(now.Add(d.cfg.Lease - renewEvery))
	for len(holds) > 0 {
		part := holds[:min(len(holds), claimBatch)]
		holds = holds[len(part):]
		still, err := d.cfg.Store.RenewLeases(ctx, d.cfg.Lease, part)
		if err != nil {
			return err
		}
		d.held.renewed(part, still, now.Add(d.cfg.Lease))
		now = time.Now()
	}
	return nil
}

// takeOverLoop makes runs unknown whose holder let the lease end, and resolves them.
func (d *Dispatcher) takeOverLoop(ctx context.Context) {
	away := outage.Pacer{Log: d.log, What: "take over runs"}
	var looked time.Time // back at the whole ledger
	for {
		back := recent
		if time.Since(looked) > lookBackEvery {
			back, looked = ever, time.Now()
		}
		more, err := d.takeOver(ctx, back)
		away.After(ctx, err)
		if err == nil && more {
			continue
		}
		if !outage.Sleep(ctx, takeOverEvery) {
			return
		}
	}
}

// takeOver reports whether there may be more to take at once.
func (d *Dispatcher) takeOver(ctx context.Context, back time.Duration) (more bool, err error) {
	now := time.Now()
	runs, err := d.cfg.Store.TakeOver(ctx, d.cfg.Owner, d.cfg.Lease, back, takeOverAtOnce)
	if err != nil || len(runs) == 0 {
		return false, err
	}
	d.log.WarnContext(ctx, "took over runs whose lease had ended", "count", len(runs), "first_run_id", runs[0].RunID)
	ids := make([]int32, len(runs))
	for i := range runs {
		ids[i] = runs[i].JobID
	}
	jobs, _, err := d.cache.load(ctx, ids)
	if err != nil {
		return false, err // they are taken over again when this lease ends
	}
	past, err := d.pastSent(ctx, runs, jobs)
	if err != nil {
		return false, err // as above
	}
	entries := make([]*entry, 0, len(runs))
	for _, r := range runs {
		j := jobs[r.JobID]
		if sent, ok := past[job.PastKey{JobID: r.JobID, Version: r.JobVersion}]; ok {
			j = j.WithSent(sent)
		}
		if e, ok := d.adopt(r, j, now); ok {
			entries = append(entries, e)
		}
	}
	d.held.add(entries)
	if entries, err = d.equip(ctx, entries); err != nil {
		for _, e := range entries {
			d.held.remove(e)
		}
		return false, err // as above
	}
	for _, e := range entries {
		d.resolver.now(e)
	}
	return len(runs) == takeOverAtOnce, nil
}

// pastSent is what the jobs of runs said when these were claimed, where an edit replaced
// it since: what is sent a second time must be what may have been sent the first time.
func (d *Dispatcher) pastSent(ctx context.Context, runs []job.Claimed, jobs map[int32]*job.Job) (map[job.PastKey]job.Sent, error) {
	keys := make([]job.PastKey, 0, len(runs))
	for i := range runs {
		if j := jobs[runs[i].JobID]; j != nil && j.Version != runs[i].JobVersion {
			keys = append(keys, job.PastKey{JobID: j.ID, Version: runs[i].JobVersion})
		}
	}
	if len(keys) == 0 {
		return nil, nil
	}
	list, err := d.cfg.Store.PastSent(ctx, keys)
	if err != nil {
		return nil, err
	}
	past := make(map[job.PastKey]job.Sent, len(list))
	for _, p := range list {
		past[p.PastKey] = p.Sent
	}
	return past, nil
}

// adopt makes an entry of a run that was taken over. Its code is the version that its row
// names, and the job is as it was claimed. A run without an address was
// claimed to be ended only, and nothing was sent. A run whose job is gone cannot be
// asked about again; its callback or the lost rule ends it.
func (d *Dispatcher) adopt(r job.Claimed, j *job.Job, now time.Time) (*entry, bool) {
	if r.Address == "" {
		d.cfg.Complete.Report([]job.Ending{failed(&r, job.ReasonNoExecutor, "No executor could be chosen for this run.")})
		return nil, false
	}
	if j == nil {
		d.doubts.park(job.Hold{RunID: r.RunID, Epoch: r.Epoch})
		return nil, false
	}
	return &entry{
		Claimed: r, job: j, lease: now.Add(d.cfg.Lease), sent: true,
		doubt: &doubt{resent: r.Resent},
	}, true
}
