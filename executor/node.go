package executor

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/gluewheel/gluewheel/executor/adminclient"
	"github.com/gluewheel/gluewheel/executor/callback"
	"github.com/gluewheel/gluewheel/executor/joblog"
	"github.com/gluewheel/gluewheel/executor/journal"
	"github.com/gluewheel/gluewheel/executor/queue"
	"github.com/gluewheel/gluewheel/executor/server"
	"github.com/gluewheel/gluewheel/glue/live"
	"github.com/gluewheel/gluewheel/runtime"
)

// node is an executor that is open: every part, from the disk up.
type node struct {
	executor *Executor
	cfg      Config
	log      *slog.Logger

	instance, boot string
	address        string

	admins  *adminclient.Client
	journal *journal.Journal
	logs    *joblog.Store
	modules *live.Modules
	live    *live.Set
	sender  *callback.Sender
	queues  *queue.Queues
	server  *server.Server
	ln      net.Listener

	cleanups []func() error // in the order of opening

	mu    sync.Mutex
	again map[int64]bool // runs that were cut short and begin again: their log goes on
}

// openNode opens the parts one after the other; the journal first, because it refuses a
// directory that another process uses.
func openNode(e *Executor) (*node, error) {
	n := &node{
		executor: e,
		cfg:      e.cfg,
		log:      e.cfg.Log.With("component", "executor", "app", e.cfg.AppName),
		boot:     rand.Text(),
		again:    make(map[int64]bool),
	}
	steps := []func() error{n.openAdmins, n.openJournal, n.openLogs, n.openLive, n.openWork, n.openServer}
	for _, open := range steps {
		if err := open(); err != nil {
			return nil, errors.Join(err, n.close())
		}
	}
	return n, nil
}

func (n *node) onClose(f func() error) { n.cleanups = append(n.cleanups, f) }

// close unwinds what was opened, last first.
func (n *node) close() error {
	var failures []error
	for _, f := range slices.Backward(n.cleanups) {
		failures = append(failures, f())
	}
	return errors.Join(failures...)
}

func (n *node) engines() []runtime.Engine {
	return append([]runtime.Engine{n.executor.native}, n.cfg.Engines...)
}

func (n *node) openAdmins() (err error) {
	n.admins, err = adminclient.New(adminclient.Config{
		Addresses: n.cfg.AdminAddresses, AppName: n.cfg.AppName, Token: n.cfg.Token, PlainSecrets: n.cfg.PlainSecrets,
	})
	if err != nil {
		return err
	}
	n.onClose(func() error { n.admins.Close(); return nil })
	return nil
}

func (n *node) openJournal() (err error) {
	n.journal, err = journal.Open(journal.Config{Dir: filepath.Join(n.cfg.DataDir, "journal"), Log: n.cfg.Log})
	if err != nil {
		return err
	}
	n.onClose(n.journal.Close)
	n.instance, err = instanceID(n.cfg.DataDir)
	return err
}

func (n *node) openLogs() (err error) {
	n.logs, err = joblog.Open(joblog.Config{
		Dir:           filepath.Join(n.cfg.DataDir, "logs"),
		RetentionDays: n.cfg.LogRetentionDays,
		Location:      n.cfg.Location,
		Log:           n.cfg.Log,
	})
	if err != nil {
		return err
	}
	n.onClose(n.logs.Close)
	return nil
}

func (n *node) openLive() (err error) {
	n.modules, err = live.OpenModules(live.ModulesConfig{
		Dir: filepath.Join(n.cfg.DataDir, "modules"), Fetch: n.admins.Module, Log: n.cfg.Log,
	})
	if err != nil {
		return err
	}
	n.onClose(n.modules.Close)
	n.live, err = live.New(live.Config{Engines: n.engines(), Modules: n.modules, Log: n.cfg.Log})
	if err != nil {
		return err
	}
	n.onClose(func() error { n.live.Close(); return nil })
	return nil
}

func (n *node) openWork() (err error) {
	n.sender, err = callback.New(callback.Config{
		Admins: n.admins, Acked: n.acked, Lag: n.cfg.Acked, Complete: n.addLogTail, Log: n.cfg.Log,
	})
	if err != nil {
		return err
	}
	n.queues, err = queue.New(queue.Config{
		Depth: n.cfg.QueueDepth, MaxRunning: n.cfg.MaxConcurrent,
		Run: n.runTrigger, Drop: n.dropTriggers, Idle: n.live.Forget,
	})
	return err
}

func (n *node) openServer() (err error) {
	n.server, err = server.New(server.Config{Token: n.cfg.Token, Executor: n, Metrics: n.cfg.Metrics, Log: n.cfg.Log})
	if err != nil {
		return err
	}
	n.ln, err = net.Listen("tcp", n.cfg.Listen)
	if err != nil {
		return fmt.Errorf("listen on %s (choose another address with Listen): %w", n.cfg.Listen, err)
	}
	n.onClose(func() error { return ignoreClosed(n.ln.Close()) }) // run closes it first
	n.address = n.cfg.Address
	if n.address == "" {
		n.address = addressFor(n.ln.Addr())
	}
	return nil
}

func ignoreClosed(err error) error {
	if errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}

// Bounds of the steps of stopping.
const (
	// stopWait is what runs get to end after they were cancelled: the engines kill sooner.
	stopWait = 10 * time.Second
	// flushWait is what the last results get; the rest is sent after the next start.
	flushWait = 5 * time.Second
	// requestWait is what requests in progress get.
	requestWait = 3 * time.Second
)

// run serves until ctx ends or the server fails, and stops in phases.
func (n *node) run(ctx context.Context) error {
	// The parts below outlive ctx: they finish the work that ctx's end only stops from growing.
	below, stopBelow := context.WithCancel(context.WithoutCancel(ctx))
	var parts sync.WaitGroup
	for _, part := range []func(context.Context) error{n.journal.Run, n.logs.Run, n.sender.Run} {
		parts.Go(func() { n.warn("part ended", part(below)) })
	}
	n.settleLeftovers()

	serving, stopServing := context.WithCancelCause(ctx)
	var listener, heart sync.WaitGroup
	listener.Go(func() { stopServing(n.server.Serve(n.ln)) })
	heart.Go(func() { n.register(serving) })
	n.executor.listening(n)
	n.log.Info("executor takes triggers", "addr", n.ln.Addr().String(), "address", n.address, "instance", n.instance)

	<-serving.Done()
	n.queues.Close()
	var failure error
	if ctx.Err() == nil {
		failure = context.Cause(serving)
	}
	heart.Wait() // a beat after the removal would bring the registration back
	n.stop(below)
	_ = n.ln.Close() // Shutdown leaves it open when it came before Serve
	listener.Wait()
	stopBelow()
	parts.Wait()
	n.log.Info("executor has stopped")
	return errors.Join(failure, n.close())
}

// stop lets the work end, after new triggers are refused: drain, cancel, flush, close the
// endpoints. They stay open until then, so that logs can be read and runs killed.
func (n *node) stop(ctx context.Context) {
	n.log.Info("executor stops", "drain", n.cfg.DrainTimeout)
	n.unregister(ctx)
	if within(ctx, n.cfg.DrainTimeout, n.queues.Drain) != nil {
		n.queues.Stop(queue.StopShutdown())
		n.warn("runs outlive the executor", within(ctx, stopWait, n.queues.Drain))
	}
	n.warn("results are sent after the next start", within(ctx, flushWait, n.sender.Flush))
	n.warn("requests are cut off", within(ctx, requestWait, n.server.Shutdown))
}

func within(ctx context.Context, limit time.Duration, f func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	return f(ctx)
}

func (n *node) warn(msg string, err error) {
	if err != nil {
		n.log.Warn(msg, "error", err)
	}
}
