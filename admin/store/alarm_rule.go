package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/gluewheel/gluewheel/admin/audit"
	"github.com/gluewheel/gluewheel/admin/job"
)

const alarmRuleColumns = `id, name, group_id, job_ids, on_events, threshold, window_s, rate_pct, silence_s, group_s, late_ms,
	each_attempt, channel_ids, enabled, version, created_at, updated_at`

// CreateAlarmRule stores a rule; job.ErrNoChannel when one of its channels is gone,
// job.ErrForeignJob when one of its jobs is not in its group, a field error without the
// group.
func (s *Store) CreateAlarmRule(ctx context.Context, r job.AlarmRule) (job.AlarmRule, error) {
	const sql = `
		INSERT INTO alarm_rule (name, group_id, job_ids, on_events, threshold, window_s, rate_pct, silence_s, group_s, late_ms,
			each_attempt, channel_ids, enabled)
		VALUES (@name, @group_id, @job_ids, @on_events, @threshold, @window_s, @rate_pct, @silence_s, @group_s, @late_ms,
			@each_attempt, @channel_ids, @enabled)
		RETURNING ` + alarmRuleColumns
	made, err := s.writeAlarmRule(ctx, sql, &r, nil)
	if err != nil {
		return job.AlarmRule{}, fmt.Errorf("create alarm rule %q: %w", r.Name, err)
	}
	return made, nil
}

// UpdateAlarmRule writes all of r, if r.Version is still the stored version. What the
// rule remembers stays.
func (s *Store) UpdateAlarmRule(ctx context.Context, r job.AlarmRule) (job.AlarmRule, error) {
	const sql = `
		UPDATE alarm_rule SET name = @name, group_id = @group_id, job_ids = @job_ids, on_events = @on_events,
			threshold = @threshold, window_s = @window_s, rate_pct = @rate_pct, silence_s = @silence_s,
			group_s = @group_s, late_ms = @late_ms, each_attempt = @each_attempt, channel_ids = @channel_ids, enabled = @enabled,
			version = version + 1, updated_at = clock_timestamp()
		WHERE id = @id AND version = @version
		RETURNING ` + alarmRuleColumns
	made, err := s.writeAlarmRule(ctx, sql, &r, pgx.StrictNamedArgs{"id": r.ID, "version": r.Version})
	if errors.Is(err, job.ErrNotFound) {
		if _, err = s.AlarmRule(ctx, r.ID); err == nil {
			err = job.ErrConflict
		}
	}
	if err != nil {
		return job.AlarmRule{}, fmt.Errorf("update alarm rule %d: %w", r.ID, err)
	}
	return made, nil
}

func (s *Store) writeAlarmRule(ctx context.Context, sql string, r *job.AlarmRule, more pgx.StrictNamedArgs) (job.AlarmRule, error) {
	args := pgx.StrictNamedArgs{
		"name": r.Name, "group_id": r.GroupID, "job_ids": orEmpty(r.JobIDs), "on_events": r.On, "threshold": r.Threshold,
		"window_s": r.WindowS, "rate_pct": r.RatePct, "silence_s": r.SilenceS, "group_s": r.GroupS, "late_ms": r.LateMS,
		"each_attempt": r.EachAttempt, "channel_ids": orEmpty(r.ChannelIDs), "enabled": r.Enabled,
	}
	for name, value := range more {
		args[name] = value
	}
	var made job.AlarmRule
	err := s.retryTx(ctx, func(tx pgx.Tx) error {
		var found int
		err := tx.QueryRow(ctx, `SELECT count(*) FROM (SELECT FROM alarm_channel WHERE id = ANY ($1) FOR SHARE) AS c`, r.ChannelIDs).Scan(&found)
		if err != nil {
			return err
		}
		if found < len(r.ChannelIDs) {
			return job.ErrNoChannel
		}
		err = tx.QueryRow(ctx, `SELECT count(*) FROM job WHERE id = ANY ($1) AND group_id = $2`, r.JobIDs, r.GroupID).Scan(&found)
		if err != nil {
			return err
		}
		if found < len(r.JobIDs) {
			return job.ErrForeignJob
		}
		if made, err = one[job.AlarmRule](ctx, tx, sql, args); err == nil {
			audit.Became(ctx, made)
		}
		return err
	})
	if violates(err, "alarm_rule_group_id_fkey") {
		err = &job.FieldError{Field: "group_id", Message: "There is no such group. Choose an existing one."}
	}
	return made, err
}

func orEmpty(ids []int32) []int32 {
	if ids == nil {
		return []int32{}
	}
	return ids
}

// DeleteAlarmRule removes a rule with what it remembers and has gathered, if its version
// is still the given one (0 = any); otherwise job.ErrNotFound, as there is none of that
// version. Its messages stay.
func (s *Store) DeleteAlarmRule(ctx context.Context, id int32, version int64) error {
	const sql = `DELETE FROM alarm_rule WHERE id = $1 AND $2::bigint IN (0, version)`
	if err := oneDeleted(ctx, s, sql, id, version); err != nil {
		return fmt.Errorf("delete alarm rule %d: %w", id, err)
	}
	return nil
}

// AlarmRule returns one rule, or job.ErrNotFound.
func (s *Store) AlarmRule(ctx context.Context, id int32) (job.AlarmRule, error) {
	r, err := one[job.AlarmRule](ctx, s.pool, `SELECT `+alarmRuleColumns+` FROM alarm_rule WHERE id = $1`, id)
	if err != nil {
		return job.AlarmRule{}, fmt.Errorf("read alarm rule %d: %w", id, err)
	}
	return r, nil
}

// AlarmRules lists the rules of groups by id; nil means all, those for all groups too.
func (s *Store) AlarmRules(ctx context.Context, groupIDs []int32, p job.Paging) (job.Page[job.AlarmRule], error) {
	const (
		where = ` FROM alarm_rule WHERE ($1::integer[] IS NULL OR group_id = ANY ($1))`
		list  = `SELECT ` + alarmRuleColumns + where + ` AND id > $2::bigint ORDER BY id LIMIT $3`
		count = `SELECT count(*) FROM (SELECT` + where + ` LIMIT $2) AS counted`
	)
	return listByID(ctx, s, p, list, count, func(r job.AlarmRule) int64 { return int64(r.ID) }, groupIDs)
}
