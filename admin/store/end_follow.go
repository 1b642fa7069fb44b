package store

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gluewheel/gluewheel/admin/job"
)

// readFollowRules is served by job_pkey; the caller passes each job once.
const readFollowRules = `
SELECT id, child_job_ids, children_once, pass_result, retry_delay_s, retry_backoff, retry_max_delay_s, retry_jitter_pct,
	idempotent
FROM job WHERE id = ANY ($1)`

// readChildren is served by job_pkey.
const readChildren = `
SELECT id, group_id, route_strategy, retry_count FROM job WHERE id = ANY ($1)`

type child struct {
	ID            int32             `db:"id"`
	GroupID       int32             `db:"group_id"`
	RouteStrategy job.RouteStrategy `db:"route_strategy"`
	RetryCount    int32             `db:"retry_count"`
}

const insertFollowing = `
INSERT INTO run (id, fire_at, due_at, job_id, group_id, cause, shard, shard_total, attempt, retries_left,
	parent_id, param, addresses, version_pin, state)
SELECT id, fire_at, due_at, job_id, group_id, cause, shard, shard_total, attempt, retries_left, parent_id, param,
	string_to_array(addresses, E'\n'), version_pin, 1
FROM unnest($1::bigint[], $2::timestamptz[], $3::timestamptz[], $4::integer[], $5::integer[], $6::smallint[],
	$7::integer[], $8::integer[], $9::smallint[], $10::smallint[], $11::bigint[], $12::text[], $13::text[],
	$14::integer[])
	AS n (id, fire_at, due_at, job_id, group_id, cause, shard, shard_total, attempt, retries_left, parent_id, param, addresses,
		version_pin)`

// insertFollowing inserts the retries and children of runs that this transaction
// ended, and answers them as fires for the ring.
func (s *Store) insertFollowing(ctx context.Context, tx pgx.Tx, ended []job.Ended,
	follow func(*job.Ended, *job.FollowRules) job.Follow,
) ([]job.Fire, error) {
	rules, err := readRules(ctx, tx, ended)
	if err != nil || len(rules) == 0 {
		return nil, err
	}
	var rows []job.Run
	var wanted family
	var shards together
	for i := range ended {
		e := &ended[i]
		r, ok := rules[e.JobID]
		if !ok {
			continue
		}
		f := follow(e, &r)
		if f.Retry {
			rows = append(rows, retryOf(e, f.RetryDelay))
		}
		switch {
		case len(f.Children) == 0:
		case f.Together:
			shards.add(e, f)
		case f.PassResult:
			wanted.add(f.Children, parent{e, &e.Message})
		default:
			wanted.add(f.Children, parent{e, nil})
		}
	}
	if err := shards.whole(ctx, tx, &wanted); err != nil {
		return nil, err
	}
	children, err := childrenOf(ctx, tx, wanted)
	if err != nil {
		return nil, err
	}
	return s.insertRuns(ctx, tx, append(rows, children...))
}

func readRules(ctx context.Context, tx pgx.Tx, ended []job.Ended) (map[int32]job.FollowRules, error) {
	ids := make([]int32, 0, len(ended))
	for i := range ended {
		if !ended[i].IsTest && (ended[i].State == job.Succeeded || ended[i].RetriesLeft > 0) {
			ids = append(ids, ended[i].JobID)
		}
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	if len(ids) == 0 {
		return nil, nil
	}
	rows, err := tx.Query(ctx, readFollowRules, ids)
	if err != nil {
		return nil, fmt.Errorf("read what follows: %w", err)
	}
	list, err := pgx.CollectRows(rows, pgx.RowToStructByName[job.FollowRules])
	if err != nil {
		return nil, fmt.Errorf("read what follows: %w", err)
	}
	rules := make(map[int32]job.FollowRules, len(list))
	for _, r := range list {
		rules[r.JobID] = r
	}
	return rules, nil
}

// retryOf repeats the run at the same planned instant, one attempt on. A run that was
// asked to run a certain version is repeated with that one.
func retryOf(e *job.Ended, delay time.Duration) job.Run {
	return job.Run{
		FireAt: e.FireAt, DueAt: e.EndedAt.Add(delay), JobID: e.JobID, GroupID: e.GroupID, Cause: job.CauseRetry,
		Shard: e.Shard, ShardTotal: e.ShardTotal, Attempt: e.Attempt + 1, RetriesLeft: e.RetriesLeft - 1,
		ParentID: &e.RunID, Param: e.Param, Addresses: e.Addresses, VersionPin: e.VersionPin,
	}
}

// parent is a run that fires children.
type parent struct {
	*job.Ended
	param *string // what it passes on; nil = the children's own
}

// family is what children are wanted, by job, and by whom.
type family map[int32][]parent

func (f *family) add(children []int32, p parent) {
	if *f == nil {
		*f = family{}
	}
	for _, id := range children {
		(*f)[id] = append((*f)[id], p)
	}
}

// addMessages completes the runs with the messages of their results, sorted by run, and
// with when these came.
func addMessages(ended []job.Ended, endings []job.Ending) {
	for i := range ended {
		at, found := slices.BinarySearchFunc(endings, ended[i].RunID, func(e job.Ending, id int64) int { return cmp.Compare(e.RunID, id) })
		if found {
			ended[i].Message, ended[i].CameAt = endings[at].Message, endings[at].CameAt
		}
	}
}

// childrenOf makes one run a parent and child; ids of no job are left out.
func childrenOf(ctx context.Context, tx pgx.Tx, wanted family) ([]job.Run, error) {
	if len(wanted) == 0 {
		return nil, nil
	}
	ids := make([]int32, 0, len(wanted))
	for id := range wanted {
		ids = append(ids, id)
	}
	rows, err := tx.Query(ctx, readChildren, ids)
	if err != nil {
		return nil, fmt.Errorf("read child jobs: %w", err)
	}
	jobs, err := pgx.CollectRows(rows, pgx.RowToStructByName[child])
	if err != nil {
		return nil, fmt.Errorf("read child jobs: %w", err)
	}
	var out []job.Run
	for _, j := range jobs {
		for _, parent := range wanted[j.ID] {
			out = append(out, childRun(&j, parent))
		}
	}
	return out, nil
}

func childRun(j *child, parent parent) job.Run {
	return job.Run{
		FireAt: parent.EndedAt, DueAt: parent.EndedAt, JobID: j.ID, GroupID: j.GroupID, Cause: job.CauseParent,
		Shard: job.FirstShard(j.RouteStrategy), ShardTotal: 1,
		RetriesLeft: int16(min(max(j.RetryCount, 0), math.MaxInt16)), ParentID: &parent.RunID,
		Param: parent.param,
	}
}

// insertRuns gives planned rows their ids and inserts them.
func (s *Store) insertRuns(ctx context.Context, tx pgx.Tx, runs []job.Run) ([]job.Fire, error) {
	n := len(runs)
	if n == 0 {
		return nil, nil
	}
	fireAt, dueAt := make([]time.Time, n), make([]time.Time, n)
	jobs, groups, causes := make([]int32, n), make([]int32, n), make([]int16, n)
	shards, totals := make([]int32, n), make([]int32, n)
	attempts, left := make([]int16, n), make([]int16, n)
	parents, params, addresses := make([]*int64, n), make([]*string, n), make([]*string, n)
	pins := make([]*int32, n)
	for i := range runs {
		r := &runs[i]
		fireAt[i], dueAt[i], jobs[i], groups[i], causes[i] = r.FireAt, r.DueAt, r.JobID, r.GroupID, int16(r.Cause)
		shards[i], totals[i], attempts[i], left[i] = r.Shard, r.ShardTotal, r.Attempt, r.RetriesLeft
		parents[i], params[i], addresses[i] = r.ParentID, r.Param, joinAddresses(r.Addresses)
		pins[i] = r.VersionPin
	}
	ids, err := s.nextIDs(ctx, tx, fireAt)
	if err != nil {
		return nil, err
	}
	if _, err := tx.Exec(ctx, insertFollowing, ids, fireAt, dueAt, jobs, groups, causes, shards, totals,
		attempts, left, parents, params, addresses, pins); err != nil {
		return nil, fmt.Errorf("insert %d following runs: %w", n, err)
	}
	fires := make([]job.Fire, n)
	for i := range runs {
		fires[i] = job.Fire{RunID: ids[i], JobID: jobs[i], Shard: shards[i], FireAt: fireAt[i].UTC(), DueAt: dueAt[i].UTC(), Addressed: addresses[i] != nil}
	}
	return fires, nil
}

// joinAddresses makes one text of a list, because unnest takes no array of arrays of
// different lengths. Addresses hold no line breaks.
func joinAddresses(addresses []string) *string {
	if addresses == nil {
		return nil
	}
	s := strings.Join(addresses, "\n")
	return &s
}
