package registry

import (
	"context"
	"sync"
	"time"

	"github.com/gluewheel/gluewheel/admin/job"
	"github.com/gluewheel/gluewheel/admin/outage"
	"github.com/gluewheel/gluewheel/executor/protocol"
)

const (
	monitorEvery = 10 * time.Second
	// settled is how old an acceptance must be before a beat that does not list it
	// counts: the beat may have been written before.
	settled = 10 * time.Second
	// foreignPatience is XXL-JOB's rule for results that do not come.
	foreignPatience = 10 * time.Minute
	// forgetAfter is how long a dead executor is still shown.
	forgetAfter = 24 * time.Hour
	// loseAtOnce bounds the runs that one pass ends; the next pass takes the rest.
	loseAtOnce = 2000
	// probesAtOnce bounds the addresses that are asked at the same time.
	probesAtOnce = 16
)

// loseUnheld ends runs that their executor, one of ours, no longer answers for.
func (r *Registry) loseUnheld(ctx context.Context, batch []beat) error {
	held := map[string]map[int64]bool{} // address → runs
	var addresses []string
	age := settled
	for _, b := range batch {
		if !b.Holds {
			continue
		}
		address := job.SameAddress(b.Address)
		ids := make(map[int64]bool, len(b.Held))
		for _, id := range b.Held {
			ids[id] = true
		}
		held[address] = ids
		addresses = append(addresses, address)
		age = max(age, settled+time.Since(b.at))
	}
	if len(addresses) == 0 {
		return nil
	}
	open, err := r.cfg.Store.OpenRuns(ctx, []job.State{job.Running}, addresses, age, loseAtOnce+totalHeld(held))
	if err != nil {
		return err
	}
	var lost []job.Result
	for _, o := range open {
		if !held[job.SameAddress(o.Address)][o.RunID] && len(lost) < loseAtOnce {
			lost = append(lost, r.unheld(o))
		}
	}
	return r.lose(ctx, lost)
}

// totalHeld is how many open runs may be listed before one that is not held.
func totalHeld(held map[string]map[int64]bool) int {
	n := 0
	for _, ids := range held {
		n += len(ids)
	}
	return n
}

// unheld says why a live executor does not hold the run.
func (r *Registry) unheld(o job.OpenRun) job.Result {
	e, ok := r.view.Load().at[job.SameAddress(o.Address)]
	if ok && o.StartedAt != nil && o.StartedAt.Before(e.RegisteredAt) {
		return lostRun(o.RunID, job.ReasonLostRestart, "The executor restarted and does not know the run any more.")
	}
	return lostRun(o.RunID, job.ReasonLostResult, "The executor does not know the run any more.")
}

func lostRun(id int64, reason, message string) job.Result {
	return job.Result{RunID: id, State: job.Lost, Reason: reason, Message: message}
}

func (r *Registry) lose(ctx context.Context, lost []job.Result) error {
	if len(lost) == 0 {
		return nil
	}
	r.log.WarnContext(ctx, "runs are lost", "count", len(lost), "first_run_id", lost[0].RunID, "reason", lost[0].Reason)
	return r.cfg.Complete.End(ctx, lost)
}

// monitorLoop gives up the runs of executors that are gone, and forgets those that
// have been gone for a day.
func (r *Registry) monitorLoop(ctx context.Context) {
	away := outage.Pacer{Log: r.log, What: "look for lost runs"}
	for outage.Sleep(ctx, monitorEvery) {
		err := r.loseGone(ctx)
		if err == nil {
			err = r.cfg.Store.ForgetExecutors(ctx, forgetAfter)
		}
		away.After(ctx, err)
	}
}

// loseGone ends the runs at addresses whose executor does not come back.
func (r *Registry) loseGone(ctx context.Context) error {
	if err := r.refresh(ctx); err != nil { // an old view knows nothing about the present
		return err
	}
	open, err := r.cfg.Store.OpenAddresses(ctx)
	if err != nil {
		return err
	}
	v := r.view.Load()
	var ours, foreign, strangers, alive []string
	for _, o := range open {
		e, known := v.at[job.SameAddress(o.Address)]
		switch {
		case known && !Dead(e):
			if e.Dialect != job.DialectGluewheel && o.Oldest >= foreignPatience {
				alive = append(alive, o.Address)
			}
		case known && e.Dialect == job.DialectGluewheel:
			ours = append(ours, o.Address)
		case o.Oldest < foreignPatience:
		case known:
			foreign = append(foreign, o.Address)
		default:
			strangers = append(strangers, o.Address)
		}
	}
	if err := r.loseAt(ctx, ours, 0, job.ReasonLostExecutor, "The executor has not been heard of for 90 s."); err != nil {
		return err
	}
	const noResult = "No result for ten minutes, and the executor is not there any more."
	gone := append(foreign, r.unanswering(ctx, strangers)...)
	if err := r.loseAt(ctx, gone, foreignPatience, job.ReasonLostResult, noResult); err != nil {
		return err
	}
	for _, a := range strangers {
		if _, silent := r.silent[a]; !silent {
			alive = append(alive, a)
		}
	}
	return r.loseForgotten(ctx, alive)
}

func (r *Registry) loseAt(ctx context.Context, addresses []string, age time.Duration, reason, message string) error {
	if len(addresses) == 0 {
		return nil
	}
	open, err := r.cfg.Store.OpenRuns(ctx, []job.State{job.Running, job.Unknown}, addresses, age, loseAtOnce)
	if err != nil {
		return err
	}
	lost := make([]job.Result, len(open))
	for i, o := range open {
		lost[i] = lostRun(o.RunID, reason, message)
	}
	return r.lose(ctx, lost)
}

// unanswering asks addresses that never registered, and tells which of them have not
// answered for as long as makes a registered executor dead.
func (r *Registry) unanswering(ctx context.Context, addresses []string) []string {
	answers := make([]bool, len(addresses))
	limit := make(chan struct{}, probesAtOnce)
	var wg sync.WaitGroup
	for i, a := range addresses {
		limit <- struct{}{}
		wg.Go(func() {
			defer func() { <-limit }()
			answers[i] = there(r.cfg.Prober.Beat(ctx, job.Target{Address: a}))
		})
	}
	wg.Wait()
	now, since := time.Now(), map[string]time.Time{}
	var gone []string
	for i, a := range addresses {
		if answers[i] || ctx.Err() != nil {
			continue
		}
		first, ok := r.silent[a]
		if !ok {
			first = now
		}
		since[a] = first
		if now.Sub(first) >= protocol.DeadAfter {
			gone = append(gone, a)
		}
	}
	r.silent = since
	return gone
}
