package store

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/gluewheel/gluewheel/admin/job"
)

// endRuns is pinned. It locks its rows in the order of the arguments and is the only
// statement that ends runs which were claimed. The ages are how long ago the executor
// took the run, so that no clock but the database's is stored.
const endRuns = `
UPDATE run AS r
SET state = c.state, outcome = c.state, ended_at = clock_timestamp(), lease_until = NULL,
	reason = c.reason, message = c.message, code = c.code, log_tail = c.log_tail, usage = c.usage::jsonb,
	started_at = coalesce(r.started_at, clock_timestamp() - c.age,
		CASE WHEN c.code <> 0 AND c.epoch = 0 THEN least(greatest(r.claimed_at, r.due_at), clock_timestamp()) END)
FROM unnest($3::bigint[], $4::smallint[], $5::text[], $6::text[], $7::integer[], $8::text[], $9::integer[], $10::interval[], $11::text[])
	AS c (id, state, reason, message, code, log_tail, epoch, age, usage)
WHERE r.id = c.id AND r.fire_at >= $1 AND r.fire_at < $2
	AND ` + stillOpen + `
RETURNING ` + endedColumns

const endedColumns = `r.id, r.job_id, r.group_id, r.fire_at, r.shard, r.shard_total, r.attempt, r.retries_left,
	r.param, r.addresses, r.version_pin, r.is_test, r.state, r.ended_at`

// End stores results: each run that is still open ends, once, and what follow says
// about it is inserted in the same transaction. A result for a run that has already
// ended corrects it when it was lost and not retried, and is kept beside it otherwise.
// Results of runs that do not exist are ignored, as in XXL-JOB. The error is
// job.ErrBadData when the values themselves can never be stored.
func (s *Store) End(ctx context.Context, endings []job.Ending, follow func(*job.Ended, *job.FollowRules) job.Follow) (job.Ends, error) {
	endings = distinct(endings)
	var out job.Ends
	err := s.retryTx(ctx, func(tx pgx.Tx) error {
		ended, err := endOpen(ctx, tx, endings)
		if err != nil {
			return err
		}
		if len(ended) < len(endings) {
			corrected, err := endLate(ctx, tx, without(endings, ended))
			if err != nil {
				return err
			}
			ended = append(ended, corrected...)
		}
		addMessages(ended, endings)
		fires, err := s.insertFollowing(ctx, tx, ended, follow)
		out = job.Ends{Ended: ended, Fires: fires}
		return err
	})
	if badData(err) {
		return job.Ends{}, fmt.Errorf("end %d runs: %w: %w", len(endings), job.ErrBadData, err)
	}
	if err != nil {
		return job.Ends{}, fmt.Errorf("end %d runs: %w", len(endings), err)
	}
	return out, nil
}

// distinct sorts by run id and keeps the first result of each run.
func distinct(endings []job.Ending) []job.Ending {
	endings = slices.Clone(endings)
	slices.SortStableFunc(endings, func(a, b job.Ending) int { return cmp.Compare(a.RunID, b.RunID) })
	return slices.CompactFunc(endings, func(a, b job.Ending) bool { return a.RunID == b.RunID })
}

func without(endings []job.Ending, ended []job.Ended) []job.Ending {
	done := make(map[int64]bool, len(ended))
	for i := range ended {
		done[ended[i].RunID] = true
	}
	return slices.DeleteFunc(slices.Clone(endings), func(e job.Ending) bool { return done[e.RunID] })
}

func endOpen(ctx context.Context, tx pgx.Tx, endings []job.Ending) ([]job.Ended, error) {
	out := make([]job.Ended, 0, len(endings))
	var b pgx.Batch
	b.Queue(pinPlan)
	now := time.Now()
	for day, part := range byDay(endings, func(e *job.Ending) int64 { return e.RunID }) {
		b.Queue(endRuns, endArgs(day, part, now)...).Query(collectInto(&out))
	}
	return out, tx.SendBatch(ctx, &b).Close()
}

func endArgs(day time.Time, endings []job.Ending, now time.Time) []any {
	n := len(endings)
	ids, states, reasons := make([]int64, n), make([]int16, n), make([]string, n)
	messages, codes, tails := make([]string, n), make([]int32, n), make([]*string, n)
	epochs, ages := make([]int32, n), make([]*time.Duration, n)
	usages := make([]*string, n)
	for i := range endings {
		e := &endings[i]
		ids[i], states[i], reasons[i], messages[i] = e.RunID, int16(e.State), e.Reason, e.Message
		codes[i], tails[i], epochs[i] = e.Code, e.LogTail, e.Epoch
		usages[i] = usageJSON(e.Usage)
		if !e.StartedAt.IsZero() {
			age := max(now.Sub(e.StartedAt), 0)
			ages[i] = &age
		}
	}
	return []any{day, day.AddDate(0, 0, 1), ids, states, reasons, messages, codes, tails, epochs, ages, usages}
}

// usageJSON is how a run's usage is stored. It is five numbers, which always have a form.
func usageJSON(u *job.Usage) *string {
	if u == nil {
		return nil
	}
	encoded, err := json.Marshal(u)
	if err != nil {
		return nil
	}
	text := string(encoded)
	return &text
}

// correctLost lets an executor's own result stand where the run was given up for
// lost, as long as no retry took its place. The retry is found by run_other_fire_idx: its id may be the smaller
// one, when another admin gave it.
const correctLost = `
UPDATE run AS r
SET state = c.state, outcome = c.state, ended_at = clock_timestamp(),
	reason = c.reason, message = c.message, code = c.code, log_tail = c.log_tail, usage = c.usage::jsonb
FROM unnest($3::bigint[], $4::smallint[], $5::text[], $6::text[], $7::integer[], $8::text[], $9::integer[], $10::interval[], $11::text[])
	AS c (id, state, reason, message, code, log_tail, epoch, age, usage)
WHERE r.id = c.id AND r.fire_at >= $1 AND r.fire_at < $2 AND r.state = 14 AND c.state <> 14 AND c.epoch = 0
	AND NOT EXISTS (
		SELECT 1 FROM run AS n
		WHERE n.job_id = r.job_id AND n.fire_at = r.fire_at AND n.fire_at >= $1 AND n.fire_at < $2
			AND n.parent_id = r.id AND n.cause = 4)
RETURNING ` + endedColumns

// keepLate notes a result that differs from how the run ended. A repetition of the
// same result leaves no trace.
const keepLate = `
UPDATE run AS r SET late_result = c.name || ': ' || c.message
FROM unnest($3::bigint[], $4::smallint[], $5::text[], $6::text[]) AS c (id, state, name, message)
WHERE r.id = c.id AND r.fire_at >= $1 AND r.fire_at < $2
	AND r.state >= 10 AND r.state <> c.state AND r.late_result IS NULL`

const endedStates = `
SELECT r.id, r.state FROM unnest($3::bigint[]) AS c (id) JOIN run AS r ON r.id = c.id
WHERE r.fire_at >= $1 AND r.fire_at < $2 AND r.state >= 10`

// differing keeps the results whose run ended in another way. Their text is long, and
// most late results repeat what is stored or belong to runs that are gone.
func differing(ctx context.Context, tx pgx.Tx, endings []job.Ending) ([]job.Ending, error) {
	type ended struct {
		ID    int64
		State job.State
	}
	var found []ended
	var b pgx.Batch
	for day, part := range byDay(endings, func(e *job.Ending) int64 { return e.RunID }) {
		ids := make([]int64, len(part))
		for i := range part {
			ids[i] = part[i].RunID
		}
		b.Queue(endedStates, day, day.AddDate(0, 0, 1), ids).Query(collectInto(&found))
	}
	if err := tx.SendBatch(ctx, &b).Close(); err != nil {
		return nil, err
	}
	states := make(map[int64]job.State, len(found))
	for _, e := range found {
		states[e.ID] = e.State
	}
	return slices.DeleteFunc(endings, func(e job.Ending) bool {
		state, ok := states[e.RunID]
		return !ok || state == e.State
	}), nil
}

// endLate treats results whose run is not open.
func endLate(ctx context.Context, tx pgx.Tx, endings []job.Ending) ([]job.Ended, error) {
	endings = slices.DeleteFunc(endings, func(e job.Ending) bool { return e.Epoch != 0 || e.State == job.Lost })
	if len(endings) == 0 {
		return nil, nil
	}
	endings, err := differing(ctx, tx, endings)
	if err != nil || len(endings) == 0 {
		return nil, err
	}
	var out []job.Ended
	var b pgx.Batch
	now := time.Now()
	for day, part := range byDay(endings, func(e *job.Ending) int64 { return e.RunID }) {
		args := endArgs(day, part, now)
		b.Queue(correctLost, args...).Query(collectInto(&out))
		names := make([]string, len(part))
		for i := range part {
			names[i] = part[i].State.String()
		}
		b.Queue(keepLate, args[0], args[1], args[2], args[3], names, args[5])
	}
	return out, tx.SendBatch(ctx, &b).Close()
}

// markRunning is pinned and HOT. It leaves an ended run alone.
const markRunning = `
UPDATE run AS r
SET state = 3, lease_until = NULL, reason = '', started_at = coalesce(r.started_at, clock_timestamp() - c.age)
FROM unnest($3::bigint[], $4::interval[]) AS c (id, age)
WHERE r.id = c.id AND r.fire_at >= $1 AND r.fire_at < $2 AND r.state IN (2, 4)`

// MarkRunning makes dispatching and unknown runs running: that an executor took them
// is a fact, whoever holds them now.
func (s *Store) MarkRunning(ctx context.Context, taken []job.Acceptance) error {
	taken = slices.SortedFunc(slices.Values(taken), func(a, b job.Acceptance) int { return cmp.Compare(a.RunID, b.RunID) })
	err := s.pinned(ctx, func(b *pgx.Batch) {
		now := time.Now()
		for day, part := range byDay(taken, func(a *job.Acceptance) int64 { return a.RunID }) {
			ids, ages := make([]int64, len(part)), make([]time.Duration, len(part))
			for i, a := range part {
				ids[i], ages[i] = a.RunID, max(now.Sub(a.At), 0)
			}
			b.Queue(markRunning, day, day.AddDate(0, 0, 1), ids, ages)
		}
	})
	if err != nil {
		return fmt.Errorf("mark %d runs running: %w", len(taken), err)
	}
	return nil
}

// badData reports whether err is the database's verdict on the values of a statement,
// so that the same values can never be stored. Everything else may pass with time.
func badData(err error) bool {
	var pg *pgconn.PgError
	if !errors.As(err, &pg) {
		return false
	}
	if pg.Code == "23514" && pg.ConstraintName == "" {
		return false // no partition for the row yet
	}
	for _, class := range []string{"22", "23", "54", "P0"} {
		if strings.HasPrefix(pg.Code, class) {
			return true
		}
	}
	return false
}
