package store

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gluewheel/gluewheel/admin/job"
)

const alarmColumns = `id, at, rule_id, rule_name, group_id, channel_id, channel_name, event, job_id, run_id, message, emails,
	state, attempts, next_try_at, delivered_at, last_error`

// TakeAlarms takes messages that are to be sent now, the oldest first, no more of a channel
// than it has places, and counts the attempt. Nobody else takes them before the lease has
// passed: when this admin dies meanwhile, another one sends them again.
//
// Reads alarm_pending_idx. A message that another admin takes at the same time is skipped,
// or, seen again after the lock, no longer due.
func (s *Store) TakeAlarms(ctx context.Context, t job.AlarmTake) ([]job.Alarm, error) {
	const sql = `
		WITH due AS MATERIALIZED (
			SELECT a.id FROM (
				SELECT id, next_try_at, channel_id, row_number() OVER (PARTITION BY channel_id ORDER BY next_try_at, id) AS place
				FROM alarm WHERE state = 1 AND next_try_at <= clock_timestamp()
			) AS a LEFT JOIN unnest(@channels::int[], @taken::int[]) AS busy (channel_id, taken) USING (channel_id)
			WHERE a.place + coalesce(busy.taken, 0) <= @places
			ORDER BY a.next_try_at, a.id LIMIT @limit)
		UPDATE alarm SET attempts = attempts + 1, next_try_at = clock_timestamp() + @lease::interval
		WHERE id IN (
			SELECT id FROM alarm WHERE id IN (SELECT id FROM due) AND state = 1 AND next_try_at <= clock_timestamp()
			FOR UPDATE SKIP LOCKED)
		RETURNING ` + alarmColumns
	channels, taken := make([]int32, 0, len(t.Busy)), make([]int32, 0, len(t.Busy))
	for channel, n := range t.Busy {
		channels, taken = append(channels, channel), append(taken, int32(n))
	}
	alarms, err := many[job.Alarm](ctx, s.pool, sql, pgx.StrictNamedArgs{
		"channels": channels, "taken": taken, "places": t.PerChannel, "limit": t.Limit, "lease": t.Lease,
	})
	if err != nil {
		return nil, fmt.Errorf("take alarms: %w", err)
	}
	return alarms, nil
}

// AlarmDelivered closes a message.
func (s *Store) AlarmDelivered(ctx context.Context, id int64) error {
	const sql = `UPDATE alarm SET state = 2, delivered_at = clock_timestamp(), last_error = '' WHERE id = $1 AND state = 1`
	if _, err := s.pool.Exec(ctx, sql, id); err != nil {
		return fmt.Errorf("note that alarm %d is delivered: %w", id, err)
	}
	return nil
}

// AlarmNotDelivered notes why an attempt failed, and when the next one is; after 0 there
// is none.
func (s *Store) AlarmNotDelivered(ctx context.Context, id int64, why string, after time.Duration) error {
	const sql = `
		UPDATE alarm SET last_error = $2, next_try_at = clock_timestamp() + $3::interval,
			state = CASE WHEN $3::interval = interval '0' THEN 3 ELSE 1 END
		WHERE id = $1 AND state = 1`
	if _, err := s.pool.Exec(ctx, sql, id, why, after); err != nil {
		return fmt.Errorf("note that alarm %d is not delivered: %w", id, err)
	}
	return nil
}

// ReturnAlarms gives back messages that were taken and not begun: the next one who takes
// them has them at once, and the attempt does not count.
func (s *Store) ReturnAlarms(ctx context.Context, ids []int64) error {
	const sql = `UPDATE alarm SET attempts = attempts - 1, next_try_at = clock_timestamp() WHERE id = ANY ($1) AND state = 1`
	if _, err := s.pool.Exec(ctx, sql, ids); err != nil {
		return fmt.Errorf("give back %d alarms: %w", len(ids), err)
	}
	return nil
}

// Alarms lists messages, newest first. Read backwards along alarm_pkey or
// alarm_group_idx, or through alarm_named_idx or alarm_at_idx.
func (s *Store) Alarms(ctx context.Context, f job.AlarmFilter, p job.Paging) (job.Page[job.Alarm], error) {
	const (
		where = ` FROM alarm WHERE (@groups::integer[] IS NULL OR group_id = ANY (@groups)) AND (@group::int = 0 OR group_id = @group)
			AND (@rule = 0 OR rule_id = @rule) AND (@state = 0 OR state = @state)
			AND (@job::int = 0 OR jsonb_path_query_array(message, '$.items[*].job_id') @> jsonb_build_array(@job::int))
			AND (@from::timestamptz IS NULL OR at >= @from) AND (@to::timestamptz IS NULL OR at < @to)`
		list  = `SELECT ` + alarmColumns + where + ` AND id < @before ORDER BY id DESC LIMIT @limit`
		count = `SELECT count(*) FROM (SELECT` + where + ` LIMIT @limit) AS counted`
	)
	before, err := cursorID(p.Cursor, 1<<62)
	if err != nil {
		return job.Page[job.Alarm]{}, err
	}
	limit := pageLimit(p)
	groups, group := f.GroupIDs, int32(0)
	if len(groups) == 1 { // which alarm_group_idx has in order
		groups, group = nil, groups[0]
	}
	args := pgx.StrictNamedArgs{
		"groups": groups, "group": group, "rule": f.RuleID, "job": f.JobID, "state": int16(f.State),
		"from": optionalTime(f.From), "to": optionalTime(f.To), "limit": job.TotalCap + 1,
	}
	var page job.Page[job.Alarm]
	var total int
	if err := s.pool.QueryRow(ctx, count, args).Scan(&total); err != nil {
		return page, fmt.Errorf("count alarms: %w", err)
	}
	args["before"], args["limit"] = before, limit+1
	rows, err := many[job.Alarm](ctx, s.pool, list, args)
	if err != nil {
		return page, fmt.Errorf("list alarms: %w", err)
	}
	page = cutPage(rows, limit, func(a job.Alarm) int64 { return a.ID })
	page.Total, page.TotalCapped = min(total, job.TotalCap), total > job.TotalCap
	return page, nil
}

// ClearAlarms deletes messages that were closed before an age.
func (s *Store) ClearAlarms(ctx context.Context, age time.Duration) error {
	_, err := s.pool.Exec(ctx, `DELETE FROM alarm WHERE state <> 1 AND at < clock_timestamp() - $1::interval`, age)
	if err != nil {
		return fmt.Errorf("clear alarms: %w", err)
	}
	return nil
}
