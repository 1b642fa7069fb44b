package complete

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/gluewheel/gluewheel/admin/job"
	"github.com/gluewheel/gluewheel/admin/outage"
)

// ErrBusy: the queue is full, because the database is slow or away.
var ErrBusy = errors.New("too many results wait to be stored")

// ledger stores ends.
type ledger interface {
	End(ctx context.Context, endings []job.Ending, follow func(*job.Ended, *job.FollowRules) job.Follow) (job.Ends, error)
	MarkRunning(ctx context.Context, taken []job.Acceptance) error
}

// Config has defaults for all but the required parts.
type Config struct {
	Store ledger       // required
	Log   *slog.Logger // required
	// Added gets the retries and children that a commit created, for the ring. It must
	// not block. Required.
	Added func([]job.Fire)
	// Ended, when set, gets every run that a commit ended. It must not block.
	Ended func([]job.Ended)
	// Linger is how long a batch is gathered; default 20 ms.
	Linger time.Duration
	// MaxBatch is the most results of one transaction; default 2,000.
	MaxBatch int
	// MaxQueue is the most results that wait; default 20,000. Beyond it End fails.
	MaxQueue int
	// Wait bounds End; default 2 s, because Java executors wait 3 s for an answer.
	Wait time.Duration
}

// Completer gathers results and stores them. Safe for concurrent use.
type Completer struct {
	cfg  Config
	log  *slog.Logger
	wake chan struct{} // capacity 1: something waits

	mu       sync.Mutex
	items    []item
	accepted map[int64]time.Time // run → when its executor took it
	stopped  bool
}

// item is a result that waits. call is nil when nobody waits for it.
type item struct {
	job.Ending
	call   *call
	stored bool // committed, or given up with its caller told
}

// New checks the configuration; Run does the work.
func New(cfg Config) (*Completer, error) {
	if cfg.Store == nil || cfg.Log == nil || cfg.Added == nil {
		return nil, errors.New("make completer: Store, Log and Added are required")
	}
	cfg.Linger = cmp.Or(cfg.Linger, 20*time.Millisecond)
	cfg.MaxBatch = cmp.Or(cfg.MaxBatch, 2000)
	cfg.MaxQueue = cmp.Or(cfg.MaxQueue, 20000)
	cfg.Wait = cmp.Or(cfg.Wait, 2*time.Second)
	return &Completer{
		cfg: cfg, log: cfg.Log.With("component", "complete"),
		wake: make(chan struct{}, 1), accepted: map[int64]time.Time{},
	}, nil
}

// End stores results of executors and returns after the commit. It fails within 2 s
// when the database is away; the results may then be stored all the same, which does
// no harm, since a repeated result is ignored.
func (c *Completer) End(ctx context.Context, results []job.Result) error {
	endings := make([]job.Ending, len(results))
	for i := range results {
		endings[i].Result = results[i]
	}
	return c.EndStarted(ctx, endings)
}

// EndStarted is End for results that carry more, such as when the run began.
func (c *Completer) EndStarted(ctx context.Context, endings []job.Ending) error {
	if len(endings) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeoutCause(ctx, c.cfg.Wait, errWaited)
	defer cancel()
	w := newCall(len(endings))
	if err := c.add(endings, w); err != nil {
		return err
	}
	return w.wait(ctx)
}

// Report hands over endings without waiting, and tries until they are stored. When
// the queue is full they are dropped, and the takeover finds their runs.
func (c *Completer) Report(endings []job.Ending) {
	if err := c.add(endings, nil); err != nil && len(endings) > 0 {
		c.log.Warn("results of the dispatcher dropped", "count", len(endings), "first_run_id", endings[0].RunID, "err", err)
	}
}

func (c *Completer) add(endings []job.Ending, w *call) error {
	c.mu.Lock()
	if c.stopped || len(c.items)+len(endings) > c.cfg.MaxQueue {
		c.mu.Unlock()
		return ErrBusy
	}
	now := time.Now()
	for i := range endings {
		it := item{Ending: clean(endings[i]), call: w}
		it.CameAt = now
		c.items = append(c.items, it)
	}
	c.mu.Unlock()
	c.poke()
	return nil
}

// Accepted notes that executors took runs. When too many wait they are forgotten: the
// lease of such a run ends, and its executor is asked again.
func (c *Completer) Accepted(taken []job.Acceptance) {
	c.mu.Lock()
	for _, a := range taken {
		if len(c.accepted) < 5*c.cfg.MaxQueue {
			c.accepted[a.RunID] = a.At
		}
	}
	c.mu.Unlock()
	c.poke()
}

// Waiting is how many results wait to be stored.
func (c *Completer) Waiting() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.items)
}

func (c *Completer) poke() {
	select {
	case c.wake <- struct{}{}:
	default: // the flusher is awake already
	}
}

// Run stores what comes in until ctx ends, and then what still waits, for at most the
// time that End waits.
func (c *Completer) Run(ctx context.Context) error {
	away := outage.Pacer{Log: c.log, What: "store results"}
	for {
		select {
		case <-ctx.Done():
			return c.drain(context.WithoutCancel(ctx))
		case <-c.wake:
		}
		c.linger(ctx)
		err := c.flush(context.WithoutCancel(ctx), time.Now()) // a batch under way is finished
		away.After(ctx, err)
		if c.pending() {
			c.poke()
		}
	}
}

// linger waits until a batch is worth its transaction.
func (c *Completer) linger(ctx context.Context) {
	c.mu.Lock()
	full := len(c.items) >= c.cfg.MaxBatch
	c.mu.Unlock()
	if full {
		return
	}
	t := time.NewTimer(c.cfg.Linger)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}

func (c *Completer) pending() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.items) > 0 || len(c.accepted) > 0
}

// drain stores the rest at the end, and refuses what comes after.
func (c *Completer) drain(ctx context.Context) error {
	c.mu.Lock()
	c.stopped = true
	c.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, c.cfg.Wait)
	defer cancel()
	for c.pending() && ctx.Err() == nil {
		if err := c.flush(ctx, time.Now().Add(c.cfg.Linger)); err != nil {
			c.failAll(err)
			return err
		}
	}
	return nil
}
