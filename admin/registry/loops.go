package registry

import (
	"context"
	"time"

	"github.com/gluewheel/gluewheel/admin/job"
	"github.com/gluewheel/gluewheel/admin/outage"
)

// storeLoop stores beats in batches, and looks for runs that their senders no longer
// hold.
func (r *Registry) storeLoop(ctx context.Context) {
	away := outage.Pacer{Log: r.log, What: "store registrations"}
	for {
		select {
		case <-ctx.Done():
			return
		case <-r.wake:
		}
		if !outage.Sleep(ctx, beatLinger) {
			return
		}
		away.After(ctx, r.storeBeats(ctx))
	}
}

func (r *Registry) storeBeats(ctx context.Context) error {
	batch := r.takeBeats()
	if len(batch) == 0 {
		return nil
	}
	plain := make([]job.Beat, len(batch))
	for i := range batch {
		plain[i] = batch[i].Beat
	}
	if err := r.cfg.Store.StoreBeats(ctx, plain); err != nil {
		r.putBack(batch)
		return err
	}
	if err := r.refresh(ctx); err != nil {
		return err
	}
	return r.loseUnheld(ctx, batch)
}

func (r *Registry) takeBeats() []beat {
	r.mu.Lock()
	defer r.mu.Unlock()
	batch := make([]beat, 0, len(r.beats))
	for _, b := range r.beats {
		batch = append(batch, b)
	}
	clear(r.beats)
	return batch
}

// putBack keeps beats for the next time, unless the executor beat again meanwhile.
func (r *Registry) putBack(batch []beat) {
	r.mu.Lock()
	for _, b := range batch {
		k := key{b.AppName, b.Address}
		if _, newer := r.beats[k]; !newer {
			r.beats[k] = b
		}
	}
	r.mu.Unlock()
	r.poke()
}

// refreshLoop reads what the other admins heard: when they tell, and each second.
func (r *Registry) refreshLoop(ctx context.Context) {
	away := outage.Pacer{Log: r.log, What: "read executors"}
	for {
		away.After(ctx, r.refresh(ctx))
		select {
		case <-ctx.Done():
			return
		case <-time.After(refreshEvery):
		case <-r.news:
			if !outage.Sleep(ctx, beatLinger) { // a fleet registers at once
				return
			}
		}
	}
}

func (r *Registry) refresh(ctx context.Context) error {
	list, err := r.cfg.Store.Executors(ctx)
	if err != nil {
		return err
	}
	r.view.Store(r.newView(list))
	return nil
}
