package admin

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/gofiber/fiber/v2/middleware/adaptor"

	"github.com/gluewheel/gluewheel/admin/access"
	"github.com/gluewheel/gluewheel/admin/alarm"
	"github.com/gluewheel/gluewheel/admin/api"
	"github.com/gluewheel/gluewheel/admin/auth"
	"github.com/gluewheel/gluewheel/admin/complete"
	"github.com/gluewheel/gluewheel/admin/cron"
	"github.com/gluewheel/gluewheel/admin/dispatch"
	"github.com/gluewheel/gluewheel/admin/execclient"
	"github.com/gluewheel/gluewheel/admin/job"
	"github.com/gluewheel/gluewheel/admin/registry"
	"github.com/gluewheel/gluewheel/admin/report"
	"github.com/gluewheel/gluewheel/admin/schedule"
	"github.com/gluewheel/gluewheel/admin/secret"
	"github.com/gluewheel/gluewheel/admin/store"
	"github.com/gluewheel/gluewheel/admin/wire"
	"github.com/gluewheel/gluewheel/internal/scrape"
	"github.com/gluewheel/gluewheel/internal/stack"
	"github.com/gluewheel/gluewheel/runtime/check"
	"github.com/gluewheel/gluewheel/webui"
)

// parts are what runs in an admin.
type parts struct {
	opts     Options
	store    *store.Store
	accounts *auth.Auth
	node     int32
	calls    *execclient.Client
	access   *access.Access
	registry *registry.Registry
	complete *complete.Completer
	dispatch *dispatch.Dispatcher
	schedule *schedule.Scheduler
	checker  *check.Checker // nil without a sandbox
	alarms   *alarm.Alarms
	vault    *secret.Vault
	counter  *report.Counter
	forecast *report.Forecast
	metrics  *metrics
	trace    tracer
	app      *fiber.App
}

// build makes the parts from the bottom up. Two of them know each other through a
// function that looks the other one up when it is called: results add retries and
// children to the ring, and the ring hands over to the dispatcher.
func (a *Admin) build(st *store.Store, accounts *auth.Auth, node int32) (*parts, error) {
	figures, err := newMetrics(a.opts.Figures)
	if err != nil {
		return nil, err
	}
	p := &parts{
		opts: a.opts, store: st, accounts: accounts, node: node, metrics: figures, trace: a.opts.Trace,
		vault: secret.New(st, a.opts.Seal),
	}
	if a.opts.Sandbox != nil {
		p.checker = check.New(a.opts.Sandbox)
	}
	p.calls = execclient.New(execclient.Config{Token: a.opts.Token})
	for _, make := range []func() error{p.makeCompleter, p.makeAccess, p.makeRegistry, p.makeDispatcher, p.makeScheduler, p.makeReports, p.makeAlarms, p.makeApp} {
		if err := make(); err != nil {
			p.calls.Close()
			return nil, err
		}
	}
	return p, nil
}

func (p *parts) makeCompleter() (err error) {
	p.complete, err = complete.New(complete.Config{
		Store: p.store,
		Log:   p.opts.Log,
		Added: p.fired,
		Ended: func(runs []job.Ended) { p.metrics.flow.endedRuns(runs); p.trace.ended(runs) },
	})
	return err
}

// fired puts runs into the ring that are no schedule's: of people, of programs, retries
// and children. Their rows were committed just now.
func (p *parts) fired(fires []job.Fire) {
	p.trace.planned(time.Now(), fires)
	p.schedule.Add(fires)
}

func (p *parts) makeAccess() (err error) {
	p.access, err = access.New(access.Config{Store: p.store, Token: p.opts.Token, Seal: p.opts.Seal, Log: p.opts.Log})
	return err
}

func (p *parts) makeRegistry() (err error) {
	p.registry, err = registry.New(registry.Config{
		Store: p.store, Access: p.access, Prober: p.calls, Complete: p.complete, Log: p.opts.Log,
	})
	return err
}

func (p *parts) makeDispatcher() error {
	router, err := newRouter(p.calls, p.registry)
	if err != nil {
		return err
	}
	p.dispatch, err = dispatch.New(dispatch.Config{
		Owner:    p.node,
		Store:    p.store,
		Router:   router,
		Registry: p.registry,
		Sender:   meteredSender{p.calls, p.metrics.flow, p.trace, func() time.Time { return p.schedule.Now() }},
		Waited:   p.metrics.flow.waited,
		Complete: p.complete,
		Log:      p.opts.Log,
		Now:      func() time.Time { return p.schedule.Now() },
	})
	return err
}

func (p *parts) makeScheduler() (err error) {
	p.schedule, err = schedule.New(schedule.Config{
		Ledger:     meteredLedger{p.store, p.metrics.flow, p.trace},
		Cluster:    p.store,
		Dispatcher: p.dispatch,
		Parse:      cron.For,
		Node:       p.node,
		Name:       p.opts.Name,
		Zone:       p.opts.Zone,
		Buckets:    p.opts.Buckets,
		Retention:  p.opts.Retention,
		Drain:      p.opts.Drain,
		Changed:    func(c job.Change) { p.access.Changed(c); p.registry.Changed(c); p.dispatch.Drop(c) },
		Log:        p.opts.Log,
	})
	return err
}

func (p *parts) makeAlarms() (err error) {
	p.alarms, err = alarm.New(alarm.Config{
		Store: p.store, Seal: p.opts.Seal, Zone: p.opts.Zone, PageURL: p.opts.PageURL, Log: p.opts.Log,
	})
	return err
}

func (p *parts) makeReports() (err error) {
	p.forecast = report.NewForecast(p.store, func(t job.Timing) (report.Schedule, error) { return p.parseSchedule(t) })
	p.counter, err = report.NewCounter(report.CounterConfig{Store: p.store, Log: p.opts.Log})
	return err
}

func (p *parts) makeApp() error {
	sso, err := p.singleSignOn()
	if err != nil {
		return err
	}
	p.app = api.NewApp(p.opts.Log)
	err = api.Mount(p.app, api.Deps{
		Log:            p.opts.Log,
		Store:          p.store,
		Auth:           p.accounts,
		OIDC:           sso,
		TrustedProxies: p.opts.TrustedProxies,
		Schedule:       p.parseSchedule,
		Fired:          p.fired,
		Kill:           p.kill,
		ReadLog:        p.readLog,
		CheckSource:    p.checkSource,
		FindProblems:   p.findProblems,
		Forecast:       p.forecast.Next,
		Inspect:        p.inspect,
		Alarms:         p.alarms,
		Vault:          p.vault,
		Ready:          p.ready,
		Unavailable:    store.Unavailable,
		Seal:           p.opts.Seal,
		Warnings:       p.access.Warnings,
		System:         api.SystemInfo{Version: p.opts.Version, TimeZone: p.opts.Zone.String()},
	})
	if err != nil {
		return fmt.Errorf("mount api: %w", err)
	}
	err = wire.Mount(p.app, wire.Deps{
		Access: p.access, Registry: p.registry, Complete: meteredCallbacks{p.complete, p.metrics.flow},
		Grants: p.store, Artifacts: p.store, Runs: p.store, KV: p.store, Secrets: p.vault, Jobs: p.jobAPI(), Log: p.opts.Log,
	})
	if err != nil {
		return fmt.Errorf("mount executor endpoints: %w", err)
	}
	p.metrics.watch(p)
	p.app.Get("/metrics", adaptor.HTTPHandler(scrape.Handler(p.metrics.registry, p.opts.MetricsToken)))
	page, err := webui.Handler(p.opts.WebUI)
	if err != nil {
		return err
	}
	p.app.Use(page)
	return nil
}

// singleSignOn is nil when it is not asked for.
func (p *parts) singleSignOn() (*auth.OIDC, error) {
	if p.opts.OIDC == nil {
		return nil, nil
	}
	return auth.NewOIDC(*p.opts.OIDC, p.accounts)
}

func (p *parts) parseSchedule(t job.Timing) (api.Schedule, error) {
	return cron.For(t, p.opts.Zone)
}

// errNotReady says that no planning round was completed lately.
var errNotReady = errors.New("no planning round was completed lately, because the admin has just started or the database is away")

func (p *parts) ready(context.Context) error {
	if !p.schedule.Ready() {
		return errNotReady
	}
	return nil
}

const (
	// stopPart bounds the stop of one part, so that an admin that cannot reach its
	// database still ends.
	stopPart = 15 * time.Second
	// serverGrace is how long open requests get when the server stops.
	serverGrace = 3 * time.Second
)

// run starts the parts bottom up and stops them in the opposite order, each wholly
// before the next, so that whatever a part still does finds those below it working.
func (p *parts) run(ctx context.Context, listener net.Listener) error {
	s := stack.Stack{Patience: stopPart, Log: p.opts.Log}
	return s.Run(ctx,
		stack.Part{Name: "completer", Run: p.complete.Run},
		stack.Part{Name: "access", Run: p.access.Run},
		stack.Part{Name: "http server", Run: func(ctx context.Context) error { return serve(ctx, p.app, listener) }},
		stack.Part{Name: "registry", Run: p.registry.Run},
		stack.Part{Name: "dispatcher", Run: p.dispatch.Run},
		stack.Part{Name: "alarms", Run: p.alarms.Run},
		stack.Part{Name: "scheduler", Run: p.schedule.Run},
		stack.Part{Name: "housekeeping", Run: p.housekeep},
		stack.Part{Name: "reports", Run: p.counter.Run},
	)
}

// serve answers requests until ctx ends, and then for serverGrace those under way.
func serve(ctx context.Context, app *fiber.App, listener net.Listener) error {
	stopped := make(chan struct{})
	defer func() { <-stopped }()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		defer close(stopped)
		<-ctx.Done()
		_ = app.ShutdownWithTimeout(serverGrace) // late requests are cut off by the process's end
		_ = listener.Close()                     // which stays open when the app had not begun to listen
	}()
	return app.Listener(listener)
}

// removeNode takes this admin out of the count of live ones, so that the others take
// over its buckets at once.
func removeNode(ctx context.Context, st *store.Store, node int32, log *slog.Logger) {
	// The run's context has ended; this is the last thing done for it.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	if err := st.RemoveNode(ctx, node); err != nil {
		log.WarnContext(ctx, "admin stays listed until its heartbeat is old", "err", err)
	}
}
