package store

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gluewheel/gluewheel/admin/job"
)

// renewLeases is pinned and HOT.
const renewLeases = `
UPDATE run AS r SET lease_until = clock_timestamp() + $1::interval
FROM unnest($4::bigint[], $5::integer[]) AS c (id, epoch)
WHERE r.id = c.id AND r.fire_at >= $2 AND r.fire_at < $3 AND r.epoch = c.epoch AND r.state IN (2, 4)
RETURNING r.id`

// RenewLeases lengthens the leases of runs that are held, to lease from now, and
// answers the ids of those that are still held by these epochs.
func (s *Store) RenewLeases(ctx context.Context, lease time.Duration, holds []job.Hold) ([]int64, error) {
	return s.eachHold(ctx, "renew the leases of", holds, func(b *pgx.Batch, day time.Time, ids []int64, epochs []int32, out *[]int64) {
		b.Queue(renewLeases, lease, day, day.AddDate(0, 0, 1), ids, epochs).Query(collectIDs(out))
	})
}

// releaseRuns is pinned and HOT. The epoch stays moved, so that a late message of the
// one who releases cannot be taken for one of the next.
const releaseRuns = `
UPDATE run AS r SET state = 1, lease_until = NULL, address = '', route = NULL, reason = '', resent = false
FROM unnest($3::bigint[], $4::integer[]) AS c (id, epoch)
WHERE r.id = c.id AND r.fire_at >= $1 AND r.fire_at < $2 AND r.epoch = c.epoch AND r.state IN (2, 4)
RETURNING r.id`

// Release makes held runs planned again and answers their ids: only for runs of which
// not one byte was sent, or whose job is idempotent. The sweeper finds them.
func (s *Store) Release(ctx context.Context, holds []job.Hold) ([]int64, error) {
	return s.eachHold(ctx, "release", holds, func(b *pgx.Batch, day time.Time, ids []int64, epochs []int32, out *[]int64) {
		b.Queue(releaseRuns, day, day.AddDate(0, 0, 1), ids, epochs).Query(collectIDs(out))
	})
}

// eachHold queues one statement a day for the holds, and collects the ids it answers.
func (s *Store) eachHold(ctx context.Context, what string, holds []job.Hold,
	queue func(b *pgx.Batch, day time.Time, ids []int64, epochs []int32, out *[]int64),
) ([]int64, error) {
	holds = slices.SortedFunc(slices.Values(holds), func(a, b job.Hold) int { return cmp.Compare(a.RunID, b.RunID) })
	var out []int64
	err := s.pinned(ctx, func(b *pgx.Batch) {
		out = make([]int64, 0, len(holds))
		for day, part := range byDay(holds, func(h *job.Hold) int64 { return h.RunID }) {
			ids, epochs := make([]int64, len(part)), make([]int32, len(part))
			for i, h := range part {
				ids[i], epochs[i] = h.RunID, h.Epoch
			}
			queue(b, day, ids, epochs, &out)
		}
	})
	if err != nil {
		return nil, fmt.Errorf("%s %d runs: %w", what, len(holds), err)
	}
	return out, nil
}

func collectIDs(out *[]int64) func(pgx.Rows) error {
	return func(rows pgx.Rows) (err error) {
		*out, err = pgx.AppendRows(*out, rows, pgx.RowTo[int64])
		return err
	}
}

// takeOver finds runs by run_open_idx, oldest first, skips what others take over at
// the same time, and locks what it takes. due_at bounds the scan: a run is claimed at
// most a second ahead, and $4 says how far back to look.
const takeOver = `
WITH ended AS (
	SELECT id, fire_at, state
	FROM run
	WHERE ended_at IS NULL AND due_at > clock_timestamp() - $4::interval
		AND due_at < clock_timestamp() + interval '2 s'
		AND state IN (2, 4) AND lease_until < clock_timestamp()
	ORDER BY due_at
	LIMIT $3
	FOR UPDATE SKIP LOCKED
)
UPDATE run AS r
SET state = 4, owner = $1, epoch = r.epoch + 1, lease_until = clock_timestamp() + $2::interval,
	reason = CASE WHEN e.state = 2 THEN 'taken_over' ELSE r.reason END
FROM ended AS e
WHERE r.id = e.id AND r.fire_at = e.fire_at
RETURNING ` + claimedColumns

// TakeOver makes runs whose lease has ended unknown, held by the admin owner: what
// their last holder sent is not known. It looks at runs due within the last back.
func (s *Store) TakeOver(ctx context.Context, owner int32, lease, back time.Duration, limit int) ([]job.Claimed, error) {
	rows, err := s.pool.Query(ctx, takeOver, owner, lease, limit, back)
	if err != nil {
		return nil, fmt.Errorf("take over runs: %w", err)
	}
	out, err := pgx.CollectRows(rows, pgx.RowToStructByName[job.Claimed])
	if err != nil {
		return nil, fmt.Errorf("take over runs: %w", err)
	}
	return out, nil
}
