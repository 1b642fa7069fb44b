-- Schedules of more kinds (FIX_DELAY, ONCE, a time of validity, a DST policy), retries
-- that back off, children that run once or get their parent's result.
--
-- All columns have defaults that mean what the admin did before, and admins of before
-- name the columns they read, so both kinds run side by side. Only an admin of before
-- takes the new schedule types for mistakes and stops such jobs: start those once every
-- admin is new.

-- +goose Up

ALTER TABLE job
    ADD COLUMN dst_policy         text NOT NULL DEFAULT 'xxl',    -- job.DSTPolicy
    ADD COLUMN valid_from         timestamptz,                    -- no fire before it
    ADD COLUMN valid_until        timestamptz,                    -- no fire after it
    ADD COLUMN retry_backoff      text NOT NULL DEFAULT 'FIXED',  -- job.RetryBackoff
    ADD COLUMN retry_max_delay_s  integer NOT NULL DEFAULT 0,     -- seconds, 0 = the largest delay there is
    ADD COLUMN retry_jitter_pct   integer NOT NULL DEFAULT 0,     -- percent of the delay, either way
    ADD COLUMN discard_is_failure boolean NOT NULL DEFAULT false, -- DISCARD_LATER fails the run, as in XXL-JOB
    ADD COLUMN children_once      boolean NOT NULL DEFAULT false, -- when all shards of a broadcast have succeeded
    ADD COLUMN pass_result        boolean NOT NULL DEFAULT false; -- the result is the children's parameter

-- A started FIX_DELAY job has no next fire while its run is open: it waits, it is not
-- over. Each planning round looks at those that wait, bucket by bucket.
DROP INDEX job_over_idx;
CREATE INDEX job_over_idx ON job (id) WHERE enabled AND next_fire IS NULL AND schedule_type <> 'FIX_DELAY';
CREATE INDEX job_waiting_idx ON job (bucket, id) WHERE enabled AND next_fire IS NULL AND schedule_type = 'FIX_DELAY';

-- Finds the rows of a planned instant that run_fire_key leaves out: its retries. Ids do
-- not, because the counters of several admins are not in the order of time. Written at
-- insert only, and only for rows that no schedule planned.
CREATE INDEX run_other_fire_idx ON run (job_id, fire_at) WHERE cause NOT IN (1, 6);

-- +goose Down
DROP INDEX run_other_fire_idx, job_waiting_idx, job_over_idx;
CREATE INDEX job_over_idx ON job (id) WHERE enabled AND next_fire IS NULL;
ALTER TABLE job
    DROP COLUMN dst_policy, DROP COLUMN valid_from, DROP COLUMN valid_until,
    DROP COLUMN retry_backoff, DROP COLUMN retry_max_delay_s, DROP COLUMN retry_jitter_pct,
    DROP COLUMN discard_is_failure, DROP COLUMN children_once, DROP COLUMN pass_result;
