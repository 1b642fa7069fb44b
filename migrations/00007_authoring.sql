-- Writing jobs: tags to find them by, drafts of their code, and code that is tried
-- before it is published.
--
-- An admin of before ignores all of it, but for test-runs: start those once every admin
-- is new, or one of before may send the live version in place of the draft.

-- +goose Up

ALTER TABLE job ADD COLUMN tags text[] NOT NULL DEFAULT '{}';  -- sorted, each once
CREATE INDEX job_tags_idx ON job USING gin (tags);

-- The version that a run must run: 0 of a test-run, which brings its code, the old one of
-- a run that repeats another one. Written at insert.
ALTER TABLE run ADD COLUMN version_pin integer;
-- What a run has caused. Written at insert.
CREATE INDEX run_parent_idx ON run (parent_id) WHERE parent_id IS NOT NULL;

-- What a user is writing for a job. Nothing runs it.
CREATE TABLE glue_draft (
    job_id        integer NOT NULL CONSTRAINT glue_draft_job_id_fkey REFERENCES job (id) ON DELETE CASCADE,
    user_id       integer NOT NULL CONSTRAINT glue_draft_user_id_fkey REFERENCES user_account (id) ON DELETE CASCADE,
    glue_type     text NOT NULL,
    source        text NOT NULL,
    artifact      text,                                        -- digest; it may be collected meanwhile
    manifest      jsonb NOT NULL DEFAULT '{}',
    base_version  integer NOT NULL,                            -- number of the version that is edited, 0 = none
    updated_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT glue_draft_pkey PRIMARY KEY (job_id, user_id)
);
CREATE INDEX glue_draft_user_idx ON glue_draft (user_id);

-- The code of a test-run, by the id of its run. It is written with the run, never
-- changed, and deleted once nobody can claim the run any more.
CREATE TABLE test_code (
    run_id      bigint PRIMARY KEY,
    job_id      integer NOT NULL CONSTRAINT test_code_job_id_fkey REFERENCES job (id) ON DELETE CASCADE,
    glue_type   text NOT NULL,
    source      text NOT NULL,
    digest      text NOT NULL,                                 -- of what runs: the source's or the artifact's
    artifact    text CONSTRAINT test_code_artifact_fkey REFERENCES artifact (digest),
    manifest    jsonb NOT NULL DEFAULT '{}',
    author      text NOT NULL,
    created_at  timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX test_code_job_idx ON test_code (job_id);
CREATE INDEX test_code_created_idx ON test_code (created_at);
CREATE INDEX test_code_artifact_idx ON test_code (artifact) WHERE artifact IS NOT NULL;

-- +goose Down
DROP TABLE test_code, glue_draft;
DROP INDEX run_parent_idx;
ALTER TABLE run DROP COLUMN version_pin;
DROP INDEX job_tags_idx;
ALTER TABLE job DROP COLUMN tags;
