package store

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gluewheel/gluewheel/admin/job"
)

// userSessions is the most sessions that an account keeps: logging in once more ends
// the one that has been idle longest.
const userSessions = 20

// CreateSession stores a login. It also clears away sessions that have ended, and of
// this user's those beyond userSessions.
func (s *Store) CreateSession(ctx context.Context, n job.Session, idle time.Duration) error {
	const (
		expire = `
			DELETE FROM session WHERE token_hash IN (
				SELECT token_hash FROM session
				WHERE expires_at < clock_timestamp() OR used_at < clock_timestamp() - $1::interval
				ORDER BY token_hash LIMIT 1000 FOR UPDATE SKIP LOCKED)`
		cut = `
			DELETE FROM session WHERE token_hash IN (
				SELECT token_hash FROM session WHERE user_id = $1
				ORDER BY used_at DESC, token_hash OFFSET $2)`
		insert = `
			INSERT INTO session (token_hash, user_id, expires_at)
			VALUES ($1, $2, clock_timestamp() + $3::interval)`
	)
	err := s.retryTx(ctx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, expire, idle); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, cut, n.UserID, userSessions-1); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, insert, n.TokenHash, n.UserID, n.Lifetime)
		return err
	})
	if err != nil {
		return fmt.Errorf("create session of user %d: %w", n.UserID, err)
	}
	return nil
}

// SessionUser returns the account of a session that has neither expired nor been idle
// for that long, or job.ErrNotFound. Use is noted once a minute, so that a page that
// polls does not write each time.
func (s *Store) SessionUser(ctx context.Context, tokenHash []byte, idle time.Duration) (job.User, error) {
	const (
		read = `
			SELECT u.id, u.username, u.password_hash, u.role, u.group_ids, u.created_at, u.updated_at,
				s.used_at < clock_timestamp() - interval '1 minute' AS stale
			FROM session s JOIN user_account u ON u.id = s.user_id
			WHERE s.token_hash = $1 AND s.expires_at > clock_timestamp()
				AND s.used_at > clock_timestamp() - $2::interval`
		touch = `UPDATE session SET used_at = clock_timestamp() WHERE token_hash = $1`
	)
	row, err := one[struct {
		job.User
		Stale bool
	}](ctx, s.pool, read, tokenHash, idle)
	if err == nil && row.Stale {
		_, err = s.pool.Exec(ctx, touch, tokenHash)
	}
	if err != nil {
		return job.User{}, fmt.Errorf("read session: %w", err)
	}
	return row.User, nil
}

// DeleteSession ends a session. One that is not there has ended already.
func (s *Store) DeleteSession(ctx context.Context, tokenHash []byte) error {
	if _, err := s.pool.Exec(ctx, `DELETE FROM session WHERE token_hash = $1`, tokenHash); err != nil {
		return fmt.Errorf("delete session: %w", err)
	}
	return nil
}
