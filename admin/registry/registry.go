package registry

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gluewheel/gluewheel/admin/job"
	"github.com/gluewheel/gluewheel/executor/protocol"
)

var (
	// ErrBusy: too many executors beat at once, or the database is away for long.
	ErrBusy = errors.New("too many registrations wait to be stored")
	// ErrTaken: who may speak for one app name only registers the address of another's
	// live executor.
	ErrTaken = errors.New("the address is registered under another app name")
)

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

// prober asks whether an executor is there, and whether a job is idle there.
type prober interface {
	Beat(ctx context.Context, t job.Target) job.Outcome
	IdleBeat(ctx context.Context, t job.Target, jobID int32) job.Outcome
}

// completer ends runs, and returns after the commit.
type completer interface {
	End(ctx context.Context, results []job.Result) error
}

// access knows the groups, and what executors are sent.
type access interface {
	Group(app string) int32 // 0 = none
	App(group int32) string // "" = none
	Sent(group int32, registered *int32) (token string, ok bool)
}

// Config wires a Registry; everything is required.
type Config struct {
	Store    Store
	Access   access
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
	news chan struct{} // capacity 1: another admin knows of executors that came or went

	mu    sync.Mutex
	beats map[key]beat // the last of each executor, until it is stored

	// Of the monitor's goroutine:
	silent map[string]time.Time // unregistered address → unanswered since
	idle   map[work]idleness    // what foreign executors say about jobs with old runs
}

type key struct{ app, address string }

type beat struct {
	job.Beat
	at time.Time
}

// New checks the configuration; Run does the work.
func New(cfg Config) (*Registry, error) {
	if cfg.Store == nil || cfg.Access == nil || cfg.Prober == nil || cfg.Complete == nil || cfg.Log == nil {
		return nil, errors.New("make registry: Store, Access, Prober, Complete and Log are required")
	}
	r := &Registry{
		cfg: cfg, log: cfg.Log.With("component", "registry"), wake: make(chan struct{}, 1), news: make(chan struct{}, 1),
		beats: map[key]beat{}, silent: map[string]time.Time{}, idle: map[work]idleness{},
	}
	r.view.Store(r.newView(nil))
	return r, nil
}

// Beat takes a registration. It is stored soon after; with the database away it waits.
// One of an app name without a group waits to be accepted, unless too many do: then it
// is forgotten, and its executor answered as if it were kept.
func (r *Registry) Beat(b job.Beat) error {
	v := r.view.Load()
	if b.Restricted {
		if e, ok := v.at[job.SameAddress(b.Address)]; ok && e.AppName != b.AppName && !Dead(e) {
			return ErrTaken
		}
	}
	_, known := v.own[sameKey(b.AppName, b.Address)]
	if !known && r.cfg.Access.Group(b.AppName) == 0 && v.waiting+r.waitingBeats() >= job.MaxWaiting {
		r.log.Debug("registration forgotten: too many wait for a group", "app", b.AppName, "addr", b.Address)
		return nil
	}
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

// waitingBeats counts the beats of app names without a group that wait to be stored.
func (r *Registry) waitingBeats() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := 0
	for k := range r.beats {
		if r.cfg.Access.Group(k.app) == 0 {
			n++
		}
	}
	return n
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
	r.view.Store(r.newView(slices.DeleteFunc(slices.Clone(old), func(e job.Executor) bool {
		return e.AppName == appName && job.SameAddress(e.Address) == job.SameAddress(address)
	})))
	return nil
}

// Changed is told of changes that any admin made; it does not block.
func (r *Registry) Changed(c job.Change) {
	if c.Kind != job.ChangeExecutors && c.Kind != job.ChangeAll {
		return
	}
	select {
	case r.news <- struct{}{}:
	default: // they are about to be read
	}
}

// Addresses is where the runs of a group may go, sorted; a manual group's as entered.
func (r *Registry) Addresses(g *job.Group) []string {
	if g.Manual() {
		return g.AddressList
	}
	return r.view.Load().live[g.AppName]
}

// Target tells how to talk, on behalf of a group, to the executor at an address: in no
// known dialect when it is not registered. One of another group, to which somebody sent
// a run, is called by its own app name, with what the group of the run would send.
func (r *Registry) Target(group int32, address string) job.Target {
	v, app := r.view.Load(), r.cfg.Access.App(group)
	t := job.Target{Address: address, AppName: app}
	var registered *int32
	if e, ok := v.own[sameKey(app, address)]; ok {
		t.Dialect, registered = e.Dialect, &e.TokenID
	} else if e, ok := v.at[job.SameAddress(address)]; ok {
		t.AppName, t.Dialect = e.AppName, e.Dialect
	}
	token, ok := r.cfg.Access.Sent(group, registered)
	t.Token, t.Tokenless = token, !ok
	return t
}

// there reports whether an answer to a probe is an executor's, be it that it was asked
// with a token that is not its own.
func there(o job.Outcome) bool {
	return o.Verdict == job.Accepted ||
		o.Verdict == job.Refused && (o.Text == protocol.MsgBadToken || strings.HasPrefix(o.Text, "invalid request, accessToken or appname"))
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
	own       map[key]*job.Executor    // by app name and address without trailing slash
	waiting   int                      // executors of app names without a group
	at        map[string]*job.Executor // address without trailing slash → the last heard of
}

func sameKey(app, address string) key { return key{app, job.SameAddress(address)} }

func (r *Registry) newView(executors []job.Executor) *view {
	v := &view{executors: executors, live: map[string][]string{}, own: map[key]*job.Executor{}, at: map[string]*job.Executor{}}
	for i := range executors {
		e := &executors[i]
		v.own[sameKey(e.AppName, e.Address)] = e
		if r.cfg.Access.Group(e.AppName) == 0 {
			v.waiting++
		}
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
