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

// together are broadcasts, shards of which have just succeeded, whose children wait
// until all have.
type together struct {
	shards []shard // of each broadcast one
}

// shard stands for its broadcast.
type shard struct {
	ended  *job.Ended
	follow job.Follow
}

func (t *together) add(e *job.Ended, f job.Follow) {
	if !slices.ContainsFunc(t.shards, func(s shard) bool { return sameBroadcast(s.ended, e) == 0 }) {
		t.shards = append(t.shards, shard{e, f})
	}
}

// sameBroadcast compares broadcasts; all shards and their retries have the same instant.
func sameBroadcast(a, b *job.Ended) int {
	return cmp.Or(cmp.Compare(a.JobID, b.JobID), a.FireAt.Compare(b.FireAt))
}

// lockBroadcasts makes transactions that end shards of the same broadcast come one after
// the other, in an order that admits no deadlock: all of them have the rows that they
// end already, and take these locks sorted. The pair of keys is apart from all other
// advisory locks, which have one; a collision of two broadcasts does no harm.
const lockBroadcasts = `
SELECT pg_advisory_xact_lock(job_id, (extract(epoch FROM fire_at) * 1000)::bigint::bit(31)::integer)
FROM unnest($1::integer[], $2::timestamptz[]) WITH ORDINALITY AS k (job_id, fire_at, position) ORDER BY position`

// wholeBroadcasts answers the broadcasts all shards of which have succeeded, with what
// their shards said. run_fire_key finds shards that a schedule planned, run_other_fire_idx
// the other ones and retries. An equal share of a parameter's length is each shard's.
const wholeBroadcasts = `
SELECT k.position - 1, s.messages
FROM unnest($1::integer[], $2::timestamptz[], $3::integer[]) WITH ORDINALITY AS k (job_id, fire_at, shards, position)
CROSS JOIN LATERAL (
	SELECT count(DISTINCT r.shard) AS succeeded, json_agg(left(r.message, $4 / k.shards) ORDER BY r.shard)::text AS messages
	FROM (
		SELECT shard, message FROM run
		WHERE job_id = k.job_id AND fire_at = k.fire_at AND cause IN (1, 6) AND shard >= 0 AND state = 10
		UNION ALL
		SELECT shard, message FROM run
		WHERE job_id = k.job_id AND fire_at = k.fire_at AND cause NOT IN (1, 6) AND shard >= 0 AND state = 10
	) AS r
) AS s
WHERE s.succeeded = k.shards`

// whole adds the children of the broadcasts that this transaction makes whole. Which one
// does is decided under the lock, by rows that the earlier ones have committed; as a
// success is never undone, it is one.
func (t *together) whole(ctx context.Context, tx pgx.Tx, wanted *family) error {
	if len(t.shards) == 0 {
		return nil
	}
	slices.SortFunc(t.shards, func(a, b shard) int { return sameBroadcast(a.ended, b.ended) })
	n := len(t.shards)
	jobs, instants, totals := make([]int32, n), make([]time.Time, n), make([]int32, n)
	for i, s := range t.shards {
		jobs[i], instants[i], totals[i] = s.ended.JobID, s.ended.FireAt, s.ended.ShardTotal
	}
	if _, err := tx.Exec(ctx, lockBroadcasts, jobs, instants); err != nil {
		return fmt.Errorf("lock %d broadcasts: %w", n, err)
	}
	rows, err := tx.Query(ctx, wholeBroadcasts, jobs, instants, totals, job.MaxParam)
	if err != nil {
		return fmt.Errorf("look for whole broadcasts: %w", err)
	}
	var at int
	var messages string
	_, err = pgx.ForEachRow(rows, []any{&at, &messages}, func() error {
		s := t.shards[at]
		p := parent{Ended: s.ended}
		if s.follow.PassResult {
			own := messages // the next row is scanned into the same variable
			p.param = &own
		}
		wanted.add(s.follow.Children, p)
		return nil
	})
	if err != nil {
		return fmt.Errorf("look for whole broadcasts: %w", err)
	}
	return nil
}
