package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/gluewheel/gluewheel/admin/audit"
	"github.com/gluewheel/gluewheel/admin/job"
)

const alarmChannelColumns = `id, name, kind, config, sealed, language, version, created_at, updated_at`

// CreateAlarmChannel stores a channel; job.ErrDuplicateName when the name is taken.
func (s *Store) CreateAlarmChannel(ctx context.Context, c job.AlarmChannel) (job.AlarmChannel, error) {
	const sql = `
		INSERT INTO alarm_channel (name, kind, config, sealed, language) VALUES ($1, $2, $3, $4, $5)
		RETURNING ` + alarmChannelColumns
	made, err := oneWritten[job.AlarmChannel](ctx, s, sql, c.Name, c.Kind, c.Config, c.Sealed, c.Language)
	if err != nil {
		return job.AlarmChannel{}, fmt.Errorf("create alarm channel %q: %w", c.Name, duplicateName(err))
	}
	return made, nil
}

// UpdateAlarmChannel writes all of c but its kind, if c.Version is still the stored version.
func (s *Store) UpdateAlarmChannel(ctx context.Context, c job.AlarmChannel) (job.AlarmChannel, error) {
	const sql = `
		UPDATE alarm_channel SET name = $3, config = $4, sealed = $5, language = $6,
			version = version + 1, updated_at = clock_timestamp()
		WHERE id = $1 AND version = $2
		RETURNING ` + alarmChannelColumns
	made, err := oneWritten[job.AlarmChannel](ctx, s, sql, c.ID, c.Version, c.Name, c.Config, c.Sealed, c.Language)
	if errors.Is(err, job.ErrNotFound) {
		if _, err = s.AlarmChannel(ctx, c.ID); err == nil {
			err = job.ErrConflict
		}
	}
	if err != nil {
		return job.AlarmChannel{}, fmt.Errorf("update alarm channel %d: %w", c.ID, duplicateName(err))
	}
	return made, nil
}

// DeleteAlarmChannel removes a channel that no rule uses, if its version is still the
// given one (0 = any); job.ErrChannelInUse if one does, job.ErrNotFound if there is none
// of that version.
func (s *Store) DeleteAlarmChannel(ctx context.Context, id int32, version int64) error {
	const locked = `SELECT ` + alarmChannelColumns + ` FROM alarm_channel WHERE id = $1 AND $2::bigint IN (0, version) FOR UPDATE`
	err := s.retryTx(ctx, func(tx pgx.Tx) error {
		// Rules that name the channel are written under a share lock of its row.
		if _, err := one[job.AlarmChannel](ctx, tx, locked, id, version); err != nil {
			return err
		}
		var used bool
		if err := tx.QueryRow(ctx, `SELECT EXISTS (SELECT FROM alarm_rule WHERE $1 = ANY (channel_ids))`, id).Scan(&used); err != nil {
			return err
		}
		if used {
			return job.ErrChannelInUse
		}
		_, err := tx.Exec(ctx, `DELETE FROM alarm_channel WHERE id = $1`, id)
		return err
	})
	if err != nil {
		return fmt.Errorf("delete alarm channel %d: %w", id, err)
	}
	return nil
}

// AlarmChannel returns one channel, or job.ErrNotFound.
func (s *Store) AlarmChannel(ctx context.Context, id int32) (job.AlarmChannel, error) {
	c, err := one[job.AlarmChannel](ctx, s.pool, `SELECT `+alarmChannelColumns+` FROM alarm_channel WHERE id = $1`, id)
	if err != nil {
		return job.AlarmChannel{}, fmt.Errorf("read alarm channel %d: %w", id, err)
	}
	return c, nil
}

// AlarmChannels lists channels by id.
func (s *Store) AlarmChannels(ctx context.Context, p job.Paging) (job.Page[job.AlarmChannel], error) {
	const (
		list  = `SELECT ` + alarmChannelColumns + ` FROM alarm_channel WHERE id > $1::bigint ORDER BY id LIMIT $2`
		count = `SELECT count(*) FROM (SELECT FROM alarm_channel LIMIT $1) AS counted`
	)
	return listByID(ctx, s, p, list, count, func(c job.AlarmChannel) int64 { return int64(c.ID) })
}

// ResealAlarmChannel writes a value that was sealed anew, if the old one still stands there.
func (s *Store) ResealAlarmChannel(ctx context.Context, id int32, old, sealed []byte) error {
	_, err := s.pool.Exec(ctx, `UPDATE alarm_channel SET sealed = $3 WHERE id = $1 AND sealed = $2`, id, old, sealed)
	if err != nil {
		return fmt.Errorf("seal alarm channel %d anew: %w", id, err)
	}
	return nil
}

// oneWritten runs a statement that writes and returns one row, in a transaction.
func oneWritten[T any](ctx context.Context, s *Store, sql string, args ...any) (made T, err error) {
	err = s.retryTx(ctx, func(tx pgx.Tx) error {
		if made, err = one[T](ctx, tx, sql, args...); err == nil {
			audit.Became(ctx, made)
		}
		return err
	})
	return made, err
}

// oneDeleted runs a statement that deletes one row, in a transaction; job.ErrNotFound
// when there is none.
func oneDeleted(ctx context.Context, s *Store, sql string, args ...any) error {
	return s.retryTx(ctx, func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, sql, args...)
		if err == nil && tag.RowsAffected() == 0 {
			err = job.ErrNotFound
		}
		return err
	})
}

// listByID lists rows in the order of their ids. list takes the cursor and a limit after
// args, count a limit.
func listByID[T any](ctx context.Context, s *Store, p job.Paging, list, count string, key func(T) int64, args ...any) (job.Page[T], error) {
	after, err := cursorID(p.Cursor, 0)
	if err != nil {
		return job.Page[T]{}, err
	}
	limit := pageLimit(p)
	rows, err := many[T](ctx, s.pool, list, append(append([]any{}, args...), after, limit+1)...)
	if err != nil {
		return job.Page[T]{}, fmt.Errorf("list: %w", err)
	}
	page := cutPage(rows, limit, key)
	if err := s.countPage(ctx, &page.Total, &page.TotalCapped, count, append(append([]any{}, args...), job.TotalCap+1)...); err != nil {
		return job.Page[T]{}, fmt.Errorf("count: %w", err)
	}
	return page, nil
}

func duplicateName(err error) error {
	if violates(err, "alarm_channel_name_key") {
		return job.ErrDuplicateName
	}
	return err
}
