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

// limitLock is the class of the advisory locks, one a job, under which the open runs of
// jobs with a limit are counted and claimed. It comes after claimLock, jobs in order.
const limitLock int32 = 0x67776c69 // "gwli"

const lockLimited = `SELECT pg_advisory_xact_lock($1, id) FROM unnest($2::integer[]) AS j (id)`

// openDispatched counts a job's runs that are under way; j is the job. A run that was
// claimed without an address is only ended. Served by run_open_job_idx.
const openDispatched = `(SELECT count(*) FROM run AS o
	WHERE o.job_id = j.id AND o.ended_at IS NULL AND o.state IN (2, 3, 4) AND o.address <> '')`

// pickRoom picks the planned runs that there is room for: the oldest of each job that are
// due, whether or not they were asked for, so that none overtakes another. Served by
// run_open_job_idx.
const pickRoom = `
WITH room AS MATERIALIZED (
	SELECT j.id, CASE j.max_concurrent WHEN 0 THEN NULL ELSE greatest(j.max_concurrent - ` + openDispatched + `, 0) END AS free
	FROM job AS j WHERE j.id = ANY ($1)
)
SELECT p.id FROM room CROSS JOIN LATERAL (
	SELECT r.id FROM run AS r
	WHERE r.job_id = room.id AND r.ended_at IS NULL AND r.state = 1 AND r.due_at < clock_timestamp() + interval '2 s'
	ORDER BY r.due_at, r.id
	LIMIT room.free
) AS p`

// ClaimLimited is Claim for runs of jobs with a limit of concurrent runs. Beside what
// Claim answers it tells which of the runs are still planned because there is no room.
func (s *Store) ClaimLimited(ctx context.Context, owner int32, lease time.Duration, claims []job.Claim) (out []job.Claimed, full []int64, err error) {
	claims = slices.SortedFunc(slices.Values(claims), func(a, b job.Claim) int { return cmp.Compare(a.RunID, b.RunID) })
	var room map[int64]bool
	err = s.retryTx(ctx, func(tx pgx.Tx) error {
		var err error
		if room, err = findRoom(ctx, tx, claims); err != nil {
			return err
		}
		chosen := slices.DeleteFunc(slices.Clone(claims), func(c job.Claim) bool { return !room[c.RunID] })
		out = nil
		var b pgx.Batch
		for day, part := range byDay(chosen, func(c *job.Claim) int64 { return c.RunID }) {
			queueClaim(&b, owner, lease, day, part, &out)
		}
		return tx.SendBatch(ctx, &b).Close()
	})
	if err != nil {
		return nil, nil, fmt.Errorf("claim %d runs of limited jobs: %w", len(claims), err)
	}
	won := make(map[int64]bool, len(out))
	for i := range out {
		won[out[i].RunID] = true
	}
	asked := make(map[int64]*job.Claim, len(claims)-len(out))
	missed := make([]int64, 0, len(claims)-len(out))
	for i := range claims {
		if id := claims[i].RunID; !won[id] {
			asked[id] = &claims[i]
			missed = append(missed, id)
		}
	}
	if len(missed) == 0 {
		return out, nil, nil
	}
	still, err := s.stillPlanned(ctx, missed)
	for i := range still {
		a, c := &still[i], asked[still[i].RunID]
		if a.JobVersion == c.JobVersion && !room[a.RunID] {
			full = append(full, a.RunID)
		} else {
			out = append(out, *a)
		}
	}
	return out, full, err
}

// findRoom locks the jobs of claims and picks the runs that there is room for.
func findRoom(ctx context.Context, tx pgx.Tx, claims []job.Claim) (map[int64]bool, error) {
	jobs := make([]int32, len(claims))
	for i := range claims {
		jobs[i] = claims[i].JobID
	}
	slices.Sort(jobs)
	jobs = slices.Compact(jobs)
	var picked []int64
	var b pgx.Batch
	b.Queue(pinPlan)
	b.Queue(shareClaims, claimLock)
	b.Queue(lockLimited, limitLock, jobs)
	b.Queue(pickRoom, jobs).Query(collectIDs(&picked))
	if err := tx.SendBatch(ctx, &b).Close(); err != nil {
		return nil, err
	}
	room := make(map[int64]bool, len(picked))
	for _, id := range picked {
		room[id] = true
	}
	return room, nil
}
