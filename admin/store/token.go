package store

import (
	"context"
	"fmt"
	"math"
	"strconv"

	"github.com/jackc/pgx/v5"

	"github.com/gluewheel/gluewheel/admin/audit"
	"github.com/gluewheel/gluewheel/admin/job"
)

// maxTokens is the most API tokens that an account keeps.
const maxTokens = 100

const tokenColumns = `t.id, t.user_id, t.parent_id, u.username, t.name, t.prefix, t.token_hash, t.role, t.group_ids, t.expires_at, t.last_used_at, t.created_at`

const fromTokens = ` FROM api_token t JOIN user_account u ON u.id = t.user_id`

// CreateToken stores an API token and returns it as stored; a *job.FieldError when one of
// its groups does not exist, or the account has too many.
func (s *Store) CreateToken(ctx context.Context, t job.APIToken) (job.APIToken, error) {
	const (
		// The user's row is locked, so that two at once do not both take the last place.
		count = `SELECT (SELECT count(*) FROM api_token WHERE user_id = u.id) FROM user_account u WHERE u.id = $1 FOR UPDATE`
		// Ids are never given again, so a group that goes meanwhile leaves nothing to get at.
		absent = `SELECT id FROM unnest($1::int[]) AS wanted (id) WHERE NOT EXISTS (SELECT FROM job_group g WHERE g.id = wanted.id) ORDER BY id`
		insert = `
			INSERT INTO api_token (user_id, name, prefix, token_hash, role, group_ids, expires_at, parent_id)
			VALUES ($1, $2, $3, $4, $5, coalesce($6, '{}'::int[]), $7, $8) RETURNING id`
	)
	var made job.APIToken
	err := s.retryTx(ctx, func(tx pgx.Tx) error {
		var n int
		if err := tx.QueryRow(ctx, count, t.UserID).Scan(&n); err != nil {
			return notFound(err)
		}
		if n >= maxTokens {
			return &job.FieldError{Field: "name", Message: fmt.Sprintf("You have %d tokens, which is the most. Delete one that you no longer use.", n)}
		}
		rows, err := tx.Query(ctx, absent, t.GroupIDs)
		if err != nil {
			return err
		}
		missing, err := pgx.CollectRows(rows, pgx.RowTo[int32])
		if err != nil {
			return err
		}
		if len(missing) > 0 {
			return &job.FieldError{Field: "group_ids", Message: fmt.Sprintf("There is no group %d. Take it out, or name an existing group.", missing[0])}
		}
		var id int32
		err = tx.QueryRow(ctx, insert, t.UserID, t.Name, t.Prefix, t.TokenHash, t.Role, t.GroupIDs, t.ExpiresAt, t.ParentID).Scan(&id)
		if violates(err, "api_token_parent_id_fkey") {
			return job.ErrNotFound // ended while it was making another one
		}
		if err != nil {
			return err
		}
		made, err = one[job.APIToken](ctx, tx, `SELECT `+tokenColumns+fromTokens+` WHERE t.id = $1`, id)
		audit.Record(ctx, audit.Change{Object: "token", ID: strconv.Itoa(int(id)), Name: t.Name, After: made})
		return err
	})
	if err != nil {
		return job.APIToken{}, fmt.Errorf("create token of user %d: %w", t.UserID, err)
	}
	return made, nil
}

// TokenUser returns an API token that has not expired, and the account that it acts for,
// or job.ErrNotFound; a disabled account has none. Use is noted once a minute.
func (s *Store) TokenUser(ctx context.Context, tokenHash []byte) (job.APIToken, job.User, error) {
	const (
		read = `
			SELECT ` + tokenColumns + `,
				coalesce(t.last_used_at < clock_timestamp() - interval '1 minute', true) AS stale` + fromTokens + `
			WHERE t.token_hash = $1 AND NOT u.disabled AND (t.expires_at IS NULL OR t.expires_at > clock_timestamp())`
		touch = `UPDATE api_token SET last_used_at = clock_timestamp() WHERE id = $1`
	)
	row, err := one[struct {
		job.APIToken
		Stale bool
	}](ctx, s.pool, read, tokenHash)
	if err != nil {
		return job.APIToken{}, job.User{}, fmt.Errorf("read token: %w", err)
	}
	u, err := s.User(ctx, row.UserID)
	if err != nil {
		return job.APIToken{}, job.User{}, fmt.Errorf("read token: %w", err)
	}
	if row.Stale {
		if _, err := s.pool.Exec(ctx, touch, row.ID); err != nil {
			return job.APIToken{}, job.User{}, fmt.Errorf("note use of token %d: %w", row.ID, err)
		}
	}
	return row.APIToken, u, nil
}

// Tokens lists API tokens, the newest first: of one account, or with userID 0 of all.
func (s *Store) Tokens(ctx context.Context, userID int32, p job.Paging) (job.Page[job.APIToken], error) {
	const (
		where = ` WHERE ($1::int = 0 OR t.user_id = $1)`
		list  = `SELECT ` + tokenColumns + fromTokens + where + ` AND t.id < $2::bigint ORDER BY t.id DESC LIMIT $3`
		count = `SELECT count(*) FROM (SELECT` + fromTokens + where + ` LIMIT $2) AS counted`
	)
	before, err := cursorID(p.Cursor, math.MaxInt64)
	if err != nil {
		return job.Page[job.APIToken]{}, err
	}
	limit := pageLimit(p)
	tokens, err := many[job.APIToken](ctx, s.pool, list, userID, before, limit+1)
	if err != nil {
		return job.Page[job.APIToken]{}, fmt.Errorf("list tokens: %w", err)
	}
	page := cutPage(tokens, limit, func(t job.APIToken) int64 { return int64(t.ID) })
	if err := s.countPage(ctx, &page.Total, &page.TotalCapped, count, userID, job.TotalCap+1); err != nil {
		return job.Page[job.APIToken]{}, fmt.Errorf("count tokens: %w", err)
	}
	return page, nil
}

// endedToken is a token that was deleted, with those that it had made, for the audit log.
type endedToken struct {
	job.APIToken
	Made []string `json:"made_and_ended_too"`
}

// DeleteToken ends a token, of one account, or with userID 0 of any, and with it all that
// were made with it, and with those. job.ErrNotFound when there is none of that id.
func (s *Store) DeleteToken(ctx context.Context, userID, id int32) error {
	const (
		read = `SELECT ` + tokenColumns + fromTokens + ` WHERE t.id = $1 AND ($2::int = 0 OR t.user_id = $2) FOR UPDATE OF t`
		// What a token makes waits for the row that is locked, and then finds it gone.
		made = `
			WITH RECURSIVE made AS (
				SELECT id, name FROM api_token WHERE parent_id = $1
				UNION SELECT t.id, t.name FROM api_token t JOIN made m ON t.parent_id = m.id)
			SELECT name || ' (' || id || ')' FROM made ORDER BY id`
	)
	err := s.retryTx(ctx, func(tx pgx.Tx) error {
		t, err := one[job.APIToken](ctx, tx, read, id, userID)
		if err != nil {
			return err
		}
		rows, err := tx.Query(ctx, made, id)
		if err != nil {
			return err
		}
		names, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			return err
		}
		audit.Record(ctx, audit.Change{Object: "token", ID: strconv.Itoa(int(id)), Name: t.Name, Before: endedToken{t, names}})
		_, err = tx.Exec(ctx, `DELETE FROM api_token WHERE id = $1`, id)
		return err
	})
	if err != nil {
		return fmt.Errorf("delete token %d: %w", id, err)
	}
	return nil
}
