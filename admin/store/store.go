// Package store is the only place with SQL. It maps rows to admin/job types; one
// method is one unit of meaning, so that no transaction leaks out.
//
// It decides nothing: policy (when a job fires, what a misfire means, how a run is
// retried) is handed in as functions and values by its callers, and business events
// are logged by them. A file holds one aggregate.
//
// Lock order, the same everywhere: bucket_lock → job → claimLock → run, and rows of one
// table in the order of their ids. Serialisation failures and deadlocks are retried here.
package store

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Config says how to reach the database.
type Config struct {
	// URL is a PostgreSQL connection URL. Required.
	URL string
	// MaxConns is the size of the pool; default 16.
	MaxConns int32
	// StatementTimeout ends any statement on the server; default 30 s.
	StatementTimeout time.Duration
	// LockTimeout ends any wait for a lock; default 5 s.
	LockTimeout time.Duration
	// IdleTxTimeout ends a transaction that does nothing, so that a frozen admin
	// loses its locks and its late commit fails; default 5 s.
	IdleTxTimeout time.Duration
}

// Store is the database. Safe for concurrent use.
type Store struct {
	pool *pgxpool.Pool
	ids  idBlocks
}

// Open makes a pool. It does not connect yet: the database may be away at start, and
// then every call fails until it is back.
func Open(cfg Config) (*Store, error) {
	pc, err := pgxpool.ParseConfig(cfg.URL)
	if err != nil {
		return nil, fmt.Errorf("parse database url: %w", err)
	}
	pc.MaxConns = cmp.Or(cfg.MaxConns, 16)
	pc.HealthCheckPeriod = 5 * time.Second
	pc.ConnConfig.ConnectTimeout = 3 * time.Second
	params := pc.ConnConfig.RuntimeParams
	params["application_name"] = cmp.Or(params["application_name"], "gluewheel")
	params["timezone"] = "UTC"
	// Statements here take milliseconds; compiling one takes a fifth of a second.
	params["jit"] = "off"
	// The ledger's pages are in memory or on a disk without moving parts. PostgreSQL's
	// default, for disks that have some, makes it walk a day's failures for one group's.
	params["random_page_cost"] = "1.1"
	params["statement_timeout"] = millis(cmp.Or(cfg.StatementTimeout, 30*time.Second))
	params["lock_timeout"] = millis(cmp.Or(cfg.LockTimeout, 5*time.Second))
	params["idle_in_transaction_session_timeout"] = millis(cmp.Or(cfg.IdleTxTimeout, 5*time.Second))
	pool, err := pgxpool.NewWithConfig(context.Background(), pc)
	if err != nil {
		return nil, fmt.Errorf("make database pool: %w", err)
	}
	return &Store{pool: pool}, nil
}

// Close waits for borrowed connections and closes the pool.
func (s *Store) Close() { s.pool.Close() }

// Ping reports whether the database answers.
func (s *Store) Ping(ctx context.Context) error { return s.pool.Ping(ctx) }

func millis(d time.Duration) string { return fmt.Sprint(d.Milliseconds()) }

// retryTx runs fn in a transaction, again while PostgreSQL asks for it: a
// serialisation failure (40001) or a deadlock (40P01) undid everything. The note that
// ctx carries for the audit log is written in the same transaction.
func (s *Store) retryTx(ctx context.Context, fn func(pgx.Tx) error) error {
	if tx, ok := ctx.Value(txKey{}).(pgx.Tx); ok { // see Together, which retries and audits
		return auditedPart(ctx, tx, fn)
	}
	return retryUndone(func() error { return s.audited(ctx, fn) })
}
