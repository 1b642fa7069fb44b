package dispatch

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/gluewheel/gluewheel/admin/job"
	"github.com/gluewheel/gluewheel/executor/protocol"
	"github.com/gluewheel/gluewheel/glue"
)

// claimer takes runs for this admin, and keeps or returns them.
type claimer interface {
	Claim(ctx context.Context, owner int32, lease time.Duration, claims []job.Claim) ([]job.Claimed, error)
	ClaimLimited(ctx context.Context, owner int32, lease time.Duration, claims []job.Claim) (answers []job.Claimed, full []int64, err error)
	ExpandBroadcast(ctx context.Context, owner int32, lease time.Duration, parents []job.Expansion) ([]job.Claimed, error)
	RenewLeases(ctx context.Context, lease time.Duration, holds []job.Hold) ([]int64, error)
	Release(ctx context.Context, holds []job.Hold) ([]int64, error)
}

// doubter keeps the ledger's view of requests without an answer.
type doubter interface {
	MarkUnknown(ctx context.Context, lease time.Duration, doubts []job.Doubt) ([]int64, error)
	TakeOver(ctx context.Context, owner int32, lease, back time.Duration, limit int) ([]job.Claimed, error)
	MarkResent(ctx context.Context, h job.Hold) (bool, error)
	Park(ctx context.Context, holds []job.Hold) ([]int64, error)
}

// catalog reads what runs are made of, many at a time.
type catalog interface {
	JobsByID(ctx context.Context, ids []int32) ([]job.Job, error)
	PastSent(ctx context.Context, keys []job.PastKey) ([]job.PastSent, error)
	GroupsByID(ctx context.Context, ids []int32) ([]job.Group, error)
	VersionsByKey(ctx context.Context, keys []job.VersionKey) ([]glue.Version, error)
	TestCodes(ctx context.Context, runIDs []int64) ([]job.TestCode, error)
}

// router chooses one of at least one address. It may call executors only for the
// strategies FAILOVER and BUSYOVER. Its error says to people why none is usable.
type router interface {
	Pick(ctx context.Context, j *job.Job, addresses []string) (job.Choice, error)
}

// registry knows executors by group and by address.
type registry interface {
	Addresses(g *job.Group) []string
	Target(group int32, address string) job.Target
}

// sender calls executors.
type sender interface {
	Run(ctx context.Context, t job.Target, trigger *protocol.Trigger) job.Outcome
	RunBatch(ctx context.Context, t job.Target, triggers []protocol.Trigger) []job.Outcome
	Log(ctx context.Context, t job.Target, runID int64, fireAt time.Time, fromLine int) (job.LogPiece, error)
}

// completer takes what became of runs. It does not block.
type completer interface {
	Accepted(taken []job.Acceptance)
	Report(endings []job.Ending)
}

// Store is what dispatch needs of the ledger; *store.Store has it.
type Store interface {
	claimer
	doubter
	catalog
}

// Config wires a Dispatcher. All without a default are required.
type Config struct {
	Owner    int32 // this admin's node id
	Store    Store
	Router   router
	Registry registry
	Sender   sender
	Complete completer
	Log      *slog.Logger

	// Now is the clock that instants are compared with; default time.Now.
	Now func() time.Time
	// Lease is how long a claim lasts without renewal; default 5 s.
	Lease time.Duration
	// SendTimeout is the longest a request takes; default protocol.CallTimeout.
	SendTimeout time.Duration
	// FastWorkers and SlowWorkers bound the requests under way; default 300 and 200 as
	// in XXL-JOB. Workers are started on demand and end when there is nothing to send.
	FastWorkers, SlowWorkers int
	// Waited, when set, hears for each request how long its first run waited in its pool:
	// in the slow one or in the fast one. It must not block.
	Waited func(slow bool, wait time.Duration)
	// Capacity bounds the runs that are handed over and not yet sent; default 20,000.
	Capacity int
	// ExecutorGrace is how long after its instant a run waits for the first executor of
	// its group to register; default 5 s.
	ExecutorGrace time.Duration
}

const (
	// Requests under way to one address. A hanging executor holds no more of the fast
	// pool than this for one timeout, and then only of the slow pool.
	fastPerAddress = 64
	slowPerAddress = 8
	// resendPatience is how often an unreachable executor is asked about the run of an
	// idempotent job before the run may go to another one.
	resendPatience = 5
)

func (c *Config) check() error {
	if c.Owner == 0 || c.Store == nil || c.Router == nil || c.Registry == nil || c.Sender == nil || c.Complete == nil || c.Log == nil {
		return errors.New("make dispatcher: Owner, Store, Router, Registry, Sender, Complete and Log are required")
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	c.Lease = cmp.Or(c.Lease, 5*time.Second)
	c.SendTimeout = cmp.Or(c.SendTimeout, protocol.CallTimeout)
	c.FastWorkers = cmp.Or(c.FastWorkers, 300)
	c.SlowWorkers = cmp.Or(c.SlowWorkers, 200)
	c.Capacity = cmp.Or(c.Capacity, 20000)
	c.ExecutorGrace = cmp.Or(c.ExecutorGrace, executorGrace)
	if c.Lease <= c.SendTimeout {
		return errors.New("make dispatcher: Lease must be longer than SendTimeout")
	}
	return nil
}

// Dispatcher sends runs. Safe for concurrent use.
type Dispatcher struct {
	cfg      Config
	log      *slog.Logger
	inbox    inbox
	cache    *cache
	probing  probing
	lobby    lobby
	pacer    pacer
	held     held
	fast     *pool
	slow     *pool
	pace     slowness
	doubts   doubts
	resolver resolver
	wg       sync.WaitGroup // workers of pools and probes
}

// New checks the configuration; Run does the work.
func New(cfg Config) (*Dispatcher, error) {
	if err := cfg.check(); err != nil {
		return nil, err
	}
	d := &Dispatcher{cfg: cfg, log: cfg.Log.With("component", "dispatch"), cache: newCache(cfg.Store)}
	d.inbox.init(cfg.Capacity)
	d.lobby.init(max(cfg.Capacity/lobbyShare, 1))
	d.pacer.init()
	d.held.init()
	d.pace.init()
	d.doubts.init()
	d.resolver.init()
	d.fast = newPool(cfg.FastWorkers, min(fastPerAddress, cfg.FastWorkers), &d.wg, d.send)
	d.slow = newPool(cfg.SlowWorkers, min(slowPerAddress, cfg.SlowWorkers), &d.wg, d.send)
	if cfg.Waited != nil {
		d.fast.waited = func(wait time.Duration) { cfg.Waited(false, wait) }
		d.slow.waited = func(wait time.Duration) { cfg.Waited(true, wait) }
	}
	return d, nil
}

// Dispatch takes committed runs that are due within the next second, or late. It does
// not block. What exceeds Free is left to the sweeper, which offers it again.
func (d *Dispatcher) Dispatch(fires []job.Fire) {
	left := d.inbox.add(fires, d.held.unsent())
	if left > 0 {
		d.log.Warn("runs left to the sweeper: too many wait to be sent", "count", left, "first_run_id", fires[len(fires)-left].RunID)
	}
}

// Free is how many more runs Dispatch takes now.
func (d *Dispatcher) Free() int { return d.inbox.free(d.held.unsent()) }

// Pools tells the load of both pools.
func (d *Dispatcher) Pools() (fast, slow PoolLoad) { return d.fast.load(), d.slow.load() }

// Drop forgets what changed of jobs and groups. The claim's version check would find
// out about jobs by itself, at the price of a second round.
func (d *Dispatcher) Drop(c job.Change) {
	if c.Kind == job.ChangeExecutors {
		return // the registry is asked each time
	}
	d.cache.drop(c)
	d.reconsider(c)
}

// Run works until ctx ends. Then requests under way are finished, and runs that were
// claimed and not sent are given back, for other admins to send.
func (d *Dispatcher) Run(ctx context.Context) error {
	var loops sync.WaitGroup
	for _, loop := range []func(context.Context){d.claimLoop, d.lobbyLoop, d.paceLoop, d.renewLoop, d.takeOverLoop, d.doubtLoop, d.resolveLoop} {
		loops.Go(func() { loop(ctx) })
	}
	loops.Wait()
	d.fast.close()
	d.slow.close()
	d.wg.Wait()
	d.giveBack(context.WithoutCancel(ctx))
	return nil
}

// giveBack makes what was not sent planned again, and what was not answered unknown,
// within the time of one request. What fails here is found by the takeover.
func (d *Dispatcher) giveBack(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, d.cfg.SendTimeout)
	defer cancel()
	d.doubts.giveUp(d.held.takeUnsent())
	if err := d.flushDoubts(ctx); err != nil {
		d.log.WarnContext(ctx, "held runs not given back: their leases end soon", "err", err)
	}
}
