package registry

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gluewheel/gluewheel/admin/job"
	"github.com/gluewheel/gluewheel/executor/protocol"
)

// ErrBusy: too many executors beat at once, or the database is away for long.
var ErrBusy = errors.New("too many registrations wait to be stored")

// nodes stores registrations.
type nodes interface {
	StoreBeats(ctx context.Context, beats []job.Beat) error
	RemoveExecutor(ctx context.Context, appName, address string) error
	Executors(ctx context.Context) ([]job.Executor, error)
	ForgetExecutors(ctx context.Context, silent time.Duration) error
}

// runs finds what executors have, or may have.
type runs interface {
	OpenAddresses(ctx context.Context) ([]job.OpenAt, error)
	OpenRuns(ctx context.Context, states []job.State, addresses []string, age time.Duration, limit int) ([]job.OpenRun, error)
}

// Store is what the registry needs of the database; *store.Store has it.
type Store interface {
	nodes
	runs
}

// prober asks whether an executor is there.
type prober interface {
	Beat(ctx context.Context, t job.Target) job.Outcome
}

// completer ends runs, and returns after the commit.
type completer interface {
	End(ctx context.Context, results []job.Result) error
}

// Config wires a Registry; everything is required.
type Config struct {
	Store    Store
	Prober   prober
	Complete completer
	Log      *slog.Logger
}

const (
	// maxWaiting bounds the executors whose beats wait to be stored.
	maxWaiting = 20000
	// beatLinger gathers beats that come together: 3.4 executors beat on the same second.
	beatLinger   = 50 * time.Millisecond
	refreshEvery = time.Second
)

// Registry knows the executors. Safe for concurrent use.
type Registry struct {
	cfg  Config
	log  *slog.Logger
	view atomic.Pointer[view]
	wake chan struct{} // capacity 1: a beat came in

	mu    sync.Mutex
	beats map[key]beat // the last of each executor, until it is stored

	silent map[string]time.Time // unregistered address → unanswered since; of the monitor's goroutine
}

type key struct{ app, address string }

type beat struct {
	job.Beat
	at time.Time
}

// New checks the configuration; Run does the work.
func New(cfg Config) (*Registry, error) {
	if cfg.Store == nil || cfg.Prober == nil || cfg.Complete == nil || cfg.Log == nil {
		return nil, errors.New("make registry: Store, Prober, Complete and Log are required")
	}
	r := &Registry{
		cfg: cfg, log: cfg.Log.With("component", "registry"), wake: make(chan struct{}, 1),
		beats: map[key]beat{}, silent: map[string]time.Time{},
	}
	r.view.Store(newView(nil))
	return r, nil
}

// Beat takes a registration. It is stored soon after; with the database away it waits.
func (r *Registry) Beat(b job.Beat) error {
	r.mu.Lock()
	k := key{b.AppName, b.Address}
	if _, known := r.beats[k]; !known && len(r.beats) >= maxWaiting {
		r.mu.Unlock()
		return ErrBusy
	}
	r.beats[k] = beat{b, time.Now()}
	r.mu.Unlock()
	r.poke()
	return nil
}

func (r *Registry) poke() {
	select {
	case r.wake <- struct{}{}:
	default: // the loop is awake already
	}
}

// Remove takes an executor off at once: it said that it stops.
func (r *Registry) Remove(ctx context.Context, appName, address string) error {
	r.mu.Lock()
	delete(r.beats, key{appName, address})
	r.mu.Unlock()
	if err := r.cfg.Store.RemoveExecutor(ctx, appName, address); err != nil {
		return err
	}
	old := r.view.Load().executors
	r.view.Store(newView(slices.DeleteFunc(slices.Clone(old), func(e job.Executor) bool {
		return e.AppName == appName && job.SameAddress(e.Address) == job.SameAddress(address)
	})))
	return nil
}

// Addresses is where the runs of a group may go, sorted; a manual group's as entered.
func (r *Registry) Addresses(g *job.Group) []string {
	if g.Manual() {
		return g.AddressList
	}
	return r.view.Load().live[g.AppName]
}

// Target tells how to talk to the executor at an address: in no known dialect when it
// is not registered.
func (r *Registry) Target(address string) job.Target {
	e, ok := r.view.Load().at[job.SameAddress(address)]
	if !ok {
		return job.Target{Address: address}
	}
	return job.Target{Address: address, AppName: e.AppName, Dialect: e.Dialect}
}

// Executors lists all that registered and are not forgotten, the silent ones too.
func (r *Registry) Executors() []job.Executor { return slices.Clone(r.view.Load().executors) }

// Dead reports whether an executor was silent for too long.
func Dead(e *job.Executor) bool { return e.Silent >= protocol.DeadAfter }

// Run works until ctx ends.
func (r *Registry) Run(ctx context.Context) error {
	var loops sync.WaitGroup
	loops.Go(func() { r.storeLoop(ctx) })
	loops.Go(func() { r.refreshLoop(ctx) })
	loops.Go(func() { r.monitorLoop(ctx) })
	loops.Wait()
	return nil
}

// view is what all admins know. It never changes; a newer one takes its place.
type view struct {
	executors []job.Executor
	live      map[string][]string      // app name → addresses, sorted
	at        map[string]*job.Executor // address without trailing slash → the last heard of
}

func newView(executors []job.Executor) *view {
	v := &view{executors: executors, live: map[string][]string{}, at: map[string]*job.Executor{}}
	for i := range executors {
		e := &executors[i]
		if !Dead(e) {
			v.live[e.AppName] = append(v.live[e.AppName], e.Address)
		}
		address := job.SameAddress(e.Address)
		if other, ok := v.at[address]; !ok || other.HeartbeatAt.Before(e.HeartbeatAt) {
			v.at[address] = e
		}
	}
	for app, list := range v.live {
		slices.Sort(list)
		v.live[app] = slices.CompactFunc(list, func(a, b string) bool { return job.SameAddress(a) == job.SameAddress(b) })
	}
	return v
}
