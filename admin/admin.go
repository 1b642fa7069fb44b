package admin

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"sync/atomic"

	"github.com/gluewheel/gluewheel/admin/api"
	"github.com/gluewheel/gluewheel/admin/auth"
	"github.com/gluewheel/gluewheel/admin/outage"
	"github.com/gluewheel/gluewheel/admin/store"
)

// Admin is a scheduling centre. Make it with New, run it once with Run.
type Admin struct {
	opts Options
	log  *slog.Logger
	addr atomic.Pointer[string]
}

// ErrNoPassword: there is no user yet, and nobody said what the first one's password is.
var ErrNoPassword = errors.New("there is no user yet: give the first one, admin, a password with GLUEWHEEL_ADMIN_PASSWORD")

// New checks the options. Nothing is opened before Run.
func New(opts Options) (*Admin, error) {
	if err := opts.check(); err != nil {
		return nil, err
	}
	opts.Log = slog.New(api.LogHandler(opts.Log.Handler()))
	return &Admin{opts: opts, log: opts.Log}, nil
}

// Addr is where the admin listens, host:port; empty before it does.
func (a *Admin) Addr() string {
	if p := a.addr.Load(); p != nil {
		return *p
	}
	return ""
}

// Run serves and schedules until ctx ends, then stops as the package comment says. A
// database that is away, at the start or later, is waited for; a taken port, a wrong
// database URL or a missing first password is an error.
func (a *Admin) Run(ctx context.Context) error {
	listener, err := net.Listen("tcp", a.opts.Listen)
	if err != nil {
		return fmt.Errorf("listen for people and executors: %w", err)
	}
	defer listener.Close()
	addr := listener.Addr().String()
	a.addr.Store(&addr)

	st, err := store.Open(store.Config{URL: a.opts.DatabaseURL})
	if err != nil {
		return err
	}
	defer st.Close()
	accounts, node, err := a.prepare(ctx, st)
	if err != nil || ctx.Err() != nil {
		return err
	}
	defer removeNode(ctx, st, node, a.log)
	parts, err := a.build(st, accounts, node)
	if err != nil {
		return err
	}
	defer parts.calls.Close()
	a.log.InfoContext(ctx, "admin runs", "addr", addr, "node", node, "version", a.opts.Version, "time_zone", a.opts.Zone.String())
	return parts.run(ctx, listener)
}

// prepare brings the database to where the parts can be built: schema, first user, the
// row of this admin. It waits for a database that is away.
func (a *Admin) prepare(ctx context.Context, st *store.Store) (accounts *auth.Auth, node int32, err error) {
	pace := outage.Pacer{Log: a.log, What: "start the admin"}
	for ctx.Err() == nil {
		accounts, node, err = a.tryPrepare(ctx, st)
		if err == nil || !store.Unavailable(err) {
			return accounts, node, err
		}
		pace.After(ctx, err)
	}
	return nil, 0, nil
}

func (a *Admin) tryPrepare(ctx context.Context, st *store.Store) (*auth.Auth, int32, error) {
	if err := st.Migrate(ctx); err != nil {
		return nil, 0, err
	}
	accounts, err := auth.New(ctx, st)
	if err != nil {
		return nil, 0, err
	}
	if err := a.ensureFirstUser(ctx, accounts); err != nil {
		return nil, 0, err
	}
	node, err := st.RegisterNode(ctx, a.opts.Name)
	return accounts, node, err
}

func (a *Admin) ensureFirstUser(ctx context.Context, accounts *auth.Auth) error {
	has, err := accounts.HasUsers(ctx)
	if err != nil || has {
		return err
	}
	if a.opts.Password == "" {
		return ErrNoPassword
	}
	_, err = accounts.EnsureAdmin(ctx, a.opts.Password)
	return err
}
