package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gluewheel/gluewheel/admin/job"
)

const (
	// pollChanges is how long Watch relies on notifications alone.
	pollChanges = time.Second
	// watchTimeout bounds each statement of Watch, so that a connection that leads
	// nowhere is given up.
	watchTimeout = 3 * time.Second
)

// Watch tells fn of every change of jobs, groups, addresses and versions until ctx ends
// or the connection breaks, and returns why. It begins with job.ChangeAll, because
// anything may have changed before; the caller calls it again after an error.
//
// Changes come by LISTEN/NOTIFY. Each carries the change counter, which is also polled
// every second of silence: a gap tells that something was missed and becomes
// job.ChangeAll. fn must not block for long.
func (s *Store) Watch(ctx context.Context, fn func(job.Change)) error {
	conn, err := pgx.ConnectConfig(ctx, s.pool.Config().ConnConfig)
	if err != nil {
		return fmt.Errorf("connect to watch changes: %w", err)
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), watchTimeout)
		defer cancel()
		_ = conn.Close(ctx)
	}()
	w := watcher{conn: conn, fn: fn}
	if err := w.begin(ctx); err != nil {
		return fmt.Errorf("begin to watch changes: %w", err)
	}
	for {
		if err := w.step(ctx); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return fmt.Errorf("watch changes: %w", err)
		}
	}
}

// watcher follows the change counter over one connection.
type watcher struct {
	conn *pgx.Conn
	fn   func(job.Change)
	seen int64 // the counter up to which fn has been told
}

// begin listens first and reads the counter then, so that nothing falls in between.
func (w *watcher) begin(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, watchTimeout)
	defer cancel()
	if _, err := w.conn.Exec(ctx, `LISTEN `+changeChannel); err != nil {
		return err
	}
	counter, err := w.counter(ctx)
	if err != nil {
		return err
	}
	w.seen = counter
	w.fn(job.Change{Kind: job.ChangeAll})
	return nil
}

// step waits for one notification, or polls after a second without.
func (w *watcher) step(ctx context.Context) error {
	wait, cancel := context.WithTimeout(ctx, pollChanges)
	defer cancel()
	n, err := w.conn.WaitForNotification(wait)
	switch {
	case err == nil:
		return w.take(n.Payload)
	case errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil:
		return w.poll(ctx)
	}
	return err
}

func (w *watcher) take(payload string) error {
	n, err := parseNotice(payload)
	if err != nil {
		return err
	}
	switch {
	case n.counter <= w.seen: // a poll was quicker
	case n.counter == w.seen+1:
		w.fn(n.Change)
	default:
		w.fn(job.Change{Kind: job.ChangeAll})
	}
	w.seen = max(w.seen, n.counter)
	return nil
}

func (w *watcher) poll(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, watchTimeout)
	defer cancel()
	counter, err := w.counter(ctx)
	if err != nil {
		return err
	}
	if counter != w.seen {
		w.seen = counter
		w.fn(job.Change{Kind: job.ChangeAll})
	}
	return nil
}

func (w *watcher) counter(ctx context.Context) (n int64, err error) {
	err = w.conn.QueryRow(ctx, `SELECT change_counter FROM cluster`).Scan(&n)
	return n, err
}
