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

// claimLock is the advisory lock that claims share. A write to a job takes it
// exclusively once it holds the job's row, before it touches runs: then no claim with
// the old version is under way while it commits, and the number of runs already
// claimed that it reports is exact.
const claimLock int64 = 0x676c7565 // "glue"

const shareClaims = `SELECT pg_advisory_xact_lock_shared($1)`

// claimRuns is pinned: unnest → job_pkey → run_pkey of the day's partition; OFFSET 0
// keeps the planner from reading all jobs first, and + 0 from run_job_idx. It locks the run rows it wins, in the
// order of its arguments, and writes no indexed column.
const claimRuns = `
UPDATE run AS r
SET state = 2, owner = $1, epoch = r.epoch + 1, lease_until = clock_timestamp() + $2::interval,
	address = c.address, route = c.route, job_version = j.version, claimed_at = clock_timestamp(),
	glue_version = coalesce(r.version_pin, j.glue_version)
FROM unnest($5::bigint[], $6::integer[], $7::integer[], $8::bigint[], $9::text[], $10::boolean[], $11::text[])
		AS c (id, job_id, epoch, job_version, address, own, route)
	CROSS JOIN LATERAL (SELECT version, glue_version, enabled FROM job WHERE id = c.job_id OFFSET 0) AS j
WHERE r.id = c.id AND r.fire_at >= $3 AND r.fire_at < $4
	AND r.state = 1 AND r.epoch = c.epoch
	AND (r.addresses IS NULL OR c.own)
	AND r.job_id + 0 = c.job_id AND j.version = c.job_version AND (j.enabled OR r.cause NOT IN (1, 6))
RETURNING ` + claimedColumns

const claimedColumns = `r.id, r.parent_id, r.job_id, r.fire_at, r.due_at, r.shard, r.shard_total, r.attempt, r.param,
	r.addresses, r.job_version, r.glue_version, r.epoch, r.address, r.is_test, r.state, r.resent`

// Claim makes the planned runs dispatching, in one statement a day, for the admin
// owner until the lease ends. It answers those that won, and those that are still
// planned but whose job changed, with what a new claim must know; see job.Claimed.
func (s *Store) Claim(ctx context.Context, owner int32, lease time.Duration, claims []job.Claim) ([]job.Claimed, error) {
	claims = slices.SortedFunc(slices.Values(claims), func(a, b job.Claim) int { return cmp.Compare(a.RunID, b.RunID) })
	var out []job.Claimed
	err := s.pinned(ctx, func(b *pgx.Batch) {
		out = make([]job.Claimed, 0, len(claims))
		b.Queue(shareClaims, claimLock)
		for day, part := range byDay(claims, func(c *job.Claim) int64 { return c.RunID }) {
			queueClaim(b, owner, lease, day, part, &out)
		}
	})
	if err != nil {
		return nil, fmt.Errorf("claim %d runs: %w", len(claims), err)
	}
	if len(out) == len(claims) {
		return out, nil
	}
	missed := make([]int64, 0, len(claims)-len(out))
	won := make(map[int64]bool, len(out))
	for i := range out {
		won[out[i].RunID] = true
	}
	for i := range claims {
		if !won[claims[i].RunID] {
			missed = append(missed, claims[i].RunID)
		}
	}
	still, err := s.stillPlanned(ctx, missed)
	return append(out, still...), err
}

func queueClaim(b *pgx.Batch, owner int32, lease time.Duration, day time.Time, claims []job.Claim, out *[]job.Claimed) {
	n := len(claims)
	ids, jobs, epochs := make([]int64, n), make([]int32, n), make([]int32, n)
	versions, addresses, own := make([]int64, n), make([]string, n), make([]bool, n)
	routes := make([]*string, n)
	for i, c := range claims {
		ids[i], jobs[i], epochs[i] = c.RunID, c.JobID, c.Epoch
		versions[i], addresses[i], own[i] = c.JobVersion, c.Address, c.Own
		routes[i] = c.Route.Text()
	}
	b.Queue(claimRuns, owner, lease, day, day.AddDate(0, 0, 1), ids, jobs, epochs, versions, addresses, own, routes).
		Query(collectInto(out))
}

// collectInto appends the rows of a statement to out.
func collectInto[T any](out *[]T) func(pgx.Rows) error {
	return func(rows pgx.Rows) (err error) {
		*out, err = pgx.AppendRows(*out, rows, pgx.RowToStructByName[T])
		return err
	}
}

// cancelOrphans ends planned runs that must not start any more: their job is gone, or
// was stopped. An edit cancels them itself; this catches a row that was inserted
// beside it. Served by run_pkey.
const cancelOrphans = `
UPDATE run AS r
SET state = 17, outcome = 17, ended_at = clock_timestamp(),
	reason = CASE WHEN g.gone THEN 'job_deleted' ELSE 'job_stopped' END,
	message = CASE WHEN g.gone THEN 'The job was deleted before this run was sent.'
		ELSE 'The job was stopped before this run was sent.' END
FROM (
	SELECT p.id, p.fire_at, j.id IS NULL AS gone
	FROM run AS p LEFT JOIN job AS j ON j.id = p.job_id
	WHERE p.id = ANY ($1) AND p.fire_at >= $2 AND p.fire_at < $3 AND p.state = 1
		AND (j.id IS NULL OR p.cause IN (1, 6) AND NOT j.enabled)
) AS g
WHERE r.id = g.id AND r.fire_at = g.fire_at AND r.state = 1`

// readPlanned is served by run_pkey and takes no lock.
const readPlanned = `
SELECT r.id, r.parent_id, r.job_id, r.fire_at, r.due_at, r.shard, r.shard_total, r.attempt, r.param, r.addresses,
	j.version AS job_version, j.glue_version, r.epoch, r.address, r.is_test, r.state, r.resent
FROM run AS r JOIN job AS j ON j.id = r.job_id
WHERE r.id = ANY ($1) AND r.fire_at >= $2 AND r.fire_at < $3 AND r.state = 1`

// stillPlanned cancels those of ids that must not start any more and reads the rest.
func (s *Store) stillPlanned(ctx context.Context, ids []int64) ([]job.Claimed, error) {
	slices.Sort(ids)
	var out []job.Claimed
	err := s.pinned(ctx, func(b *pgx.Batch) {
		out = nil
		for day, part := range byDay(ids, func(id *int64) int64 { return *id }) {
			next := day.AddDate(0, 0, 1)
			b.Queue(cancelOrphans, part, day, next)
			b.Queue(readPlanned, part, day, next).Query(collectInto(&out))
		}
	})
	if err != nil {
		return nil, fmt.Errorf("read %d runs that were not claimed: %w", len(ids), err)
	}
	return out, nil
}
