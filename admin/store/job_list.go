package store

import (
	"context"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gluewheel/gluewheel/admin/job"
)

// jobFilter selects the jobs of a job.Filter as j. It walks the jobs of the page in the
// order of their ids; a rare match among many jobs costs a scan.
const jobFilter = ` FROM job j WHERE (@groups::int[] IS NULL OR j.group_id = ANY(@groups))
	AND (@query::text = '' OR j.name ILIKE @query)
	AND (@enabled::boolean IS NULL OR j.enabled = @enabled)
	AND (@glue_type::text = '' OR j.glue_type = @glue_type)
	AND (@handler::text = '' OR j.handler ILIKE @handler)
	AND (@author::text = '' OR j.author ILIKE @author)`

func filterArgs(f job.Filter) pgx.StrictNamedArgs {
	return pgx.StrictNamedArgs{
		"groups": f.GroupIDs, "query": containing(f.Query), "enabled": f.Enabled, "glue_type": f.GlueType,
		"handler": containing(f.Handler), "author": containing(f.Author),
	}
}

// containing is the LIKE pattern of texts that contain part; empty for an empty part.
func containing(part string) string {
	if part == "" {
		return ""
	}
	return "%" + strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(part) + "%"
}

// summaryRow is a job.Summary as one row.
type summaryRow struct {
	job.Job
	AppName     string     `db:"app_name"`
	GroupTitle  string     `db:"group_title"`
	LastID      *int64     `db:"last_id"`
	LastState   *job.State `db:"last_state"`
	LastFireAt  *time.Time `db:"last_fire_at"`
	LastEndedAt *time.Time `db:"last_ended_at"`
}

func (r summaryRow) summary() job.Summary {
	s := job.Summary{Job: r.Job, AppName: r.AppName, GroupTitle: r.GroupTitle}
	if r.LastID != nil {
		s.LastRun = &job.LastRun{ID: *r.LastID, State: *r.LastState, FireAt: *r.LastFireAt, EndedAt: r.LastEndedAt}
	}
	return s
}

// summarise adds to picked jobs what a summary shows beside them. Planned runs lie in
// the future and are no last run. Reads run_job_idx.
const summarise = `
	SELECT j.*, g.app_name, g.title AS group_title, last.id AS last_id, last.state AS last_state,
		last.fire_at AS last_fire_at, last.ended_at AS last_ended_at
	FROM picked j
	JOIN job_group g ON g.id = j.group_id
	LEFT JOIN LATERAL (
		SELECT r.id, r.state, r.fire_at, r.ended_at FROM run r
		WHERE r.job_id = j.id AND r.state <> @planned
		ORDER BY r.id DESC LIMIT 1
	) last ON true
	ORDER BY j.id DESC`

// Jobs lists jobs, the newest first.
func (s *Store) Jobs(ctx context.Context, f job.Filter, p job.Paging) (job.Page[job.Summary], error) {
	const (
		list  = `WITH picked AS (SELECT ` + jobColumns + jobFilter + ` AND j.id < @before::bigint ORDER BY j.id DESC LIMIT @limit)` + summarise
		count = `SELECT count(*) FROM (SELECT` + jobFilter + ` LIMIT @limit) AS counted`
	)
	before, err := cursorID(p.Cursor, math.MaxInt64)
	if err != nil {
		return job.Page[job.Summary]{}, err
	}
	limit := pageLimit(p)
	args := filterArgs(f)
	args["before"], args["limit"], args["planned"] = before, limit+1, job.Planned
	items, err := s.summaries(ctx, list, args)
	if err != nil {
		return job.Page[job.Summary]{}, fmt.Errorf("list jobs: %w", err)
	}
	page := cutPage(items, limit, func(j job.Summary) int64 { return int64(j.ID) })
	args = filterArgs(f)
	args["limit"] = job.TotalCap + 1
	if err := s.countPage(ctx, &page.Total, &page.TotalCapped, count, args); err != nil {
		return job.Page[job.Summary]{}, fmt.Errorf("count jobs: %w", err)
	}
	return page, nil
}

// JobSummary returns one job as lists show it, or job.ErrNotFound.
func (s *Store) JobSummary(ctx context.Context, id int32) (job.Summary, error) {
	const sql = `WITH picked AS (SELECT ` + jobColumns + ` FROM job WHERE id = @id)` + summarise
	items, err := s.summaries(ctx, sql, pgx.StrictNamedArgs{"id": id, "planned": job.Planned})
	if err == nil && len(items) == 0 {
		err = job.ErrNotFound
	}
	if err != nil {
		return job.Summary{}, fmt.Errorf("read job %d: %w", id, err)
	}
	return items[0], nil
}

func (s *Store) summaries(ctx context.Context, sql string, args pgx.StrictNamedArgs) ([]job.Summary, error) {
	rows, err := many[summaryRow](ctx, s.pool, sql, args)
	if err != nil {
		return nil, err
	}
	items := make([]job.Summary, len(rows))
	for i, r := range rows {
		items[i] = r.summary()
	}
	return items, nil
}
