-- Which API token made another one: who ends a token that has leaked ends with it what was
-- made with it. Of tokens of before nobody knows.

-- +goose Up

ALTER TABLE api_token
    ADD COLUMN parent_id integer CONSTRAINT api_token_parent_id_fkey REFERENCES api_token (id) ON DELETE CASCADE;
CREATE INDEX api_token_parent_idx ON api_token (parent_id) WHERE parent_id IS NOT NULL;

-- +goose Down
ALTER TABLE api_token DROP COLUMN parent_id;
