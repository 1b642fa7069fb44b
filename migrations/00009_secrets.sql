-- Secrets and variables of groups. A version reads those that its manifest names.

-- +goose Up

CREATE TABLE group_secret (
    group_id    integer NOT NULL CONSTRAINT group_secret_group_id_fkey REFERENCES job_group (id) ON DELETE CASCADE,
    name        text NOT NULL,
    sealed      bytea NOT NULL,                           -- admin/seal
    updated_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
    updated_by  text NOT NULL,
    CONSTRAINT group_secret_pkey PRIMARY KEY (group_id, name)
);

CREATE TABLE group_variable (
    group_id    integer NOT NULL CONSTRAINT group_variable_group_id_fkey REFERENCES job_group (id) ON DELETE CASCADE,
    name        text NOT NULL,
    value       text NOT NULL,
    updated_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
    updated_by  text NOT NULL,
    CONSTRAINT group_variable_pkey PRIMARY KEY (group_id, name)
);

-- +goose Down
DROP TABLE group_variable, group_secret;
