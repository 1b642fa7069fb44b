package store

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/gluewheel/gluewheel/admin/audit"
	"github.com/gluewheel/gluewheel/admin/job"
)

const groupTokenColumns = `id, group_id, name, hash, sealed, prefix, weakness, sent, created_by, created_at, last_used_at`

// CreateGroupToken stores a token and returns it as stored. The first of a group, and
// one that asks for it, becomes the one that is sent. job.ErrNotFound when there is no
// such group.
func (s *Store) CreateGroupToken(ctx context.Context, t job.GroupToken) (job.GroupToken, error) {
	var made job.GroupToken
	err := s.retryTx(ctx, func(tx pgx.Tx) error {
		var err error
		if made, err = createGroupToken(ctx, tx, t); err != nil {
			return err
		}
		audit.Became(ctx, made)
		return announce(ctx, tx, job.Change{Kind: job.ChangeGroup, ID: t.GroupID})
	})
	if violates(err, "group_token_hash_key") {
		err = &job.FieldError{Field: "token", Message: "The group has this token already. Choose another one, or leave it out to have one generated."}
	}
	if err != nil {
		return job.GroupToken{}, fmt.Errorf("create token of group %d: %w", t.GroupID, err)
	}
	return made, nil
}

func createGroupToken(ctx context.Context, tx pgx.Tx, t job.GroupToken) (job.GroupToken, error) {
	const (
		// The group's row is locked, so that two requests do not pass the limit together.
		lock   = `SELECT id FROM job_group WHERE id = $1 FOR UPDATE`
		count  = `SELECT count(*) FROM group_token WHERE group_id = $1`
		unsend = `UPDATE group_token SET sent = false WHERE group_id = $1 AND sent`
		insert = `
			INSERT INTO group_token (group_id, name, hash, sealed, prefix, weakness, sent, created_by)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
			RETURNING ` + groupTokenColumns
	)
	var id int32
	if err := tx.QueryRow(ctx, lock, t.GroupID).Scan(&id); err != nil {
		return job.GroupToken{}, notFound(err)
	}
	var n int
	if err := tx.QueryRow(ctx, count, t.GroupID).Scan(&n); err != nil {
		return job.GroupToken{}, err
	}
	if n >= job.MaxGroupTokens {
		return job.GroupToken{}, &job.FieldError{Field: "name", Message: fmt.Sprintf("The group has %d tokens already. Delete one that is not used any more.", n)}
	}
	sent := t.Sent || n == 0
	if sent {
		if _, err := tx.Exec(ctx, unsend, t.GroupID); err != nil {
			return job.GroupToken{}, err
		}
	}
	return one[job.GroupToken](ctx, tx, insert, t.GroupID, t.Name, t.Hash, t.Sealed, t.Prefix, t.Weakness, sent, t.CreatedBy)
}

// DeleteGroupToken removes a token of a group, or answers job.ErrNotFound. When it was
// the one that is sent, the newest of the others takes its place.
func (s *Store) DeleteGroupToken(ctx context.Context, groupID, id int32) error {
	const (
		remove  = `DELETE FROM group_token WHERE group_id = $1 AND id = $2 RETURNING sent`
		succeed = `
			UPDATE group_token SET sent = true
			WHERE id = (SELECT id FROM group_token WHERE group_id = $1 ORDER BY id DESC LIMIT 1)`
	)
	err := s.retryTx(ctx, func(tx pgx.Tx) error {
		var sent bool
		if err := tx.QueryRow(ctx, remove, groupID, id).Scan(&sent); err != nil {
			return notFound(err)
		}
		if sent {
			if _, err := tx.Exec(ctx, succeed, groupID); err != nil {
				return err
			}
		}
		return announce(ctx, tx, job.Change{Kind: job.ChangeGroup, ID: groupID})
	})
	if err != nil {
		return fmt.Errorf("delete token %d of group %d: %w", id, groupID, err)
	}
	return nil
}

// GroupTokens lists the tokens of a group, oldest first; of all groups with 0.
func (s *Store) GroupTokens(ctx context.Context, groupID int32) ([]job.GroupToken, error) {
	const sql = `SELECT ` + groupTokenColumns + ` FROM group_token WHERE $1 = 0 OR group_id = $1 ORDER BY id LIMIT 100000`
	tokens, err := many[job.GroupToken](ctx, s.pool, sql, groupID)
	if err != nil {
		return nil, fmt.Errorf("read group tokens: %w", err)
	}
	return tokens, nil
}

// TouchGroupTokens notes that tokens were used just now.
func (s *Store) TouchGroupTokens(ctx context.Context, ids []int32) error {
	const sql = `UPDATE group_token SET last_used_at = clock_timestamp() WHERE id = ANY($1)`
	if _, err := s.pool.Exec(ctx, sql, ids); err != nil {
		return fmt.Errorf("note the use of %d group tokens: %w", len(ids), err)
	}
	return nil
}

// ResealGroupToken writes a token that was sealed anew, if the old one still stands there.
func (s *Store) ResealGroupToken(ctx context.Context, t job.GroupToken, sealed []byte) error {
	const sql = `UPDATE group_token SET sealed = $3 WHERE id = $1 AND sealed = $2`
	if _, err := s.pool.Exec(ctx, sql, t.ID, t.Sealed, sealed); err != nil {
		return fmt.Errorf("seal token %d of group %d anew: %w", t.ID, t.GroupID, err)
	}
	return nil
}

// GroupApps lists the app names of all groups.
func (s *Store) GroupApps(ctx context.Context) ([]job.GroupApp, error) {
	apps, err := many[job.GroupApp](ctx, s.pool, `SELECT id, app_name FROM job_group ORDER BY id LIMIT 100000`)
	if err != nil {
		return nil, fmt.Errorf("read app names of groups: %w", err)
	}
	return apps, nil
}
