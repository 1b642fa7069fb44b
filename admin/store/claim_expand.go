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

// closeParents ends the parents of broadcasts whose shards are inserted with them.
// Pinned as claimRuns is.
const closeParents = `
UPDATE run AS r
SET state = 10, outcome = 10, ended_at = clock_timestamp(), owner = $1, epoch = r.epoch + 1,
	claimed_at = clock_timestamp(), job_version = j.version, glue_version = coalesce(r.version_pin, j.glue_version),
	reason = 'expanded', message = 'Expanded into ' || c.shards || CASE c.shards WHEN 1 THEN ' shard.' ELSE ' shards.' END
FROM unnest($4::bigint[], $5::integer[], $6::integer[], $7::bigint[], $8::integer[], $9::boolean[])
		AS c (id, job_id, epoch, job_version, shards, own)
	CROSS JOIN LATERAL (SELECT version, glue_version, enabled FROM job WHERE id = c.job_id OFFSET 0) AS j
WHERE r.id = c.id AND r.fire_at >= $2 AND r.fire_at < $3
	AND r.state = 1 AND r.shard = -1 AND r.epoch = c.epoch
	AND (r.addresses IS NULL OR c.own)
	AND r.job_id + 0 = c.job_id AND j.version = c.job_version AND (j.enabled OR r.cause NOT IN (1, 6))
RETURNING r.id, r.fire_at`

// insertShards copies what the shards share from their parents.
const insertShards = `
INSERT INTO run AS r (id, fire_at, due_at, job_id, group_id, cause, shard, shard_total, attempt, retries_left,
	parent_id, param, addresses, is_test, job_version, glue_version, version_pin,
	state, owner, epoch, lease_until, address, route, claimed_at)
SELECT c.id, p.fire_at, p.due_at, p.job_id, p.group_id, p.cause, c.shard, c.shards, p.attempt, p.retries_left,
	p.id, p.param, p.addresses, p.is_test, p.job_version, p.glue_version, p.version_pin,
	2, $1, 1, clock_timestamp() + $2::interval, c.address, c.route, clock_timestamp()
FROM unnest($3::bigint[], $4::bigint[], $5::timestamptz[], $6::integer[], $7::integer[], $8::text[], $9::text[])
		AS c (id, parent_id, fire_at, shard, shards, address, route)
	JOIN run AS p ON p.id = c.parent_id AND p.fire_at = c.fire_at
RETURNING ` + claimedColumns

// ExpandBroadcast closes each parent and inserts its shards, one an address, already
// dispatching for the admin owner, all in one transaction. It answers the shards, and
// the parents that are still planned as Claim does.
func (s *Store) ExpandBroadcast(ctx context.Context, owner int32, lease time.Duration, parents []job.Expansion) ([]job.Claimed, error) {
	parents = slices.SortedFunc(slices.Values(parents), func(a, b job.Expansion) int { return cmp.Compare(a.RunID, b.RunID) })
	var (
		out    []job.Claimed
		missed []int64
	)
	err := s.retryTx(ctx, func(tx pgx.Tx) error {
		closed, err := closeExpanded(ctx, tx, owner, parents)
		if err != nil {
			return err
		}
		missed = nil
		var sh shards
		for i := range parents {
			if at, ok := closed[parents[i].RunID]; ok {
				sh.add(&parents[i], at)
			} else {
				missed = append(missed, parents[i].RunID)
			}
		}
		out, err = s.insertShards(ctx, tx, owner, lease, &sh)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("expand %d broadcasts: %w", len(parents), err)
	}
	if len(missed) == 0 {
		return out, nil
	}
	still, err := s.stillPlanned(ctx, missed)
	return append(out, still...), err
}

// closeExpanded answers the planned instants of the parents that it closed.
func closeExpanded(ctx context.Context, tx pgx.Tx, owner int32, parents []job.Expansion) (map[int64]time.Time, error) {
	closed := make(map[int64]time.Time, len(parents))
	var b pgx.Batch
	b.Queue(pinPlan)
	b.Queue(shareClaims, claimLock)
	for day, part := range byDay(parents, func(e *job.Expansion) int64 { return e.RunID }) {
		n := len(part)
		ids, jobs, epochs := make([]int64, n), make([]int32, n), make([]int32, n)
		versions, counts, own := make([]int64, n), make([]int32, n), make([]bool, n)
		for i, e := range part {
			ids[i], jobs[i], epochs[i] = e.RunID, e.JobID, e.Epoch
			versions[i], counts[i], own[i] = e.JobVersion, int32(len(e.Addresses)), e.Own
		}
		b.Queue(closeParents, owner, day, day.AddDate(0, 0, 1), ids, jobs, epochs, versions, counts, own).
			Query(func(rows pgx.Rows) error {
				var id int64
				var at time.Time
				_, err := pgx.ForEachRow(rows, []any{&id, &at}, func() error {
					closed[id] = at
					return nil
				})
				return err
			})
	}
	return closed, tx.SendBatch(ctx, &b).Close()
}

// shards are the columns of the rows to insert.
type shards struct {
	parent       []int64
	fireAt       []time.Time
	index, total []int32
	address      []string
	route        []*string
}

func (s *shards) add(e *job.Expansion, fireAt time.Time) {
	n := int32(len(e.Addresses))
	for i, a := range e.Addresses {
		s.parent = append(s.parent, e.RunID)
		s.fireAt = append(s.fireAt, fireAt)
		s.index = append(s.index, int32(i))
		s.total = append(s.total, n)
		s.address = append(s.address, a)
		s.route = append(s.route, (&job.Route{Strategy: job.RouteBroadcast, Candidates: n, Place: int32(i) + 1}).Text())
	}
}

func (s *Store) insertShards(ctx context.Context, tx pgx.Tx, owner int32, lease time.Duration, sh *shards) ([]job.Claimed, error) {
	if len(sh.parent) == 0 {
		return nil, nil
	}
	ids, err := s.nextIDs(ctx, tx, sh.fireAt)
	if err != nil {
		return nil, err
	}
	rows, err := tx.Query(ctx, insertShards, owner, lease, ids, sh.parent, sh.fireAt, sh.index, sh.total, sh.address, sh.route)
	if err != nil {
		return nil, fmt.Errorf("insert shards: %w", err)
	}
	return pgx.CollectRows(rows, pgx.RowToStructByName[job.Claimed])
}
