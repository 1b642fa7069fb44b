package dispatch

import (
	"context"
	"slices"
	"sync"

	"github.com/gluewheel/gluewheel/admin/job"
)

// maxProbes bounds the runs whose routing asks executors at the same time. Each takes
// at most one request's timeout an address.
const maxProbes = 64

// probing routes the strategies that ask executors (FAILOVER, BUSYOVER) apart from the
// tick, so that a hanging executor delays only their runs.
type probing struct {
	mu      sync.Mutex
	queue   []routed
	workers int
}

// route chooses addresses for what is not yet routed. Runs whose strategy asks executors,
// and those that wait for one to register, go their own way and come back through the
// inbox.
func (d *Dispatcher) route(ctx context.Context, batch []routed) ([]routed, error) {
	ids := make([]int32, 0, len(batch))
	for i := range batch {
		if !batch[i].ready {
			ids = append(ids, batch[i].JobID)
		}
	}
	slices.Sort(ids)
	jobs, groups, err := d.cache.load(ctx, slices.Compact(ids))
	if err != nil {
		return nil, err
	}
	lists := map[int32][]string{} // group → addresses, once a batch
	ready := make([]routed, 0, len(batch))
	for _, r := range batch {
		if r.ready {
			ready = append(ready, r)
			continue
		}
		r.ready = true
		if r.job = jobs[r.JobID]; r.job == nil {
			ready = append(ready, r) // its claim cancels it
			continue
		}
		if r.addresses = r.own; r.own == nil {
			r.addresses = d.groupAddresses(lists, groups[r.job.GroupID])
		}
		if g := groups[r.job.GroupID]; d.awaits(&r, g) {
			d.lobby.add(&r, g)
			continue
		}
		if probes(r.job) && len(r.addresses) > 0 {
			d.probe(ctx, r)
			continue
		}
		d.choose(ctx, &r)
		ready = append(ready, r)
	}
	return ready, nil
}

func (d *Dispatcher) groupAddresses(lists map[int32][]string, g *job.Group) []string {
	if g == nil {
		return nil
	}
	list, ok := lists[g.ID]
	if !ok {
		list = d.cfg.Registry.Addresses(g)
		lists[g.ID] = list
	}
	return list
}

func probes(j *job.Job) bool {
	return j.RouteStrategy == job.RouteFailover || j.RouteStrategy == job.RouteBusyover
}

// choose narrows r.addresses to where the run goes, or says why there is no such place.
//
// A retried shard goes to the executor at its index again, or to the first one when
// the group has shrunk, as in XXL-JOB.
func (d *Dispatcher) choose(ctx context.Context, r *routed) {
	r.why, r.route = failure{}, nil
	switch {
	case len(r.addresses) == 0:
		r.addresses, r.why = nil, failure{job.ReasonNoExecutor, "No executor of the group is registered. Start one, or enter its address in the group."}
		return
	case r.job.GlueType.Live() && r.job.GlueVersion == 0 && !r.test:
		r.addresses, r.why = nil, failure{job.ReasonBadVersion, "No version of the job's code is published. Publish one."}
		return
	case r.job.RouteStrategy == job.RouteBroadcast && r.Shard == job.BroadcastParent:
		return
	case r.job.RouteStrategy == job.RouteBroadcast:
		i, n := int(r.Shard), len(r.addresses)
		gone := i < 0 || i >= n
		if gone {
			i = 0
		}
		r.addresses = r.addresses[i : i+1]
		r.route = &job.Route{Strategy: job.RouteBroadcast, Candidates: int32(n), Place: int32(i) + 1, Gone: gone}
		return
	}
	choice, err := d.cfg.Router.Pick(ctx, r.job, r.addresses)
	if err != nil {
		r.addresses, r.why = nil, failure{job.ReasonRouteFailed, err.Error()}
		return
	}
	r.addresses, r.route = []string{choice.Address}, &choice.Route
}

// probe queues a run for routing by workers that start on demand.
func (d *Dispatcher) probe(ctx context.Context, r routed) {
	p := &d.probing
	p.mu.Lock()
	defer p.mu.Unlock()
	p.queue = append(p.queue, r)
	if p.workers < maxProbes {
		p.workers++
		d.wg.Go(func() { d.probeWorker(ctx) })
	}
}

func (d *Dispatcher) probeWorker(ctx context.Context) {
	p := &d.probing
	for {
		p.mu.Lock()
		if len(p.queue) == 0 || ctx.Err() != nil {
			p.workers--
			p.mu.Unlock()
			return
		}
		r := p.queue[0]
		p.queue[0] = routed{}
		p.queue = p.queue[1:]
		p.mu.Unlock()
		d.choose(ctx, &r)
		d.inbox.addBack([]routed{r})
	}
}
