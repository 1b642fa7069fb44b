-- A limit on a job's concurrent runs, and what a job said before its last edits, for runs
-- that were claimed then and are sent again by an admin that took them over.
--
-- Admins of before do not know of the limit: set it once every admin is new.

-- +goose Up

ALTER TABLE job ADD COLUMN max_concurrent integer NOT NULL DEFAULT 0; -- open dispatched runs, 0 = no limit
-- The jobs whose late runs wait for room; empty where nobody sets a limit.
CREATE INDEX job_limited_idx ON job (id) WHERE max_concurrent > 0;

-- What executors were sent until an edit replaced it. Written by edits of these columns
-- only, kept for a week, read by takeovers.
CREATE TABLE job_past (
    job_id         integer NOT NULL CONSTRAINT job_past_job_id_fkey REFERENCES job (id) ON DELETE CASCADE,
    version        bigint NOT NULL,                       -- the job's last with these values
    handler        text NOT NULL,
    param          text NOT NULL,
    timeout_s      integer NOT NULL,
    block_strategy text NOT NULL,
    idempotent     boolean NOT NULL,
    replaced_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT job_past_pkey PRIMARY KEY (job_id, version)
);

-- +goose Down
DROP TABLE job_past;
DROP INDEX job_limited_idx;
ALTER TABLE job DROP COLUMN max_concurrent;
