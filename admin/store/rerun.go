package store

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gluewheel/gluewheel/admin/job"
)

// Rerun plans a run, due now, that repeats an old one with its parameter, its addresses
// and its shard. With same it runs the version that the old one ran and is not retried;
// otherwise it is as any run of the job.
func (s *Store) Rerun(ctx context.Context, old job.Run, same bool) (job.Fire, error) {
	var fire job.Fire
	err := s.withPartitions(ctx, func() ([]time.Time, error) {
		err := s.retryTx(ctx, func(tx pgx.Tx) error {
			var err error
			fire, err = s.rerun(ctx, tx, old, same)
			return err
		})
		return []time.Time{fire.FireAt}, err
	})
	if err != nil {
		return job.Fire{}, fmt.Errorf("repeat run %d: %w", old.ID, err)
	}
	return fire, nil
}

func (s *Store) rerun(ctx context.Context, tx pgx.Tx, old job.Run, same bool) (job.Fire, error) {
	const (
		read = `
			SELECT group_id, route_strategy, retry_count, date_trunc('milliseconds', clock_timestamp()) AS now,
				EXISTS (SELECT FROM glue_version WHERE job_id = $1 AND number = $2) AS kept
			FROM job WHERE id = $1 FOR KEY SHARE`
		insert = `
			INSERT INTO run (id, fire_at, due_at, job_id, group_id, cause, shard, shard_total, retries_left, parent_id,
				param, addresses, state, version_pin)
			VALUES ($1, $2, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`
	)
	j, err := one[struct {
		GroupID       int32
		RouteStrategy job.RouteStrategy
		RetryCount    int32
		Now           time.Time
		Kept          bool
	}](ctx, tx, read, old.JobID, old.GlueVersion)
	if err != nil {
		return job.Fire{}, err
	}
	var pin *int32
	retries := int16(min(j.RetryCount, math.MaxInt16))
	if same && old.GlueVersion != 0 {
		if !j.Kept {
			return job.Fire{}, &job.FieldError{Field: "version", Message: fmt.Sprintf("Version %d of the job's code does not exist any more. Use newest.", old.GlueVersion)}
		}
		pin, retries = &old.GlueVersion, 0
	}
	f := job.Fire{JobID: old.JobID, Shard: old.Shard, FireAt: j.Now, DueAt: j.Now}
	if old.ShardTotal <= 1 {
		f.Shard = job.FirstShard(j.RouteStrategy)
	}
	ids, err := s.nextIDs(ctx, tx, []time.Time{f.FireAt})
	if err != nil {
		return job.Fire{}, err
	}
	f.RunID = ids[0]
	_, err = tx.Exec(ctx, insert, f.RunID, f.FireAt, f.JobID, j.GroupID, job.CauseManual, f.Shard, old.ShardTotal,
		retries, old.ID, old.Param, old.Addresses, job.Planned, pin)
	return f, err
}

const (
	// maxAncestors is how far up the causes of a run are followed.
	maxAncestors = 20
	// maxDescent is how many levels of what a run has caused are read.
	maxDescent = 3
	// maxRelated is the most runs that Related answers.
	maxRelated = 200
)

// Related lists the runs that caused a run, those that its cause has caused too, and
// what it has caused itself, the oldest first and without itself.
func (s *Store) Related(ctx context.Context, r job.Run) ([]job.RunSummary, error) {
	found := map[int64]job.RunSummary{}
	for up := r.ParentID; up != nil && len(found) < maxAncestors; {
		parent, err := s.Run(ctx, *up)
		if errors.Is(err, job.ErrNotFound) {
			break // its day has left the ledger
		}
		if err != nil {
			return nil, err
		}
		parent.LogTail = nil
		found[parent.ID] = parent
		up = parent.ParentID
	}
	level := []int64{r.ID}
	if r.ParentID != nil {
		level = append(level, *r.ParentID)
	}
	for range maxDescent {
		children, err := s.causedBy(ctx, level)
		if err != nil {
			return nil, fmt.Errorf("list runs related to %d: %w", r.ID, err)
		}
		level = nil
		for _, c := range children {
			if _, known := found[c.ID]; !known && c.ID != r.ID && len(found) < maxRelated {
				found[c.ID] = c
				level = append(level, c.ID)
			}
		}
		if len(level) == 0 {
			break
		}
	}
	out := make([]job.RunSummary, 0, len(found))
	for _, one := range found {
		out = append(out, one)
	}
	slices.SortFunc(out, func(a, b job.RunSummary) int { return int(a.ID - b.ID) })
	return out, nil
}

// causedBy is served by run_parent_idx, of the days from the first cause on: nothing is
// caused before its cause.
func (s *Store) causedBy(ctx context.Context, parents []int64) ([]job.RunSummary, error) {
	const sql = `WITH picked AS (SELECT ` + runColumns + ` FROM run r
			WHERE r.parent_id = ANY($1) AND r.parent_id IS NOT NULL AND r.fire_at >= $2 ORDER BY r.id LIMIT $3)
		SELECT ` + runColumns + `, NULL AS log_tail` + runNames + ` ORDER BY r.id`
	return many[job.RunSummary](ctx, s.pool, sql, runMode, parents, job.Day(slices.Min(parents)), maxRelated)
}
