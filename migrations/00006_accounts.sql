-- Roles by group in place of a list of groups; API tokens; sessions that can be told
-- apart; throttling of logins over all admins; an audit log that only grows.

-- +goose Up

ALTER TABLE user_account
    DROP CONSTRAINT user_account_role_check,
    ADD CONSTRAINT user_account_role_check CHECK (role IN ('admin', 'auditor', 'user')),
    ADD COLUMN disabled      boolean NOT NULL DEFAULT false,
    ADD COLUMN subject       text CONSTRAINT user_account_subject_key UNIQUE, -- issuer and subject of single sign-on
    ADD COLUMN last_login_at timestamptz,
    ADD COLUMN version       bigint NOT NULL DEFAULT 1;

CREATE TABLE user_grant (
    user_id  integer NOT NULL CONSTRAINT user_grant_user_id_fkey REFERENCES user_account (id) ON DELETE CASCADE,
    group_id integer NOT NULL CONSTRAINT user_grant_group_id_fkey REFERENCES job_group (id) ON DELETE CASCADE,
    role     text NOT NULL CONSTRAINT user_grant_role_check
        CHECK (role IN ('viewer', 'operator', 'editor', 'publisher', 'group_admin')),
    PRIMARY KEY (user_id, group_id)
);
CREATE INDEX user_grant_group_idx ON user_grant (group_id);

-- A user could see, edit, operate and publish the jobs of the groups: a publisher.
-- group_ids stays for admins of before, which read it until they are restarted.
INSERT INTO user_grant (user_id, group_id, role)
SELECT u.id, g.id, 'publisher' FROM user_account u JOIN job_group g ON g.id = ANY(u.group_ids)
WHERE u.role = 'user';

ALTER TABLE session
    ADD COLUMN id         bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT session_id_key UNIQUE,
    ADD COLUMN address    text NOT NULL DEFAULT '',
    ADD COLUMN user_agent text NOT NULL DEFAULT '';
CREATE INDEX session_user_idx ON session (user_id);

CREATE TABLE api_token (
    id           integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    user_id      integer NOT NULL CONSTRAINT api_token_user_id_fkey REFERENCES user_account (id) ON DELETE CASCADE,
    name         text NOT NULL,
    prefix       text NOT NULL,                            -- first characters, to tell it by
    token_hash   bytea NOT NULL CONSTRAINT api_token_hash_key UNIQUE, -- SHA-256; tokens are random, so no salt
    role         text NOT NULL,
    group_ids    integer[] NOT NULL DEFAULT '{}',          -- empty = all of the user's
    expires_at   timestamptz,
    last_used_at timestamptz,                              -- to the minute
    created_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT api_token_role_check
        CHECK (role IN ('viewer', 'operator', 'editor', 'publisher', 'group_admin', 'auditor', 'admin'))
);
CREATE INDEX api_token_user_idx ON api_token (user_id, id);

-- Leaky buckets of failed logins. What a crash empties is a few minutes of counting.
CREATE UNLOGGED TABLE login_throttle (
    key   text PRIMARY KEY,                                -- account, address, or both
    level double precision NOT NULL,                       -- failures that have not leaked out by at
    at    timestamptz NOT NULL
);
CREATE INDEX login_throttle_at_idx ON login_throttle (at);

CREATE TABLE audit_log (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at          timestamptz NOT NULL DEFAULT clock_timestamp(),
    actor       text NOT NULL,                             -- name of the user, also of the one behind a token
    actor_kind  text NOT NULL CONSTRAINT audit_log_actor_kind_check CHECK (actor_kind IN ('user', 'token', 'system')),
    action      text NOT NULL,                             -- operation of the API, or a command
    object_type text NOT NULL,
    object_id   text NOT NULL,
    object_name text NOT NULL,
    group_id    integer,                                   -- null = of no group
    before      jsonb,                                     -- fields that changed, or all that is gone
    after       jsonb,
    address     text NOT NULL,
    request_id  text NOT NULL
);
CREATE INDEX audit_log_at_idx ON audit_log (at);
CREATE INDEX audit_log_actor_idx ON audit_log (actor, id);
CREATE INDEX audit_log_object_idx ON audit_log (object_type, object_id, id);
CREATE INDEX audit_log_group_idx ON audit_log (group_id, id);

-- +goose StatementBegin
CREATE FUNCTION audit_log_is_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    -- Retention alone may delete, and says so in its transaction.
    IF TG_OP = 'DELETE' AND current_setting('gluewheel.audit_retention', true) = 'on' THEN
        RETURN OLD;
    END IF;
    RAISE EXCEPTION 'the audit log is append-only' USING ERRCODE = 'insufficient_privilege';
END $$;
-- +goose StatementEnd
CREATE TRIGGER audit_log_keep_rows BEFORE UPDATE OR DELETE ON audit_log
    FOR EACH ROW EXECUTE FUNCTION audit_log_is_append_only();
CREATE TRIGGER audit_log_keep_table BEFORE TRUNCATE ON audit_log
    FOR EACH STATEMENT EXECUTE FUNCTION audit_log_is_append_only();

-- +goose Down
DROP TABLE audit_log, login_throttle, api_token;
DROP FUNCTION audit_log_is_append_only;
DROP INDEX session_user_idx;
ALTER TABLE session DROP COLUMN id, DROP COLUMN address, DROP COLUMN user_agent;
UPDATE user_account u SET group_ids = ARRAY(SELECT group_id FROM user_grant WHERE user_id = u.id ORDER BY group_id);
DROP TABLE user_grant;
-- An auditor becomes a user without groups; whoever was disabled must not come back.
DELETE FROM user_account WHERE disabled;
UPDATE user_account SET role = 'user' WHERE role = 'auditor';
ALTER TABLE user_account
    DROP COLUMN disabled, DROP COLUMN subject, DROP COLUMN last_login_at, DROP COLUMN version,
    DROP CONSTRAINT user_account_role_check,
    ADD CONSTRAINT user_account_role_check CHECK (role IN ('admin', 'user'));
