package store

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/gluewheel/gluewheel/admin/job"
)

// runColumns are those of job.Run but for the log tail, which only Run reads.
const runColumns = `r.id, r.fire_at, r.due_at, r.job_id, r.group_id, r.cause, r.shard, r.shard_total,
	r.attempt, r.retries_left, r.parent_id, r.param, r.addresses, r.job_version, r.glue_version, r.state,
	r.version_pin, r.owner, r.epoch, r.lease_until, r.address, r.route, r.claimed_at, r.started_at, r.ended_at, r.outcome, r.reason,
	r.message, r.code, r.range_to, r.range_count, r.late_result, r.is_test, r.usage`

// runNames adds to picked runs what people call their jobs and groups.
const runNames = `, coalesce(j.name, '') AS job_name, coalesce(g.app_name, '') AS app_name
	FROM picked r
	LEFT JOIN job j ON j.id = r.job_id
	LEFT JOIN job_group g ON g.id = r.group_id`

// Run returns one run with its log tail, or job.ErrNotFound. Its id names the
// partition that is read.
func (s *Store) Run(ctx context.Context, id int64) (job.RunSummary, error) {
	const sql = `
		WITH picked AS (SELECT * FROM run WHERE id = $1 AND fire_at >= $2 AND fire_at < $3)
		SELECT ` + runColumns + `, r.log_tail` + runNames
	day := job.Day(id)
	r, err := one[job.RunSummary](ctx, s.pool, sql, id, day, day.AddDate(0, 0, 1))
	if err != nil {
		return job.RunSummary{}, fmt.Errorf("read run %d: %w", id, err)
	}
	return r, nil
}

// Runs lists runs by their ids, so by the days of their instants and within a day as they
// were planned; the newest first, unless the filter wants it the other way round.
//
// Each partition is walked from its end, or its beginning, along run_pkey, or run_job_idx
// for one job's runs, or run_group_idx for one group's, until the page is full; open runs,
// failures and what no schedule planned have small indexes of their own.
// A cursor's day and the filter's instants keep other partitions out.
func (s *Store) Runs(ctx context.Context, f job.RunFilter, p job.Paging) (job.Page[job.RunSummary], error) {
	var page job.Page[job.RunSummary]
	jobs, err := s.jobsNamed(ctx, f)
	if err != nil {
		return page, fmt.Errorf("list runs: %w", err)
	}
	where, args := runWhere(f, jobs)
	last, err := cursorID(p.Cursor, 0)
	if err != nil {
		return page, err
	}
	limit := pageLimit(p)
	rows, err := s.runPage(ctx, f, where, args, last, limit+1)
	if err != nil {
		return page, fmt.Errorf("list runs: %w", err)
	}
	page = cutPage(rows, limit, func(r job.RunSummary) int64 { return r.ID })
	args["limit"] = job.TotalCap + 1
	if err := s.countPage(ctx, &page.Total, &page.TotalCapped, countRuns(where), runMode, args); err != nil {
		return page, fmt.Errorf("count runs: %w", err)
	}
	return page, nil
}

// runMode has lists of runs planned with their values, so that partitions are left out
// when planning and not one by one when running.
const runMode = pgx.QueryExecModeCacheDescribe

// runPage reads what comes behind the run that a cursor names; 0 = from the first one.
func (s *Store) runPage(ctx context.Context, f job.RunFilter, where string, args pgx.StrictNamedArgs, last int64, limit int) ([]job.RunSummary, error) {
	args = maps.Clone(args)
	args["limit"] = limit
	switch day := job.Day(last); {
	case last == 0:
	case f.OldestFirst:
		args["last"], args["day"] = last, day
		where += " AND r.id > @last AND r.fire_at >= @day"
	default:
		args["last"], args["day"] = last, day.AddDate(0, 0, 1)
		where += " AND r.id < @last AND r.fire_at < @day"
	}
	return many[job.RunSummary](ctx, s.pool, listRuns(f, where), runMode, args)
}

func listRuns(f job.RunFilter, where string) string {
	order := ` ORDER BY r.id DESC`
	if f.OldestFirst {
		order = ` ORDER BY r.id`
	}
	return `WITH picked AS (SELECT ` + runColumns + ` FROM run r WHERE ` + where + order + ` LIMIT @limit)
		SELECT ` + runColumns + `, NULL AS log_tail` + runNames + order
}

func countRuns(where string) string {
	return `SELECT count(*) FROM (SELECT FROM run r WHERE ` + where + ` LIMIT @limit) AS counted`
}

// runWhere makes the condition from constant texts; values are arguments only.
func runWhere(f job.RunFilter, jobs []int32) (string, pgx.StrictNamedArgs) {
	conds, args := []string{"true"}, pgx.StrictNamedArgs{}
	add := func(cond, name string, value any) {
		conds = append(conds, cond)
		args[name] = value
	}
	if len(f.States) > 0 {
		if len(f.States) == 1 && f.States[0] > job.Succeeded {
			add("r.outcome = @outcome", "outcome", f.States[0]) // implies what run_outcome_idx says
		} else {
			add(stateWhere(f.States), "states", f.States)
		}
	}
	if len(f.Causes) > 0 {
		add(causeWhere(f.Causes), "causes", f.Causes)
	}
	if f.JobID != 0 {
		add("r.job_id = @job", "job", f.JobID)
	}
	if jobs != nil {
		add(namedWhere(jobs), "jobs", jobs)
	}
	switch {
	case len(f.GroupIDs) == 1: // which run_group_idx has in order
		add("r.group_id = @group", "group", f.GroupIDs[0])
	case f.GroupIDs != nil:
		add("r.group_id = ANY(@groups)", "groups", f.GroupIDs)
	}
	if !f.From.IsZero() {
		add("r.fire_at >= @from", "from", f.From)
	}
	if !f.To.IsZero() {
		add("r.fire_at < @to", "to", f.To)
	}
	return strings.Join(conds, " AND "), args
}

const (
	// maxNamed is the most jobs that a part of a name may stand for in a list of runs; of
	// more, the newest.
	maxNamed = 20_000
	// fewNamed are so few that the index of their runs may serve them.
	fewNamed = 1000
)

// namedWhere hides many jobs from the planner, which would look at the statistics of each
// in every partition: the runs of so many are found soon by walking back from the newest.
func namedWhere(jobs []int32) string {
	if len(jobs) > fewNamed {
		return "CASE WHEN r.job_id = ANY(@jobs) THEN true END"
	}
	return "r.job_id = ANY(@jobs)"
}

// jobsNamed are the jobs that a filter means by a part of their names; nil = all.
func (s *Store) jobsNamed(ctx context.Context, f job.RunFilter) ([]int32, error) {
	if f.Query == "" {
		return nil, nil
	}
	const sql = `SELECT id FROM job WHERE name ILIKE $1 AND ($2::int[] IS NULL OR group_id = ANY($2)) ORDER BY id DESC LIMIT $3`
	rows, err := s.pool.Query(ctx, sql, containing(f.Query), f.GroupIDs, maxNamed)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[int32])
}

// causeWhere says of causes that are seldom, as all but those of schedules are, what
// run_other_fire_idx says.
func causeWhere(causes []job.Cause) string {
	if slices.Contains(causes, job.CauseSchedule) || slices.Contains(causes, job.CauseMisfire) {
		return "r.cause = ANY(@causes)"
	}
	return "r.cause NOT IN (1, 6) AND r.cause = ANY(@causes)"
}

// stateWhere says it in the words of the partial index that serves it: run_open_idx or
// run_failed_idx. The end of a run writes state and outcome alike. CASE hides from the
// planner that it asks about outcome twice: it would take the answers for independent,
// expect next to no rows, and sort all failures there are for one page.
func stateWhere(states []job.State) string {
	ended := func(s job.State) bool { return s.Terminal() }
	switch {
	case !slices.ContainsFunc(states, ended):
		return "r.ended_at IS NULL AND r.state = ANY(@states)"
	case !slices.ContainsFunc(states, func(s job.State) bool { return !ended(s) || s == job.Succeeded }):
		return "r.outcome IS NOT NULL AND r.outcome <> 10 AND CASE WHEN r.outcome = ANY(@states) THEN true END"
	default:
		return "r.state = ANY(@states)"
	}
}
