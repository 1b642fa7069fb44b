package store

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gluewheel/gluewheel/admin/audit"
	"github.com/gluewheel/gluewheel/admin/job"
)

const (
	// userSessions is the most sessions that an account keeps: logging in once more ends
	// the one that has been idle longest.
	userSessions = 20
	// maxUserAgent is the most bytes that are kept of what a browser says of itself.
	maxUserAgent = 300
)

// CreateSession stores a login, in place of an older session if n names one. It also
// clears away sessions that have ended, and of this user's those beyond userSessions.
// job.ErrNotFound when the account is disabled or gone by now.
func (s *Store) CreateSession(ctx context.Context, n job.Session, idle time.Duration) error {
	const (
		login = `UPDATE user_account SET last_login_at = clock_timestamp() WHERE id = $1 AND NOT disabled RETURNING username`
		// Rows are locked before they go, in one order, so that logins at the same time
		// do not wait for each other crosswise.
		expire = `
			DELETE FROM session WHERE token_hash IN (
				SELECT token_hash FROM session
				WHERE expires_at < clock_timestamp() OR used_at < clock_timestamp() - $1::interval OR token_hash = $2
				ORDER BY token_hash LIMIT 1000 FOR UPDATE SKIP LOCKED)`
		cut = `
			DELETE FROM session WHERE token_hash IN (
				SELECT token_hash FROM session WHERE user_id = $1
				ORDER BY used_at DESC, token_hash OFFSET $2)`
		insert = `
			INSERT INTO session (token_hash, user_id, expires_at, address, user_agent)
			VALUES ($1, $2, clock_timestamp() + $3::interval, $4, $5)`
	)
	err := s.retryTx(ctx, func(tx pgx.Tx) error {
		var name string
		if err := tx.QueryRow(ctx, login, n.UserID).Scan(&name); err != nil {
			return notFound(err)
		}
		if _, err := tx.Exec(ctx, expire, idle, n.OldHash); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, cut, n.UserID, userSessions-1); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, insert, n.TokenHash, n.UserID, n.Lifetime, n.Address, n.UserAgent[:min(len(n.UserAgent), maxUserAgent)])
		audit.Record(ctx, audit.Change{Actor: name, Object: "user", ID: strconv.Itoa(int(n.UserID)), Name: name})
		return err
	})
	if err != nil {
		return fmt.Errorf("create session of user %d: %w", n.UserID, err)
	}
	return nil
}

// SessionUser returns the account of a session that has neither expired nor been idle
// for that long, or job.ErrNotFound; a disabled account has no session. Use is noted
// once a minute, so that a page that polls does not write each time.
func (s *Store) SessionUser(ctx context.Context, tokenHash []byte, idle time.Duration) (job.User, error) {
	const (
		read = `
			SELECT ` + userColumns + `, s.used_at < clock_timestamp() - interval '1 minute' AS stale
			FROM session s JOIN user_account u ON u.id = s.user_id
			WHERE s.token_hash = $1 AND s.expires_at > clock_timestamp() AND NOT u.disabled
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
	const sql = `
		WITH gone AS (DELETE FROM session WHERE token_hash = $1 RETURNING user_id)
		SELECT u.id, u.username FROM gone JOIN user_account u ON u.id = gone.user_id`
	err := s.retryTx(ctx, func(tx pgx.Tx) error {
		users, err := many[struct {
			ID       int32
			Username string
		}](ctx, tx, sql, tokenHash)
		for _, u := range users {
			audit.Record(ctx, audit.Change{Actor: u.Username, Object: "user", ID: strconv.Itoa(int(u.ID)), Name: u.Username})
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("delete session: %w", err)
	}
	return nil
}

// Sessions lists the open sessions of an account, the last used first; current is the
// one that asks.
func (s *Store) Sessions(ctx context.Context, userID int32, current []byte, idle time.Duration) ([]job.SessionInfo, error) {
	const sql = `
		SELECT id, created_at, used_at, least(expires_at, used_at + $3::interval) AS expires_at,
			address, user_agent, token_hash IS NOT DISTINCT FROM $2 AS current
		FROM session
		WHERE user_id = $1 AND expires_at > clock_timestamp() AND used_at > clock_timestamp() - $3::interval
		ORDER BY used_at DESC, id`
	out, err := many[job.SessionInfo](ctx, s.pool, sql, userID, current, idle)
	if err != nil {
		return nil, fmt.Errorf("list sessions of user %d: %w", userID, err)
	}
	return out, nil
}

// EndSession ends one session of an account; job.ErrNotFound when it has none of that id.
func (s *Store) EndSession(ctx context.Context, userID int32, id int64) error {
	err := s.retryTx(ctx, func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, `DELETE FROM session WHERE user_id = $1 AND id = $2`, userID, id)
		if err == nil && tag.RowsAffected() == 0 {
			err = job.ErrNotFound
		}
		audit.Record(ctx, audit.Change{Object: "session", ID: strconv.FormatInt(id, 10)})
		return err
	})
	if err != nil {
		return fmt.Errorf("end session %d of user %d: %w", id, userID, err)
	}
	return nil
}

// renewSession ends the sessions of an account but one, which gets another token.
func renewSession(ctx context.Context, tx pgx.Tx, userID int32, r *job.Renewal) error {
	var kept []byte
	if r != nil {
		tag, err := tx.Exec(ctx, `UPDATE session SET token_hash = $3 WHERE user_id = $1 AND token_hash = $2`, userID, r.OldHash, r.NewHash)
		if err == nil && tag.RowsAffected() == 0 {
			err = job.ErrNotFound
		}
		if err != nil {
			return err
		}
		kept = r.NewHash
	}
	_, err := tx.Exec(ctx, `DELETE FROM session WHERE user_id = $1 AND token_hash IS DISTINCT FROM $2`, userID, kept)
	return err
}

// EndSessions ends all sessions of an account.
func (s *Store) EndSessions(ctx context.Context, userID int32) error {
	err := s.writeUser(ctx, userID, func(tx pgx.Tx, _ job.User) error {
		_, err := tx.Exec(ctx, `DELETE FROM session WHERE user_id = $1`, userID)
		return err
	})
	if err != nil {
		return fmt.Errorf("end sessions of user %d: %w", userID, err)
	}
	return nil
}
