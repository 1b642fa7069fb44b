-- Versions of secrets and variables, so that two editors do not overwrite each other. From
-- a sequence, so that what was deleted and made again is not taken for what it was.

-- +goose Up

CREATE SEQUENCE group_value_version_seq;
ALTER TABLE group_secret
    ADD COLUMN version bigint NOT NULL DEFAULT nextval('group_value_version_seq');
ALTER TABLE group_variable
    ADD COLUMN version bigint NOT NULL DEFAULT nextval('group_value_version_seq');

-- +goose Down
ALTER TABLE group_variable DROP COLUMN version;
ALTER TABLE group_secret DROP COLUMN version;
DROP SEQUENCE group_value_version_seq;
