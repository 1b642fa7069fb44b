package store

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
)

// Two callers need many methods of this package in one transaction: an import, which
// happens as a whole or not at all, and a request that only asks what would be. It
// travels in the context, so that neither the methods nor their callers differ for it.

type txKey struct{}

// Together runs fn in one transaction: the methods that it calls with its context see
// and make their changes in there. fn may run again when PostgreSQL undid everything.
// The methods of the path of a fire, which batch by themselves, take no part.
func (s *Store) Together(ctx context.Context, fn func(ctx context.Context) error) error {
	return retryUndone(func() error {
		return s.audited(ctx, func(tx pgx.Tx) error { return within(ctx, tx, fn) })
	})
}

// errUndo takes back what a dry run did.
var errUndo = errors.New("dry run")

// DryRun is Together, and then takes everything back.
func (s *Store) DryRun(ctx context.Context, fn func(ctx context.Context) error) error {
	err := retryUndone(func() error {
		return pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
			if err := within(ctx, tx, fn); err != nil {
				return err
			}
			return errUndo
		})
	})
	if errors.Is(err, errUndo) {
		return nil
	}
	return err
}

// within runs fn in a transaction. Between two statements it may check code, for longer
// than other transactions may stand still; it ends with the request at the latest.
func within(ctx context.Context, tx pgx.Tx, fn func(ctx context.Context) error) error {
	if _, err := tx.Exec(ctx, `SET LOCAL idle_in_transaction_session_timeout = '1min'`); err != nil {
		return err
	}
	return fn(context.WithValue(ctx, txKey{}, tx))
}

// reader is a transaction or the pool.
type reader interface {
	querier
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// db is where the methods of Together read.
func (s *Store) db(ctx context.Context) reader {
	if tx, ok := ctx.Value(txKey{}).(pgx.Tx); ok {
		return tx
	}
	return s.pool
}
