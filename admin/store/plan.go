package store

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gluewheel/gluewheel/admin/job"
)

// PlanDue plans due jobs in one transaction under the locks of the buckets that it
// takes, and returns what was committed. plan decides; it gets the database's clock,
// read under the locks, and may be called again when the transaction has to be repeated.
//
// A job that was edited in between keeps its edit: its move and entries are left out,
// and it is seen again by the next call. When the outcome of the commit is not known an
// error is returned; rows that were committed after all are found by Sweep.
func (s *Store) PlanDue(ctx context.Context, req job.PlanRequest, plan func(now time.Time, due []job.Due) job.Plan) (job.PlanResult, error) {
	if err := s.restoreBuckets(ctx, req.Buckets); err != nil {
		return job.PlanResult{}, fmt.Errorf("restore bucket locks: %w", err)
	}
	if err := s.reserveIDs(ctx, idBlock); err != nil {
		return job.PlanResult{}, err
	}
	res, err := s.planOnce(ctx, req, plan, copyEntries)
	if hasCode(err, uniqueViolation) {
		// Some instant has its row already, as after the database's clock was set back.
		// One such job must not keep all others from being planned.
		res, err = s.planOnce(ctx, req, plan, mergeEntries)
	}
	if err != nil {
		return job.PlanResult{}, fmt.Errorf("plan due jobs: %w", err)
	}
	return res, nil
}

// entryWriter writes ledger rows and returns which of them are there now.
type entryWriter func(ctx context.Context, tx pgx.Tx, owner int32, entries []job.Entry, ids []int64, now time.Time) (written func(id int64) bool, err error)

// planOnce runs the transaction, again after missing partitions have been made.
func (s *Store) planOnce(ctx context.Context, req job.PlanRequest, plan func(time.Time, []job.Due) job.Plan, write entryWriter) (job.PlanResult, error) {
	var res job.PlanResult
	err := s.withPartitions(ctx, func() (needed []time.Time, err error) {
		asked, locked := time.Now(), time.Time{}
		err = s.retryTx(ctx, func(tx pgx.Tx) error {
			p := planning{store: s, tx: tx, req: req, write: write}
			err := p.run(ctx, plan)
			res, needed, locked = p.res, p.fireAt, p.locked
			return err
		})
		res.LockWait, res.LockHold = locked.Sub(asked), time.Since(locked)
		return needed, err
	})
	return res, err
}

// planning is one attempt at a planning transaction.
type planning struct {
	store  *Store
	tx     pgx.Tx
	req    job.PlanRequest
	write  entryWriter
	fireAt []time.Time // of the rows to be written
	locked time.Time   // when the database had answered about the locks
	res    job.PlanResult
}

func (p *planning) run(ctx context.Context, plan func(time.Time, []job.Due) job.Plan) error {
	if _, err := p.tx.Exec(ctx, pinPlan); err != nil {
		return err
	}
	err := p.takeBuckets(ctx)
	p.locked = time.Now()
	if err != nil || len(p.res.Buckets) == 0 {
		return err
	}
	if err := p.resume(ctx); err != nil {
		return err
	}
	due, err := p.readDue(ctx)
	if err != nil {
		return err
	}
	if len(due) > 0 {
		if err := p.apply(ctx, plan(p.res.Now, due), len(due)); err != nil {
			return err
		}
	}
	return p.retire(ctx)
}

// apply moves the jobs and writes the rows of those that moved.
func (p *planning) apply(ctx context.Context, plan job.Plan, due int) error {
	won, err := p.move(ctx, plan.Moves)
	if err != nil {
		return err
	}
	// Without a job that moved, going on at once would find the same again.
	p.res.More = len(won) > 0 && (plan.Cut || due >= p.req.Limit)
	return p.insert(ctx, plan.Entries, won)
}

// retire stops the jobs that have no next fire, once their last runs are claimed: a
// claim refuses what the schedule of a stopped job has planned. Reads job_over_idx.
func (p *planning) retire(ctx context.Context) error {
	const sql = `
		UPDATE job j SET enabled = false
		WHERE j.enabled AND j.next_fire IS NULL AND j.schedule_type <> 'FIX_DELAY' AND NOT EXISTS (
			SELECT FROM run r WHERE r.job_id = j.id AND r.ended_at IS NULL AND r.state = $1 AND r.cause = ANY($2))`
	if _, err := p.tx.Exec(ctx, sql, job.Planned, scheduledCauses); err != nil {
		return fmt.Errorf("stop jobs without next fire: %w", err)
	}
	return nil
}

// takeBuckets locks this admin's share of the buckets: those that it had last, then
// those that have waited longest. Others' locks are passed over. The clock is read once
// all are held.
func (p *planning) takeBuckets(ctx context.Context) error {
	const sql = `
		WITH taken AS (
			SELECT bucket FROM bucket_lock
			ORDER BY owner = @owner DESC, planned_at, bucket
			LIMIT (SELECT ceil((SELECT count(*) FROM bucket_lock)::numeric / greatest(1, count(*)))
				FROM admin_node WHERE heartbeat_at > clock_timestamp() - @live_for::interval)
			FOR UPDATE SKIP LOCKED
		)
		UPDATE bucket_lock l SET owner = @owner, planned_at = clock_timestamp()
		FROM taken WHERE l.bucket = taken.bucket
		RETURNING l.bucket, l.planned_at`
	rows, err := p.tx.Query(ctx, sql, pgx.StrictNamedArgs{"owner": p.req.Owner, "live_for": liveFor})
	if err != nil {
		return fmt.Errorf("lock buckets: %w", err)
	}
	var bucket int32
	var at time.Time
	_, err = pgx.ForEachRow(rows, []any{&bucket, &at}, func() error {
		p.res.Buckets = append(p.res.Buckets, bucket)
		if at.After(p.res.Now) {
			p.res.Now = at
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("lock buckets: %w", err)
	}
	return nil
}

// preRead follows job_due_idx bucket by bucket and reads few columns.
const preRead = `
	SELECT due.* FROM unnest(@buckets::int[]) AS b (bucket)
	CROSS JOIN LATERAL (
		SELECT j.id, j.group_id, j.schedule_type, j.schedule_conf, j.time_zone, j.dst_policy, j.valid_until,
			j.misfire_strategy, j.catch_up_limit, j.route_strategy, j.retry_count, j.next_fire, j.version
		FROM job j
		WHERE j.bucket = b.bucket AND j.enabled AND j.next_fire IS NOT NULL AND j.next_fire <= @until
		ORDER BY j.next_fire
		LIMIT @limit
	) AS due
	ORDER BY due.next_fire
	LIMIT @limit`

func (p *planning) readDue(ctx context.Context) ([]job.Due, error) {
	rows, err := p.tx.Query(ctx, preRead, pgx.StrictNamedArgs{
		"buckets": p.res.Buckets, "until": p.res.Now.Add(p.req.Horizon), "limit": p.req.Limit,
	})
	if err != nil {
		return nil, fmt.Errorf("read due jobs: %w", err)
	}
	due, err := pgx.CollectRows(rows, pgx.RowToStructByName[job.Due])
	if err != nil {
		return nil, fmt.Errorf("read due jobs: %w", err)
	}
	return due, nil
}

// move sets the next fires and returns the jobs that were still as they had been read.
// Comparing next_fire as well makes a second planner harmless, whatever became of the
// bucket's lock. A job without a next fire is stopped by retire, except for FIX_DELAY:
// nothing of it is left to be claimed, and retire does not look at it.
func (p *planning) move(ctx context.Context, moves []job.Move) (won map[int32]bool, err error) {
	const sql = `
		UPDATE job j SET next_fire = m.next_fire, last_fire = coalesce(m.last_fire, j.last_fire),
			enabled = m.next_fire IS NOT NULL OR m.waits OR j.schedule_type <> 'FIX_DELAY'
		FROM unnest(@ids::int[], @versions::bigint[], @reads::timestamptz[], @nexts::timestamptz[], @waits::bool[], @lasts::timestamptz[])
			AS m (id, version, read_fire, next_fire, waits, last_fire)
		WHERE j.id = m.id AND j.version = m.version AND j.next_fire = m.read_fire AND j.enabled
		RETURNING j.id, j.next_fire IS NULL AND NOT m.waits`
	rows, err := p.mover().Query(ctx, sql, moveArgs(moves))
	if err != nil {
		return nil, fmt.Errorf("move next fires: %w", err)
	}
	won = make(map[int32]bool, len(moves))
	var id int32
	var over bool
	_, err = pgx.ForEachRow(rows, []any{&id, &over}, func() error {
		won[id] = true
		if over {
			p.res.Over = append(p.res.Over, id)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("move next fires: %w", err)
	}
	return won, nil
}

func moveArgs(moves []job.Move) pgx.StrictNamedArgs {
	n := len(moves)
	ids, versions := make([]int32, n), make([]int64, n)
	reads, nexts, lasts := make([]time.Time, n), make([]*time.Time, n), make([]*time.Time, n)
	waits := make([]bool, n)
	for i := range moves {
		m := &moves[i]
		ids[i], versions[i], reads[i], nexts[i], waits[i] = m.JobID, m.Version, m.ReadFire, m.Next, m.Waits
		if !m.LastFire.IsZero() {
			lasts[i] = &m.LastFire
		}
	}
	return pgx.StrictNamedArgs{"ids": ids, "versions": versions, "reads": reads, "nexts": nexts, "waits": waits, "lasts": lasts}
}

// insert writes the entries of the jobs that moved, and collects their fires.
func (p *planning) insert(ctx context.Context, entries []job.Entry, won map[int32]bool) error {
	kept := make([]job.Entry, 0, len(entries))
	for i := range entries {
		if won[entries[i].JobID] {
			kept = append(kept, entries[i])
			p.fireAt = append(p.fireAt, entries[i].FireAt)
		}
	}
	if len(kept) == 0 {
		return nil
	}
	ids, err := p.store.nextIDs(ctx, p.tx, p.fireAt)
	if err != nil {
		return err
	}
	written, err := p.write(ctx, p.tx, p.req.Owner, kept, ids, p.res.Now)
	if err != nil {
		return fmt.Errorf("write %d ledger rows: %w", len(kept), err)
	}
	for i := range kept {
		switch e := &kept[i]; {
		case !written(ids[i]):
		case e.State == job.Planned:
			p.res.Fires = append(p.res.Fires, job.Fire{RunID: ids[i], JobID: e.JobID, Shard: e.Shard, FireAt: e.FireAt, DueAt: e.DueAt})
		default:
			p.res.Skipped++
			p.res.Missed += max(int(e.RangeCount), 1)
		}
	}
	return nil
}
