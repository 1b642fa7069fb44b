package store

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/gluewheel/gluewheel/admin/job"
)

const userColumns = `id, username, password_hash, role, group_ids, created_at, updated_at`

// CreateUser stores a new account and returns it as stored; job.ErrDuplicateUser when
// the name is taken.
func (s *Store) CreateUser(ctx context.Context, u job.User) (job.User, error) {
	const sql = `
		INSERT INTO user_account (username, password_hash, role, group_ids)
		VALUES ($1, $2, $3, coalesce($4, '{}'::int[]))
		RETURNING ` + userColumns
	made, err := one[job.User](ctx, s.pool, sql, u.Username, u.PasswordHash, u.Role, u.GroupIDs)
	if violates(err, "user_account_username_key") {
		err = job.ErrDuplicateUser
	}
	if err != nil {
		return job.User{}, fmt.Errorf("create user %q: %w", u.Username, err)
	}
	return made, nil
}

// CreateFirstUser stores u if there is no account at all, and reports whether it did.
// The table lock makes two admins that start at once agree on one first user.
func (s *Store) CreateFirstUser(ctx context.Context, u job.User) (created bool, err error) {
	const sql = `
		INSERT INTO user_account (username, password_hash, role)
		SELECT $1, $2, $3 WHERE NOT EXISTS (SELECT FROM user_account)`
	err = s.retryTx(ctx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `LOCK TABLE user_account IN SHARE ROW EXCLUSIVE MODE`); err != nil {
			return err
		}
		tag, err := tx.Exec(ctx, sql, u.Username, u.PasswordHash, u.Role)
		created = tag.RowsAffected() == 1
		return err
	})
	if err != nil {
		return false, fmt.Errorf("create first user %q: %w", u.Username, err)
	}
	return created, nil
}

// HasUsers reports whether there is any account.
func (s *Store) HasUsers(ctx context.Context) (bool, error) {
	var has bool
	if err := s.pool.QueryRow(ctx, `SELECT EXISTS (SELECT FROM user_account)`).Scan(&has); err != nil {
		return false, fmt.Errorf("look for users: %w", err)
	}
	return has, nil
}

// UserByName returns the account of a name, or job.ErrNotFound.
func (s *Store) UserByName(ctx context.Context, username string) (job.User, error) {
	u, err := one[job.User](ctx, s.pool, `SELECT `+userColumns+` FROM user_account WHERE username = $1`, username)
	if err != nil {
		return job.User{}, fmt.Errorf("read user %q: %w", username, err)
	}
	return u, nil
}
