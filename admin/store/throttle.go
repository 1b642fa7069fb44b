package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gluewheel/gluewheel/admin/audit"
	"github.com/gluewheel/gluewheel/admin/job"
)

// errFull undoes what was counted so far.
var errFull = errors.New("bucket is full")

// TakeLogin counts one attempt in each of the buckets, over all admins, or in none when
// one of them is full: then wait says when it no longer is.
func (s *Store) TakeLogin(ctx context.Context, buckets []job.Bucket, window time.Duration) (wait time.Duration, err error) {
	const (
		// What has leaked out wholly says nothing any more; the table stays as small as
		// the number of those who fail within a window.
		forget = `
			DELETE FROM login_throttle WHERE key IN (
				SELECT key FROM login_throttle WHERE at < clock_timestamp() - $1::interval
				ORDER BY key LIMIT 100 FOR UPDATE SKIP LOCKED)`
		take = `
			INSERT INTO login_throttle AS b (key, level, at) VALUES ($1, 1, clock_timestamp())
			ON CONFLICT (key) DO UPDATE SET at = excluded.at,
				level = 1 + greatest(0, b.level - extract(epoch FROM excluded.at - b.at) * $2 / extract(epoch FROM $3::interval))
			RETURNING level`
	)
	// Counting is no change that anybody asked for.
	err = s.retryTx(audit.Without(ctx), func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, forget, window); err != nil {
			return err
		}
		for _, b := range buckets {
			var level float64
			if err := tx.QueryRow(ctx, take, b.Key, b.Max, window).Scan(&level); err != nil {
				return err
			}
			if over := level - b.Max; over > 0 {
				wait = time.Duration(over * float64(window) / b.Max)
				return errFull
			}
		}
		return nil
	})
	if wait > 0 {
		return wait, nil
	}
	if err != nil {
		return 0, fmt.Errorf("count login: %w", err)
	}
	return 0, nil
}

// GiveBackLogin undoes a TakeLogin.
func (s *Store) GiveBackLogin(ctx context.Context, buckets []job.Bucket) error {
	const sql = `UPDATE login_throttle SET level = greatest(0, level - 1) WHERE key = $1`
	for _, b := range buckets {
		if _, err := s.pool.Exec(ctx, sql, b.Key); err != nil {
			return fmt.Errorf("take back count of login: %w", err)
		}
	}
	return nil
}
