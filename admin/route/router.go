package route

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/gluewheel/gluewheel/admin/job"
)

var (
	// ErrNoAddress: there is nothing to choose from.
	ErrNoAddress = errors.New("no executor address to choose from")
	// ErrUnknownStrategy: the job names a strategy that does not exist, or
	// SHARDING_BROADCAST, which chooses all.
	ErrUnknownStrategy = errors.New("unknown route strategy")
)

// Config says how executors are asked. Beat and IdleBeat are required.
type Config struct {
	// Beat asks whether an executor is alive, for FAILOVER of a job's run.
	Beat func(ctx context.Context, address string, j *job.Job) error
	// IdleBeat asks whether an executor is not busy with the job, for BUSYOVER.
	IdleBeat func(ctx context.Context, address string, j *job.Job) error
	// ProbeTimeout bounds each of these calls; default 3 s, as XXL-JOB's.
	ProbeTimeout time.Duration
	// Parallel bounds the calls under way for one run; default 8.
	Parallel int
	// Slots bounds the memory: a job costs one, and one for each of its addresses
	// where they are remembered. Default 500,000, some 20 MB.
	Slots int
}

// Router chooses addresses. It is safe for concurrent use.
type Router struct {
	cfg    Config
	turns  *memory[int32, uint32]  // ROUND: the next place, by job
	uses   *memory[int32, scores]  // LEAST_FREQUENTLY_USED: runs handed out
	ages   *memory[int32, scores]  // LEAST_RECENTLY_USED: when last handed out
	points *memory[string, points] // CONSISTENT_HASH: computed from the address alone
}

// New makes a Router.
func New(cfg Config) (*Router, error) {
	if cfg.Beat == nil || cfg.IdleBeat == nil {
		return nil, errors.New("make router: Beat and IdleBeat are required")
	}
	cfg.ProbeTimeout = cmp.Or(cfg.ProbeTimeout, 3*time.Second)
	cfg.Parallel = cmp.Or(cfg.Parallel, 8)
	cfg.Slots = cmp.Or(cfg.Slots, 500_000)
	return &Router{
		cfg:    cfg,
		turns:  newMemory[int32, uint32](cfg.Slots),
		uses:   newMemory[int32, scores](cfg.Slots),
		ages:   newMemory[int32, scores](cfg.Slots),
		points: newMemory[string, points](cfg.Slots / 100),
	}, nil
}

// Pick chooses one of addresses for a run of j, and says why. It blocks for the strategies
// FAILOVER and BUSYOVER only; their error tells what each executor answered.
func (r *Router) Pick(ctx context.Context, j *job.Job, addresses []string) (job.Choice, error) {
	if len(addresses) == 0 {
		return job.Choice{}, ErrNoAddress
	}
	why := job.Route{Strategy: j.RouteStrategy, Candidates: int32(len(addresses))}
	place, err := r.place(ctx, j, addresses, &why)
	if err != nil {
		return job.Choice{}, err
	}
	why.Place = int32(place) + 1
	return job.Choice{Address: addresses[place], Route: why}, nil
}

// place finds the index of the address, and notes in why what else there is to say.
func (r *Router) place(ctx context.Context, j *job.Job, addresses []string, why *job.Route) (int, error) {
	n := len(addresses)
	switch j.RouteStrategy {
	case job.RouteFirst:
		return 0, nil
	case job.RouteLast:
		return n - 1, nil
	case job.RouteRandom:
		return rand.IntN(n), nil
	case job.RouteRound:
		return r.round(j.ID, n), nil
	case job.RouteLFU:
		place, uses := r.leastUsed(j.ID, addresses)
		why.Uses = int64(uses)
		return place, nil
	case job.RouteLRU:
		return r.longestUnused(j.ID, addresses), nil
	case job.RouteHash:
		return r.consistent(j.ID, addresses), nil
	case job.RouteFailover:
		return r.probe(ctx, addresses, j, r.cfg.Beat, why)
	case job.RouteBusyover:
		return r.probe(ctx, addresses, j, r.cfg.IdleBeat, why)
	}
	return 0, fmt.Errorf("%w %q: choose another in the job", ErrUnknownStrategy, j.RouteStrategy)
}

// round takes turns in the order of the list.
func (r *Router) round(jobID int32, n int) int {
	var place int
	r.turns.update(jobID, func(turn uint32, known bool) (uint32, int) {
		if !known {
			turn = rand.Uint32N(1 << 30)
		}
		place = int(turn % uint32(n))
		return turn + 1, 1
	})
	return place
}
