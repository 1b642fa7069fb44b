-- Tokens of executor groups. Each opens the executors' endpoints for its group alone,
-- and is what the admin sends to the executors that registered with it.
--
-- The hash finds a token, the sealed copy (admin/seal) is what is sent: XXL-JOB's
-- executors check the same token in both directions, so it has to be readable.
--
-- Admins of before know no group tokens and refuse who comes with one: give executors
-- theirs once every admin is new.

-- +goose Up

CREATE TABLE group_token (
    id           integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    group_id     integer NOT NULL CONSTRAINT group_token_group_id_fkey REFERENCES job_group (id) ON DELETE CASCADE,
    name         text NOT NULL,
    hash         bytea NOT NULL,                          -- SHA-256 of the token
    sealed       bytea NOT NULL,
    prefix       text NOT NULL,                           -- shown to people
    weakness     text NOT NULL DEFAULT '',                -- job.Weakness
    sent         boolean NOT NULL DEFAULT false,          -- to executors that have not registered
    created_by   text NOT NULL DEFAULT '',
    created_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
    last_used_at timestamptz,
    CONSTRAINT group_token_hash_key UNIQUE (group_id, hash)
);
CREATE UNIQUE INDEX group_token_sent_key ON group_token (group_id) WHERE sent;

-- Which token an executor registered with: group_token.id, or 0 for the global one.
ALTER TABLE executor_node ADD COLUMN token_id integer NOT NULL DEFAULT 0;

-- +goose Down
ALTER TABLE executor_node DROP COLUMN token_id;
DROP TABLE group_token;
