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

// markUnknown is pinned and HOT.
const markUnknown = `
UPDATE run AS r SET state = 4, reason = c.reason, lease_until = clock_timestamp() + $1::interval
FROM unnest($4::bigint[], $5::integer[], $6::text[]) AS c (id, epoch, reason)
WHERE r.id = c.id AND r.fire_at >= $2 AND r.fire_at < $3 AND r.epoch = c.epoch AND r.state = 2
RETURNING r.id`

// MarkUnknown makes dispatching runs unknown, still held for lease, and answers the
// ids of those that were: one whose result came meanwhile stays ended.
func (s *Store) MarkUnknown(ctx context.Context, lease time.Duration, doubts []job.Doubt) ([]int64, error) {
	doubts = slices.SortedFunc(slices.Values(doubts), func(a, b job.Doubt) int { return cmp.Compare(a.RunID, b.RunID) })
	var out []int64
	err := s.pinned(ctx, func(b *pgx.Batch) {
		out = make([]int64, 0, len(doubts))
		for day, part := range byDay(doubts, func(d *job.Doubt) int64 { return d.RunID }) {
			ids, epochs, reasons := make([]int64, len(part)), make([]int32, len(part)), make([]string, len(part))
			for i, d := range part {
				ids[i], epochs[i], reasons[i] = d.RunID, d.Epoch, d.Reason
			}
			b.Queue(markUnknown, lease, day, day.AddDate(0, 0, 1), ids, epochs, reasons).Query(collectIDs(&out))
		}
	})
	if err != nil {
		return nil, fmt.Errorf("mark %d runs unknown: %w", len(doubts), err)
	}
	return out, nil
}

const markResent = `
UPDATE run SET resent = true
WHERE id = $1 AND fire_at >= $2 AND fire_at < $3 AND epoch = $4 AND state = 4 AND NOT resent`

// MarkResent uses up the one re-send of an unknown run at a foreign executor. Only
// when it reports true may the request be sent again.
func (s *Store) MarkResent(ctx context.Context, h job.Hold) (bool, error) {
	day := job.Day(h.RunID)
	tag, err := s.pool.Exec(ctx, markResent, h.RunID, day, day.AddDate(0, 0, 1), h.Epoch)
	if err != nil {
		return false, fmt.Errorf("mark run %d as sent again: %w", h.RunID, err)
	}
	return tag.RowsAffected() == 1, nil
}

// parkRuns is pinned and HOT.
const parkRuns = `
UPDATE run AS r SET lease_until = NULL
FROM unnest($3::bigint[], $4::integer[]) AS c (id, epoch)
WHERE r.id = c.id AND r.fire_at >= $1 AND r.fire_at < $2 AND r.epoch = c.epoch AND r.state = 4
RETURNING r.id`

// Park leaves unknown runs without a holder: nothing more can be asked, so that only
// a callback or the lost rule ends them.
func (s *Store) Park(ctx context.Context, holds []job.Hold) ([]int64, error) {
	return s.eachHold(ctx, "park", holds, func(b *pgx.Batch, day time.Time, ids []int64, epochs []int32, out *[]int64) {
		b.Queue(parkRuns, day, day.AddDate(0, 0, 1), ids, epochs).Query(collectIDs(out))
	})
}
