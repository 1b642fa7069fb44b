package schedule

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gluewheel/gluewheel/admin/job"
)

const (
	// horizon is how far ahead jobs are planned, XXL-JOB's pre-read window.
	horizon = 5 * time.Second
	// planLimit is the most jobs and about the most rows of one planning transaction,
	// XXL-JOB's with its default pools.
	planLimit = 6000
	// handOverAhead is how long before its instant a fire goes to dispatch, which claims
	// it at once: from then on edits no longer bind it.
	handOverAhead = time.Second
	// handOverEvery is the ring's tick.
	handOverEvery = 100 * time.Millisecond
	// ringLimit bounds the ring's memory to some 25 MB.
	ringLimit = 200_000
	// scheduleLimit bounds the cache of compiled schedules, a generation.
	scheduleLimit = 20_000
	// readyFor is how long ago the last complete planning round may be.
	readyFor = 5 * time.Second
)

// ledger is what scheduling needs of the store.
type ledger interface {
	PlanDue(ctx context.Context, req job.PlanRequest, plan func(now time.Time, due []job.Due) job.Plan) (job.PlanResult, error)
	Sweep(ctx context.Context, req job.SweepRequest, misfire func(late []job.Late) (skip []int64)) (job.SweepResult, error)
	KeepPartitions(ctx context.Context) error
	DropPartitions(ctx context.Context, before time.Time) (dropped []string, err error)
}

// cluster is what an admin needs of the store to take part.
type cluster interface {
	Heartbeat(ctx context.Context, id int32, name string, clock *job.ClockReading) (job.Pulse, error)
	RemoveNode(ctx context.Context, id int32) error
	Watch(ctx context.Context, fn func(job.Change)) error
}

// dispatcher takes fires over. Only the scheduler hands any to it.
type dispatcher interface {
	// Free is how many fires it takes now.
	Free() int
	// Dispatch takes fires that are due within handOverAhead, at most Free. It does not
	// block.
	Dispatch(fires []job.Fire)
}

// Config is what a scheduler is made of.
type Config struct {
	// Ledger and Cluster are both the store. Required.
	Ledger  ledger
	Cluster cluster
	// Dispatcher takes the fires. Required.
	Dispatcher dispatcher
	// Parse compiles schedules; cron.For. Required.
	Parse ParseFunc
	// Node is this admin's id, from store.RegisterNode. Required.
	Node int32
	// Name is the admin's name for people.
	Name string
	// Zone is the time zone of jobs that name none; default UTC.
	Zone *time.Location
	// Buckets is how many locks jobs are spread over, at least; default 1, as XXL-JOB.
	Buckets int
	// Retention is how long ended runs are kept; default 0, for ever.
	Retention time.Duration
	// Drain is how long Run goes on handing over committed fires after its context has
	// ended. What is left then is swept up by other admins, or fires late after the next
	// start. Default 0.
	Drain time.Duration
	// Changed is told of every change of jobs and groups, for caches; it must not block.
	// Default: nobody.
	Changed func(job.Change)
	// Log is required.
	Log *slog.Logger
}

// Scheduler plans, keeps and hands over fires, and keeps this admin alive in the cluster.
type Scheduler struct {
	cfg     Config
	log     *slog.Logger
	clock   clock
	planner planner
	ring    *ring
	trouble *trouble
	wake    chan struct{}             // capacity 1: fires to be handed over at once
	nudge   chan struct{}             // capacity 1: something to be planned at once
	rounded atomic.Pointer[time.Time] // when the last planning round was complete

	swept recent // by the sweeper's goroutine only
	// measured is the machine's clock as the last heartbeat found it; nil before the first.
	// By the heartbeat's goroutine only.
	measured *job.ClockReading
}

// New makes a scheduler; Run starts it.
func New(cfg Config) (*Scheduler, error) {
	switch {
	case cfg.Ledger == nil || cfg.Cluster == nil:
		return nil, errors.New("schedule: Config.Ledger and Config.Cluster are required")
	case cfg.Dispatcher == nil:
		return nil, errors.New("schedule: Config.Dispatcher is required")
	case cfg.Parse == nil:
		return nil, errors.New("schedule: Config.Parse is required")
	case cfg.Node == 0:
		return nil, errors.New("schedule: Config.Node is required")
	case cfg.Log == nil:
		return nil, errors.New("schedule: Config.Log is required")
	}
	cfg.Buckets = cmp.Or(cfg.Buckets, 1)
	cfg.Zone = cmp.Or(cfg.Zone, time.UTC)
	if cfg.Changed == nil {
		cfg.Changed = func(job.Change) {}
	}
	log := cfg.Log.With("component", "schedule")
	return &Scheduler{
		cfg: cfg,
		log: log,
		planner: planner{
			schedules: parsed{parse: cfg.Parse, zone: cfg.Zone, limit: scheduleLimit},
			horizon:   horizon,
			limit:     planLimit,
		},
		ring:    newRing(ringLimit),
		trouble: newTrouble(log),
		wake:    make(chan struct{}, 1),
		nudge:   make(chan struct{}, 1),
	}, nil
}

// Run schedules until ctx ends and all that it started has ended. It survives any
// failure of the database. The dispatcher must take fires until Run returns.
func (s *Scheduler) Run(ctx context.Context) error {
	// Handing over outlives planning by the drain, and the node stays live as long.
	handing, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	var producers, consumers sync.WaitGroup
	consumers.Go(func() { s.handOverLoop(handing) })
	consumers.Go(func() { s.repeat(handing, heartbeatTask, s.heartbeat) })
	producers.Go(func() { s.planLoop(ctx) })
	producers.Go(func() { s.repeat(ctx, sweepTask, s.sweep) })
	producers.Go(func() { s.repeat(ctx, partitionTask, s.keepPartitions) })
	producers.Go(func() { s.watchLoop(ctx) })
	producers.Wait()
	s.drain()
	stop()
	consumers.Wait()
	return s.leave(ctx)
}

// Add puts committed fires into the ring: manual runs, retries, children. Those already
// due are handed over at once.
func (s *Scheduler) Add(fires []job.Fire) {
	if len(fires) == 0 {
		return
	}
	if refused := s.ring.add(s.clock.now(), fires); refused > 0 {
		s.log.Warn("ring is full, fires wait in the ledger", "fires", refused)
	}
	signal(s.wake)
}

// Ready reports whether a planning round was completed lately, so that jobs can fire.
func (s *Scheduler) Ready() bool {
	at := s.rounded.Load()
	return at != nil && time.Since(*at) < readyFor
}

// Now is the database's time as known from the last heartbeats.
func (s *Scheduler) Now() time.Time { return s.clock.now() }

// signal sets a flag that its receiver has perhaps not seen yet.
func signal(flag chan<- struct{}) {
	select {
	case flag <- struct{}{}:
	default:
	}
}
