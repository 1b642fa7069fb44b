-- What runs of live code use: a small store of each job's own, and the account of what
-- a run has consumed.
--
-- run.usage is written by the end only, like message and code beside it; no index
-- stands on it. Admins of before name the columns they write, so both kinds run side
-- by side.

-- +goose Up

CREATE TABLE job_kv (
    job_id      integer NOT NULL CONSTRAINT job_kv_job_id_fkey REFERENCES job (id) ON DELETE CASCADE,
    key         text COLLATE "C" NOT NULL,                -- at most glue.MaxKVKey bytes
    value       bytea NOT NULL,                           -- at most glue.MaxKVValue bytes
    updated_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT job_kv_pkey PRIMARY KEY (job_id, key)
);

ALTER TABLE run ADD COLUMN usage jsonb;                   -- job.Usage; null when nothing was said

-- +goose Down
ALTER TABLE run DROP COLUMN usage;
DROP TABLE job_kv;
