package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/gluewheel/gluewheel/admin/audit"
	"github.com/gluewheel/gluewheel/admin/job"
)

const (
	secretColumns   = `group_id, name, sealed, updated_at, updated_by, version`
	variableColumns = `group_id, name, value, updated_at, updated_by, version`
)

// PutSecret sets a secret of a group, and answers it as stored. v.Version is the version
// that the caller has seen, 0 when there was none: job.ErrConflict when it has moved on.
// job.ErrTooManySecrets when it would be one too many.
func (s *Store) PutSecret(ctx context.Context, v job.Secret) (job.Secret, error) {
	const put = `
		INSERT INTO group_secret (group_id, name, sealed, updated_by) VALUES ($1, $2, $3, $4)
		ON CONFLICT ON CONSTRAINT group_secret_pkey DO UPDATE
			SET sealed = excluded.sealed, updated_by = excluded.updated_by, updated_at = clock_timestamp(), version = excluded.version
		RETURNING ` + secretColumns
	made, err := putNamed[job.Secret](ctx, s, "group_secret", v.Version, put, v.GroupID, v.Name, v.Sealed, v.UpdatedBy)
	if err != nil {
		return job.Secret{}, fmt.Errorf("put secret %s of group %d: %w", v.Name, v.GroupID, err)
	}
	return made, nil
}

// PutVariable sets a variable of a group, like PutSecret.
func (s *Store) PutVariable(ctx context.Context, v job.Variable) (job.Variable, error) {
	const put = `
		INSERT INTO group_variable (group_id, name, value, updated_by) VALUES ($1, $2, $3, $4)
		ON CONFLICT ON CONSTRAINT group_variable_pkey DO UPDATE
			SET value = excluded.value, updated_by = excluded.updated_by, updated_at = clock_timestamp(), version = excluded.version
		RETURNING ` + variableColumns
	made, err := putNamed[job.Variable](ctx, s, "group_variable", v.Version, put, v.GroupID, v.Name, v.Value, v.UpdatedBy)
	if err != nil {
		return job.Variable{}, fmt.Errorf("put variable %s of group %d: %w", v.Name, v.GroupID, err)
	}
	return made, nil
}

// putNamed writes a row of a table of named values in place of one version of it; 0 means
// that there is none. A lock of the group keeps two writers from passing the limit, or
// from making the same row, together.
func putNamed[T any](ctx context.Context, s *Store, table string, version int64, put string, groupID int32, name string, rest ...any) (made T, err error) {
	err = s.retryTx(ctx, func(tx pgx.Tx) error {
		if _, err := one[struct{ ID int32 }](ctx, tx, `SELECT id FROM job_group WHERE id = $1 FOR NO KEY UPDATE`, groupID); err != nil {
			return err
		}
		var stored int64
		err := tx.QueryRow(ctx, `SELECT version FROM `+table+` WHERE group_id = $1 AND name = $2 FOR UPDATE`, groupID, name).Scan(&stored)
		if err != nil && !errors.Is(err, pgx.ErrNoRows) {
			return err
		}
		if stored != version {
			return job.ErrConflict
		}
		if made, err = one[T](ctx, tx, put, append([]any{groupID, name}, rest...)...); err != nil {
			return err
		}
		var n int
		if err := tx.QueryRow(ctx, `SELECT count(*) FROM `+table+` WHERE group_id = $1`, groupID).Scan(&n); err != nil {
			return err
		}
		if n > job.MaxSecrets {
			return job.ErrTooManySecrets
		}
		audit.Became(ctx, made)
		return nil
	})
	return made, err
}

// DeleteSecret removes a secret, if its version is still the given one (0 = any);
// otherwise job.ErrNotFound, as there is none of that version.
func (s *Store) DeleteSecret(ctx context.Context, groupID int32, name string, version int64) error {
	return s.deleteNamed(ctx, `DELETE FROM group_secret WHERE group_id = $1 AND name = $2 AND $3::bigint IN (0, version)`, groupID, name, version)
}

// DeleteVariable removes a variable, like DeleteSecret.
func (s *Store) DeleteVariable(ctx context.Context, groupID int32, name string, version int64) error {
	return s.deleteNamed(ctx, `DELETE FROM group_variable WHERE group_id = $1 AND name = $2 AND $3::bigint IN (0, version)`, groupID, name, version)
}

func (s *Store) deleteNamed(ctx context.Context, sql string, groupID int32, name string, version int64) error {
	if err := oneDeleted(ctx, s, sql, groupID, name, version); err != nil {
		return fmt.Errorf("delete %s of group %d: %w", name, groupID, err)
	}
	return nil
}

// Secret returns a secret of a group as it is stored, or job.ErrNotFound.
func (s *Store) Secret(ctx context.Context, groupID int32, name string) (job.Secret, error) {
	const sql = `SELECT ` + secretColumns + ` FROM group_secret WHERE group_id = $1 AND name = $2`
	v, err := one[job.Secret](ctx, s.pool, sql, groupID, name)
	if err != nil {
		return job.Secret{}, fmt.Errorf("read secret %s of group %d: %w", name, groupID, err)
	}
	return v, nil
}

// Variable returns a variable of a group, or job.ErrNotFound.
func (s *Store) Variable(ctx context.Context, groupID int32, name string) (job.Variable, error) {
	const sql = `SELECT ` + variableColumns + ` FROM group_variable WHERE group_id = $1 AND name = $2`
	v, err := one[job.Variable](ctx, s.pool, sql, groupID, name)
	if err != nil {
		return job.Variable{}, fmt.Errorf("read variable %s of group %d: %w", name, groupID, err)
	}
	return v, nil
}

// Secrets lists a group's secrets by name; there are at most job.MaxSecrets.
func (s *Store) Secrets(ctx context.Context, groupID int32) ([]job.Secret, error) {
	const sql = `SELECT ` + secretColumns + ` FROM group_secret WHERE group_id = $1 ORDER BY name`
	list, err := many[job.Secret](ctx, s.pool, sql, groupID)
	if err != nil {
		return nil, fmt.Errorf("list secrets of group %d: %w", groupID, err)
	}
	return list, nil
}

// AllSecrets lists the secrets of all groups, for those who seal them anew.
func (s *Store) AllSecrets(ctx context.Context) ([]job.Secret, error) {
	const sql = `SELECT ` + secretColumns + ` FROM group_secret ORDER BY group_id, name`
	list, err := many[job.Secret](ctx, s.pool, sql)
	if err != nil {
		return nil, fmt.Errorf("list secrets: %w", err)
	}
	return list, nil
}

// Variables lists a group's variables by name; there are at most job.MaxSecrets.
func (s *Store) Variables(ctx context.Context, groupID int32) ([]job.Variable, error) {
	const sql = `SELECT ` + variableColumns + ` FROM group_variable WHERE group_id = $1 ORDER BY name`
	list, err := many[job.Variable](ctx, s.pool, sql, groupID)
	if err != nil {
		return nil, fmt.Errorf("list variables of group %d: %w", groupID, err)
	}
	return list, nil
}

// ResealSecret writes a value that was sealed anew, if the old one still stands there.
func (s *Store) ResealSecret(ctx context.Context, v job.Secret, sealed []byte) error {
	const sql = `UPDATE group_secret SET sealed = $4 WHERE group_id = $1 AND name = $2 AND sealed = $3`
	if _, err := s.pool.Exec(ctx, sql, v.GroupID, v.Name, v.Sealed, sealed); err != nil {
		return fmt.Errorf("seal secret %s of group %d anew: %w", v.Name, v.GroupID, err)
	}
	return nil
}

// SecretForRun tells what an open run of that epoch may read under a name;
// job.ErrNotFound when there is no such run. A test-run has the grants that it was
// started with. Served by primary keys.
func (s *Store) SecretForRun(ctx context.Context, h job.Hold, name string) (job.SecretGrant, error) {
	const sql = `
		SELECT r.job_id, r.group_id, r.address,
			coalesce(CASE WHEN r.is_test THEN t.manifest ELSE v.manifest END -> 'secrets' ? $5, false) AS granted,
			s.sealed, w.value AS variable
		FROM run r
		LEFT JOIN test_code t ON t.run_id = r.id
		LEFT JOIN glue_version v ON v.job_id = r.job_id AND v.number = r.glue_version
		LEFT JOIN group_secret s ON s.group_id = r.group_id AND s.name = $5
		LEFT JOIN group_variable w ON w.group_id = r.group_id AND w.name = $5
		WHERE r.id = $1 AND r.fire_at >= $2 AND r.fire_at < $3 AND r.epoch = $4 AND r.state IN (2, 3, 4)`
	day := job.Day(h.RunID)
	g, err := one[job.SecretGrant](ctx, s.pool, sql, h.RunID, day, day.AddDate(0, 0, 1), h.Epoch, name)
	if err != nil {
		return job.SecretGrant{}, fmt.Errorf("read secret for run %d: %w", h.RunID, err)
	}
	return g, nil
}
