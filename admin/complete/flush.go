package complete

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"time"

	"github.com/gluewheel/gluewheel/admin/job"
)

// batchTimeout bounds one transaction, so that a hung database shows as an error.
const batchTimeout = 5 * time.Second

// maxBatchBytes is the most text of one transaction, unless one result alone is longer: what
// is committed stays done when the rest takes longer than the caller waits.
const maxBatchBytes = 4 << 20

// flush stores one batch of results, then the acceptances whose result did not follow
// within the linger time, as of now.
func (c *Completer) flush(ctx context.Context, now time.Time) error {
	ctx, cancel := context.WithTimeout(ctx, batchTimeout)
	defer cancel()
	batch, running := c.take(now)
	if len(batch) > 0 {
		if err := c.store(ctx, batch); err != nil {
			c.putBack(batch, running, err)
			return err
		}
	}
	if len(running) > 0 {
		if err := c.cfg.Store.MarkRunning(ctx, running); err != nil {
			c.putBack(nil, running, err)
			return err
		}
	}
	return nil
}

// take removes one batch from the queue. Results whose caller is gone are left out,
// and acceptances of runs that end with this batch are folded into it.
func (c *Completer) take(now time.Time) ([]item, []job.Acceptance) {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := c.batchLen()
	batch := make([]item, 0, n)
	for _, it := range c.items[:n] {
		if it.call != nil && it.call.abandoned() {
			continue
		}
		if at, ok := c.accepted[it.RunID]; ok {
			delete(c.accepted, it.RunID)
			if it.StartedAt.IsZero() {
				it.StartedAt = at
			}
		}
		batch = append(batch, it)
	}
	rest := copy(c.items, c.items[n:])
	clear(c.items[rest:])
	c.items = c.items[:rest]
	var running []job.Acceptance
	maps.DeleteFunc(c.accepted, func(id int64, at time.Time) bool {
		if len(running) == c.cfg.MaxBatch || now.Sub(at) < c.cfg.Linger {
			return false
		}
		running = append(running, job.Acceptance{RunID: id, At: at})
		return true
	})
	return batch, running
}

// batchLen is how many of the first results make one transaction.
func (c *Completer) batchLen() int {
	size := 0
	for n := range min(len(c.items), c.cfg.MaxBatch) {
		it := &c.items[n]
		size += len(it.Message)
		if it.LogTail != nil {
			size += len(*it.LogTail)
		}
		if size > maxBatchBytes && n > 0 {
			return n
		}
	}
	return min(len(c.items), c.cfg.MaxBatch)
}

// putBack returns a batch that could not be stored now. Callers that wait are told at
// once, since their executors keep the results; the rest is tried again.
func (c *Completer) putBack(batch []item, running []job.Acceptance, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var again []item
	for _, it := range batch {
		switch {
		case it.stored:
		case it.call != nil:
			it.call.settle(err)
		default:
			again = append(again, it)
		}
	}
	c.items = append(again, c.items...)
	for _, a := range running {
		if len(c.accepted) < 5*c.cfg.MaxQueue {
			c.accepted[a.RunID] = a.At
		}
	}
}

// failAll tells every caller that still waits, at the end of Run.
func (c *Completer) failAll(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, it := range c.items {
		if it.call != nil {
			it.call.settle(err)
		}
	}
	c.items = nil
}

// store commits the batch, or its halves when the database refuses its content. An
// error means that nothing of what is not yet settled was stored.
func (c *Completer) store(ctx context.Context, batch []item) error {
	err := c.commit(ctx, batch)
	switch {
	case err == nil:
		settle(batch, nil)
		return nil
	case !errors.Is(err, job.ErrBadData):
		return err
	case len(batch) > 1:
		half := len(batch) / 2
		if err := c.store(ctx, batch[:half]); err != nil {
			return err
		}
		return c.store(ctx, batch[half:])
	default:
		return c.endPoisoned(ctx, batch, err)
	}
}

// endPoisoned ends a run whose result the database never takes, so that it neither
// stays open nor holds back the others.
func (c *Completer) endPoisoned(ctx context.Context, one []item, cause error) error {
	c.log.Error("result cannot be stored", slog.Int64("run_id", one[0].RunID), slog.Any("err", cause))
	replaced := []item{{Ending: job.Ending{Result: job.Result{
		RunID: one[0].RunID, State: job.Failed, Reason: job.ReasonPoisoned,
		Message: "The result could not be stored. The admin's log says why.", Code: 500,
	}, Epoch: one[0].Epoch}}}
	err := c.commit(ctx, replaced)
	if err != nil && !errors.Is(err, job.ErrBadData) {
		return err
	}
	settle(one, err)
	return nil
}

// commit stores the batch in one transaction and hands on what it created.
func (c *Completer) commit(ctx context.Context, batch []item) error {
	endings := make([]job.Ending, len(batch))
	for i := range batch {
		endings[i] = batch[i].Ending
	}
	out, err := c.cfg.Store.End(ctx, endings, Follow)
	if err != nil {
		return err
	}
	if len(out.Fires) > 0 {
		c.cfg.Added(out.Fires)
	}
	c.logEnds(ctx, out.Ended)
	if c.cfg.Ended != nil && len(out.Ended) > 0 {
		c.cfg.Ended(out.Ended)
	}
	return nil
}

// logEnds says how each run ended, for whoever follows a run.
func (c *Completer) logEnds(ctx context.Context, ended []job.Ended) {
	if !c.log.Enabled(ctx, slog.LevelDebug) {
		return
	}
	for i := range ended {
		e := &ended[i]
		c.log.DebugContext(ctx, "run has ended", "run_id", e.RunID, "job_id", e.JobID, "state", e.State.String())
	}
}

// settle marks items as done, so that a later error of the same batch skips them.
func settle(batch []item, err error) {
	for i := range batch {
		if batch[i].call != nil {
			batch[i].call.settle(err)
		}
		batch[i].stored = true
	}
}
