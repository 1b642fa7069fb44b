package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gluewheel/gluewheel/admin/job"
)

// jobColumns are those of job.Job. They are named, so that a binary of before a
// migration reads the table of after it.
const jobColumns = `id, group_id, bucket, name, description, author, alarm_email, schedule_type,
	schedule_conf, time_zone, dst_policy, valid_from, valid_until, misfire_strategy, catch_up_limit, route_strategy, block_strategy, handler,
	param, timeout_s, retry_count, retry_delay_s, retry_backoff, retry_max_delay_s, retry_jitter_pct,
	discard_is_failure, idempotent, glue_type, glue_version, child_job_ids, children_once, pass_result, tags, max_concurrent, enabled, last_fire, next_fire, version, created_at, updated_at`

// CreateJob stores a new job, stopped, and returns it as stored. Id, bucket, version
// and times are given by the database; the group must exist.
func (s *Store) CreateJob(ctx context.Context, j job.Job) (job.Job, error) {
	// A random bucket spreads jobs evenly however many buckets there are.
	const sql = `
		INSERT INTO job (group_id, bucket, name, description, author, alarm_email,
			schedule_type, schedule_conf, time_zone, dst_policy, valid_from, valid_until,
			misfire_strategy, catch_up_limit, route_strategy, block_strategy, handler, param,
			timeout_s, retry_count, retry_delay_s, retry_backoff, retry_max_delay_s, retry_jitter_pct,
			discard_is_failure, idempotent, glue_type, child_job_ids, children_once, pass_result, tags, max_concurrent)
		VALUES (@group_id, coalesce((SELECT bucket FROM bucket_lock ORDER BY random() LIMIT 1), 0),
			@name, @description, @author, @alarm_email,
			@schedule_type, @schedule_conf, @time_zone, @dst_policy, @valid_from, @valid_until,
			@misfire_strategy, @catch_up_limit, @route_strategy, @block_strategy, @handler, @param,
			@timeout_s, @retry_count, @retry_delay_s, @retry_backoff, @retry_max_delay_s, @retry_jitter_pct,
			@discard_is_failure, @idempotent, @glue_type, coalesce(@child_job_ids, '{}'::int[]), @children_once, @pass_result, coalesce(@tags, '{}'::text[]), @max_concurrent)
		RETURNING ` + jobColumns
	args := jobArgs(j)
	args["glue_type"] = j.GlueType
	var made job.Job
	err := s.retryTx(ctx, func(tx pgx.Tx) error {
		var err error
		if made, err = one[job.Job](ctx, tx, sql, args); err != nil {
			return err
		}
		recordJob(ctx, nil, &made)
		return announce(ctx, tx, job.Change{Kind: job.ChangeJob, ID: made.ID})
	})
	if err != nil {
		return job.Job{}, fmt.Errorf("create job %q: %w", j.Name, mapJobError(err))
	}
	return made, nil
}

// jobArgs are the columns that people edit. The GLUE type is not among them: as in
// XXL-JOB it is fixed when the job is made.
func jobArgs(j job.Job) pgx.StrictNamedArgs {
	return pgx.StrictNamedArgs{
		"group_id": j.GroupID, "name": j.Name, "description": j.Description, "author": j.Author,
		"alarm_email": j.AlarmEmail, "schedule_type": j.ScheduleType, "schedule_conf": j.ScheduleConf,
		"time_zone": j.TimeZone, "dst_policy": cmp.Or(j.DSTPolicy, job.DSTXXL),
		"valid_from": j.ValidFrom, "valid_until": j.ValidUntil, "misfire_strategy": j.MisfireStrategy, "catch_up_limit": j.CatchUpLimit,
		"route_strategy": j.RouteStrategy, "block_strategy": j.BlockStrategy, "handler": j.Handler,
		"param": j.Param, "timeout_s": j.TimeoutS, "retry_count": j.RetryCount,
		"retry_delay_s": j.RetryDelayS, "retry_backoff": cmp.Or(j.RetryBackoff, job.RetryFixed),
		"retry_max_delay_s": j.RetryMaxDelayS, "retry_jitter_pct": j.RetryJitterPct,
		"discard_is_failure": j.DiscardIsFailure, "idempotent": j.Idempotent, "child_job_ids": j.ChildJobIDs,
		"children_once": j.ChildrenOnce, "pass_result": j.PassResult,
		"tags": j.Tags, "max_concurrent": j.MaxConcurrent,
	}
}

func mapJobError(err error) error {
	if violates(err, "job_group_id_fkey") {
		return &job.FieldError{Field: "group_id", Message: "There is no such group. Choose an existing one."}
	}
	return err
}

// Job returns one job, or job.ErrNotFound.
func (s *Store) Job(ctx context.Context, id int32) (job.Job, error) {
	j, err := one[job.Job](ctx, s.db(ctx), `SELECT `+jobColumns+` FROM job WHERE id = $1`, id)
	if err != nil {
		return job.Job{}, fmt.Errorf("read job %d: %w", id, err)
	}
	return j, nil
}

// JobsByID returns those of the given jobs that exist, in the order of their ids.
func (s *Store) JobsByID(ctx context.Context, ids []int32) ([]job.Job, error) {
	jobs, err := many[job.Job](ctx, s.db(ctx), `SELECT `+jobColumns+` FROM job WHERE id = ANY($1) ORDER BY id`, ids)
	if err != nil {
		return nil, fmt.Errorf("read %d jobs: %w", len(ids), err)
	}
	return jobs, nil
}

// UpdateJob writes the editable fields of j, if j.Version is still the stored version.
//
// An edit that leaves the schedule as it is keeps the next fire and the planned runs.
// A new schedule begins at once: it cancels the planned runs that are not at one of its
// own instants, and fires from the present on. The schedule type NONE stops the job.
func (s *Store) UpdateJob(ctx context.Context, j job.Job, next job.NextFunc) (job.Write, error) {
	w, err := s.writeJob(ctx, j.ID, func(tx pgx.Tx, old job.Job, now time.Time) (job.Write, error) {
		if old.Version != j.Version {
			return job.Write{}, job.ErrConflict
		}
		if err := refuseMove(ctx, tx, old, j.GroupID); err != nil {
			return job.Write{}, err
		}
		if err := keepPast(ctx, tx, &old, &j); err != nil {
			return job.Write{}, err
		}
		if err := updateFields(ctx, tx, j); err != nil {
			return job.Write{}, err
		}
		if old.Timing().Same(j.Timing()) {
			return bumpJob(ctx, tx, j.ID)
		}
		if !old.Enabled || j.ScheduleType == job.ScheduleNone {
			return replan(ctx, tx, j.ID, nil, keep{}, job.ReasonRescheduled)
		}
		b, err := beginning(&old, &j, now, next)
		if err != nil {
			return job.Write{}, err
		}
		fire, err := b.first(ctx, tx, &j)
		if err != nil {
			return job.Write{}, err
		}
		return replan(ctx, tx, j.ID, &fire, b.kept(&j), job.ReasonRescheduled)
	})
	if err != nil {
		return job.Write{}, fmt.Errorf("update job %d: %w", j.ID, mapJobError(err))
	}
	return w, nil
}

func updateFields(ctx context.Context, tx pgx.Tx, j job.Job) error {
	const sql = `
		UPDATE job SET group_id = @group_id, name = @name, description = @description, author = @author,
			alarm_email = @alarm_email, schedule_type = @schedule_type, schedule_conf = @schedule_conf,
			time_zone = @time_zone, dst_policy = @dst_policy, valid_from = @valid_from,
			valid_until = @valid_until, misfire_strategy = @misfire_strategy, catch_up_limit = @catch_up_limit,
			route_strategy = @route_strategy, block_strategy = @block_strategy, handler = @handler,
			param = @param, timeout_s = @timeout_s, retry_count = @retry_count,
			retry_delay_s = @retry_delay_s, retry_backoff = @retry_backoff,
			retry_max_delay_s = @retry_max_delay_s, retry_jitter_pct = @retry_jitter_pct,
			discard_is_failure = @discard_is_failure, idempotent = @idempotent,
			child_job_ids = coalesce(@child_job_ids, '{}'::int[]), children_once = @children_once,
			pass_result = @pass_result, tags = coalesce(@tags, '{}'::text[]),
			max_concurrent = @max_concurrent
		WHERE id = @id`
	args := jobArgs(j)
	args["id"] = j.ID
	_, err := tx.Exec(ctx, sql, args)
	return err
}

// StartJob enables the schedule of a job. A started job is left as it is.
//
// The first fire comes strictly after the present, at an instant that was not planned
// yet: one that a stop has cancelled stays cancelled.
// XXL-JOB counts from 5 s ahead of the present, to stay out of its pre-read window;
// ours needs no such distance, and a job that fires each second does so at once.
func (s *Store) StartJob(ctx context.Context, id int32, next job.NextFunc) (job.Write, error) {
	w, err := s.writeJob(ctx, id, func(tx pgx.Tx, old job.Job, now time.Time) (job.Write, error) {
		if old.Enabled {
			return job.Write{Version: old.Version}, nil
		}
		if old.ScheduleType == job.ScheduleNone {
			return job.Write{}, &job.FieldError{Field: "schedule_type", Message: "A job with the schedule type NONE cannot be started. Choose another one."}
		}
		b, err := beginning(&old, &old, now, next)
		if err != nil {
			return job.Write{}, err
		}
		fire, err := b.first(ctx, tx, &old)
		if err != nil {
			return job.Write{}, err
		}
		if err := setNext(ctx, tx, id, &fire); err != nil {
			return job.Write{}, err
		}
		return bumpJob(ctx, tx, id)
	})
	if err != nil {
		return job.Write{}, fmt.Errorf("start job %d: %w", id, err)
	}
	return w, nil
}

// StopJob disables the schedule of a job and cancels its planned runs. Manual runs,
// retries and children go on, as in XXL-JOB.
func (s *Store) StopJob(ctx context.Context, id int32) (job.Write, error) {
	w, err := s.writeJob(ctx, id, func(tx pgx.Tx, _ job.Job, _ time.Time) (job.Write, error) {
		return replan(ctx, tx, id, nil, keep{}, job.ReasonStopped)
	})
	if err != nil {
		return job.Write{}, fmt.Errorf("stop job %d: %w", id, err)
	}
	return w, nil
}

// replan cancels what the old schedule planned, but for kept, and sets the next fire;
// nil stops the job.
func replan(ctx context.Context, tx pgx.Tx, id int32, next *time.Time, kept keep, reason string) (job.Write, error) {
	if err := setNext(ctx, tx, id, next); err != nil {
		return job.Write{}, err
	}
	cancelled, err := cancelPlanned(ctx, tx, id, scheduledCauses, kept, reason)
	if err != nil {
		return job.Write{}, err
	}
	w, err := bumpJob(ctx, tx, id)
	w.Cancelled = cancelled
	return w, err
}

func setNext(ctx context.Context, tx pgx.Tx, id int32, next *time.Time) error {
	const sql = `UPDATE job SET enabled = $2::timestamptz IS NOT NULL, next_fire = $2 WHERE id = $1`
	_, err := tx.Exec(ctx, sql, id, next)
	return err
}

// DeleteJob removes a job and its GLUE versions and cancels all its planned runs. The
// history of its runs stays until its partitions leave.
func (s *Store) DeleteJob(ctx context.Context, id int32) (job.Write, error) {
	return s.DeleteJobAt(ctx, id, 0)
}

// DeleteJobAt is DeleteJob, if the job's version is still the given one (0 = any);
// otherwise job.ErrConflict.
func (s *Store) DeleteJobAt(ctx context.Context, id int32, version int64) (job.Write, error) {
	w, err := s.writeJob(ctx, id, func(tx pgx.Tx, old job.Job, _ time.Time) (job.Write, error) {
		if version != 0 && old.Version != version {
			return job.Write{}, job.ErrConflict
		}
		cancelled, err := cancelPlanned(ctx, tx, id, nil, keep{}, job.ReasonDeleted)
		if err != nil {
			return job.Write{}, err
		}
		claimed, err := countClaimed(ctx, tx, id)
		if err != nil {
			return job.Write{}, err
		}
		if _, err := tx.Exec(ctx, `DELETE FROM job WHERE id = $1`, id); err != nil {
			return job.Write{}, err
		}
		w := job.Write{Version: old.Version, Cancelled: cancelled, AlreadyClaimed: claimed}
		return w, announce(ctx, tx, job.Change{Kind: job.ChangeJob, ID: id})
	})
	if err != nil {
		return job.Write{}, fmt.Errorf("delete job %d: %w", id, err)
	}
	return w, nil
}

// writeJob runs fn in a transaction that holds the job's row; now is the database's
// clock under that lock.
func (s *Store) writeJob(ctx context.Context, id int32, fn func(tx pgx.Tx, old job.Job, now time.Time) (job.Write, error)) (job.Write, error) {
	var w job.Write
	err := s.retryTx(ctx, func(tx pgx.Tx) error {
		old, now, err := lockJob(ctx, tx, id)
		if err != nil {
			return err
		}
		if w, err = fn(tx, old, now); err != nil {
			return err
		}
		return recordWrite(ctx, tx, old)
	})
	return w, err
}

// lockJob takes the row lock that every write to a job and its versions begins with,
// and reads the clock once it is held. Planning of the job waits for it or is seen.
func lockJob(ctx context.Context, tx pgx.Tx, id int32) (j job.Job, now time.Time, err error) {
	if j, err = one[job.Job](ctx, tx, `SELECT `+jobColumns+` FROM job WHERE id = $1 FOR UPDATE`, id); err != nil {
		return job.Job{}, time.Time{}, err
	}
	if err = tx.QueryRow(ctx, `SELECT clock_timestamp()`).Scan(&now); err != nil {
		return job.Job{}, time.Time{}, err
	}
	return j, now, nil
}

// bumpJob ends a write to a job that lockJob has locked: it moves the version, so that
// planning and claims see the change, counts the runs that it comes too late for, and
// tells every admin.
func bumpJob(ctx context.Context, tx pgx.Tx, id int32) (job.Write, error) {
	const sql = `UPDATE job SET version = version + 1, updated_at = clock_timestamp() WHERE id = $1 RETURNING version`
	var w job.Write
	if err := tx.QueryRow(ctx, sql, id).Scan(&w.Version); err != nil {
		return job.Write{}, notFound(err)
	}
	var err error
	if w.AlreadyClaimed, err = countClaimed(ctx, tx, id); err != nil {
		return job.Write{}, err
	}
	return w, announce(ctx, tx, job.Change{Kind: job.ChangeJob, ID: id})
}

func notFound(err error) error {
	if errors.Is(err, pgx.ErrNoRows) {
		return job.ErrNotFound
	}
	return err
}
