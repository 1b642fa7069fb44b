package store

import (
	"context"
	"fmt"
	"strconv"

	"github.com/jackc/pgx/v5"

	"github.com/gluewheel/gluewheel/admin/audit"
	"github.com/gluewheel/gluewheel/admin/job"
)

// userColumns are those of job.User, of user_account as u.
const userColumns = `u.id, u.username, u.password_hash, u.role, u.disabled, u.subject, u.last_login_at,
	u.version, u.created_at, u.updated_at,
	coalesce((SELECT jsonb_agg(jsonb_build_object('group_id', g.group_id, 'role', g.role) ORDER BY g.group_id)
		FROM user_grant g WHERE g.user_id = u.id), '[]') AS grants`

// CreateUser stores a new account and returns it as stored; job.ErrDuplicateUser when
// the name is taken.
func (s *Store) CreateUser(ctx context.Context, u job.User) (job.User, error) {
	const sql = `
		INSERT INTO user_account (username, password_hash, role, disabled, subject)
		VALUES ($1, $2, $3, $4, $5) RETURNING id`
	var made job.User
	err := s.retryTx(ctx, func(tx pgx.Tx) error {
		var id int32
		err := tx.QueryRow(ctx, sql, u.Username, u.PasswordHash, u.Role, u.Disabled, u.Subject).Scan(&id)
		if err != nil {
			return err
		}
		if err := writeGrants(ctx, tx, id, u.Grants); err != nil {
			return err
		}
		made, err = user(ctx, tx, id)
		audit.Record(ctx, audit.Change{Object: "user", ID: strconv.Itoa(int(id)), Name: made.Username, After: made})
		return err
	})
	if err != nil {
		return job.User{}, fmt.Errorf("create user %q: %w", u.Username, mapUserError(err))
	}
	return made, nil
}

func mapUserError(err error) error {
	switch {
	case violates(err, "user_account_username_key"):
		return job.ErrDuplicateUser
	case violates(err, "user_grant_group_id_fkey"):
		return &job.FieldError{Field: "grants", Message: "One of the groups does not exist. Choose existing ones."}
	}
	return err
}

func user(ctx context.Context, q querier, id int32) (job.User, error) {
	return one[job.User](ctx, q, `SELECT `+userColumns+` FROM user_account u WHERE u.id = $1`, id)
}

// writeGrants gives an account these grants and no others.
func writeGrants(ctx context.Context, tx pgx.Tx, id int32, grants []job.Grant) error {
	const insert = `INSERT INTO user_grant (user_id, group_id, role) SELECT $1, * FROM unnest($2::int[], $3::text[])`
	groups, roles := make([]int32, len(grants)), make([]string, len(grants))
	for i, g := range grants {
		groups[i], roles[i] = g.GroupID, string(g.Role)
	}
	if _, err := tx.Exec(ctx, `DELETE FROM user_grant WHERE user_id = $1`, id); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, insert, id, groups, roles)
	return err
}

// CreateFirstUser stores u if there is no account at all, and reports whether it did.
// The table lock makes two admins that start at once agree on one first user.
func (s *Store) CreateFirstUser(ctx context.Context, u job.User) (created bool, err error) {
	const sql = `
		INSERT INTO user_account (username, password_hash, role)
		SELECT $1, $2, $3 WHERE NOT EXISTS (SELECT FROM user_account)`
	err = s.retryTx(ctx, func(tx pgx.Tx) error {
		if err := lockUsers(ctx, tx); err != nil {
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

// lockUsers keeps other writers of accounts away, so that what is counted stays true.
func lockUsers(ctx context.Context, tx pgx.Tx) error {
	_, err := tx.Exec(ctx, `LOCK TABLE user_account IN SHARE ROW EXCLUSIVE MODE`)
	return err
}

// HasUsers reports whether there is any account.
func (s *Store) HasUsers(ctx context.Context) (bool, error) {
	var has bool
	if err := s.pool.QueryRow(ctx, `SELECT EXISTS (SELECT FROM user_account)`).Scan(&has); err != nil {
		return false, fmt.Errorf("look for users: %w", err)
	}
	return has, nil
}

// User returns an account, or job.ErrNotFound.
func (s *Store) User(ctx context.Context, id int32) (job.User, error) {
	u, err := user(ctx, s.pool, id)
	if err != nil {
		return job.User{}, fmt.Errorf("read user %d: %w", id, err)
	}
	return u, nil
}

// UserByName returns the account of a name, or job.ErrNotFound.
func (s *Store) UserByName(ctx context.Context, username string) (job.User, error) {
	u, err := one[job.User](ctx, s.pool, `SELECT `+userColumns+` FROM user_account u WHERE u.username = $1`, username)
	if err != nil {
		return job.User{}, fmt.Errorf("read user %q: %w", username, err)
	}
	return u, nil
}

// UserBySubject returns the account of a subject of single sign-on, or job.ErrNotFound.
func (s *Store) UserBySubject(ctx context.Context, subject string) (job.User, error) {
	u, err := one[job.User](ctx, s.pool, `SELECT `+userColumns+` FROM user_account u WHERE u.subject = $1`, subject)
	if err != nil {
		return job.User{}, fmt.Errorf("read user of subject: %w", err)
	}
	return u, nil
}

// GroupsByApp returns those of the groups with these app names that exist, in the order
// of their ids.
func (s *Store) GroupsByApp(ctx context.Context, apps []string) ([]job.Group, error) {
	const sql = `SELECT ` + groupColumns + ` FROM job_group WHERE app_name = ANY($1) ORDER BY id`
	groups, err := many[job.Group](ctx, s.pool, sql, apps)
	if err != nil {
		return nil, fmt.Errorf("read groups of %d apps: %w", len(apps), err)
	}
	return groups, nil
}

// Users lists accounts by id; query is a part of the name, role is empty for all.
func (s *Store) Users(ctx context.Context, query string, role job.Role, p job.Paging) (job.Page[job.User], error) {
	const (
		where = ` FROM user_account u WHERE ($1 = '' OR u.username ILIKE $1) AND ($2::text = '' OR u.role = $2)`
		list  = `SELECT ` + userColumns + where + ` AND u.id > $3::bigint ORDER BY u.id LIMIT $4`
		count = `SELECT count(*) FROM (SELECT` + where + ` LIMIT $3) AS counted`
	)
	after, err := cursorID(p.Cursor, 0)
	if err != nil {
		return job.Page[job.User]{}, err
	}
	limit := pageLimit(p)
	users, err := many[job.User](ctx, s.pool, list, containing(query), role, after, limit+1)
	if err != nil {
		return job.Page[job.User]{}, fmt.Errorf("list users: %w", err)
	}
	page := cutPage(users, limit, func(u job.User) int64 { return int64(u.ID) })
	if err := s.countPage(ctx, &page.Total, &page.TotalCapped, count, containing(query), role, job.TotalCap+1); err != nil {
		return job.Page[job.User]{}, fmt.Errorf("count users: %w", err)
	}
	return page, nil
}

// UpdateUser writes what e says, if e.Version is still the stored version. Whoever loses
// or gains rights, is disabled or gets another password is logged out everywhere.
// The last admin who can log in stays one: job.ErrLastAdmin.
func (s *Store) UpdateUser(ctx context.Context, e job.UserEdit) (job.User, error) {
	const sql = `
		UPDATE user_account SET role = $3, disabled = $4, version = version + 1, updated_at = clock_timestamp(),
			password_hash = CASE WHEN $5 = '' THEN password_hash ELSE $5 END
		WHERE id = $1 AND version = $2`
	var out job.User
	err := s.writeUser(ctx, e.ID, func(tx pgx.Tx, old job.User) error {
		tag, err := tx.Exec(ctx, sql, e.ID, e.Version, e.Role, e.Disabled, e.PasswordHash)
		if err != nil {
			return err
		}
		if tag.RowsAffected() == 0 {
			return job.ErrConflict
		}
		if err := writeGrants(ctx, tx, e.ID, e.Grants); err != nil {
			return err
		}
		if out, err = user(ctx, tx, e.ID); err != nil {
			return err
		}
		audit.Record(ctx, audit.Change{After: out})
		if err := keepAdmin(ctx, tx); err != nil || !rightsMoved(old, out) {
			return err
		}
		_, err = tx.Exec(ctx, `DELETE FROM session WHERE user_id = $1`, e.ID)
		return err
	})
	if err != nil {
		return job.User{}, fmt.Errorf("update user %d: %w", e.ID, mapUserError(err))
	}
	return out, nil
}

// rightsMoved reports whether sessions of before must not go on as they are.
func rightsMoved(old, now job.User) bool {
	return old.Role != now.Role || now.Disabled || old.PasswordHash != now.PasswordHash || !sameGrants(old.Grants, now.Grants)
}

func sameGrants(a, b []job.Grant) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// SetPassword gives an account another password and ends its sessions, but for the one
// that asks, if any: it goes on under another token. job.ErrNotFound, and nothing is
// changed, when that one has ended.
func (s *Store) SetPassword(ctx context.Context, id int32, passwordHash string, asks *job.Renewal) error {
	const sql = `UPDATE user_account SET password_hash = $2, version = version + 1, updated_at = clock_timestamp() WHERE id = $1`
	err := s.writeUser(ctx, id, func(tx pgx.Tx, _ job.User) error {
		if _, err := tx.Exec(ctx, sql, id, passwordHash); err != nil {
			return err
		}
		return renewSession(ctx, tx, id, asks)
	})
	if err != nil {
		return fmt.Errorf("set password of user %d: %w", id, err)
	}
	return nil
}

// DeleteUser removes an account with its sessions and tokens, if its version is still the
// given one (0 = any); job.ErrConflict otherwise. The last admin who can log in stays:
// job.ErrLastAdmin.
func (s *Store) DeleteUser(ctx context.Context, id int32, version int64) error {
	err := s.writeUser(ctx, id, func(tx pgx.Tx, old job.User) error {
		if version != 0 && old.Version != version {
			return job.ErrConflict
		}
		if _, err := tx.Exec(ctx, `DELETE FROM user_account WHERE id = $1`, id); err != nil {
			return err
		}
		return keepAdmin(ctx, tx)
	})
	if err != nil {
		return fmt.Errorf("delete user %d: %w", id, err)
	}
	return nil
}

// writeUser runs fn in a transaction that no other writer of accounts runs beside.
func (s *Store) writeUser(ctx context.Context, id int32, fn func(tx pgx.Tx, old job.User) error) error {
	return s.retryTx(ctx, func(tx pgx.Tx) error {
		if err := lockUsers(ctx, tx); err != nil {
			return err
		}
		// The row lock tells the audit log that something happens here, whatever fn finds.
		old, err := one[job.User](ctx, tx, `SELECT `+userColumns+` FROM user_account u WHERE u.id = $1 FOR UPDATE`, id)
		if err != nil {
			return err
		}
		audit.Record(ctx, audit.Change{Object: "user", ID: strconv.Itoa(int(id)), Name: old.Username, Before: old})
		return fn(tx, old)
	})
}

// keepAdmin refuses a change after which nobody could administer the installation.
func keepAdmin(ctx context.Context, tx pgx.Tx) error {
	var has bool
	err := tx.QueryRow(ctx, `SELECT EXISTS (SELECT FROM user_account WHERE role = 'admin' AND NOT disabled)`).Scan(&has)
	if err == nil && !has {
		err = job.ErrLastAdmin
	}
	return err
}
