-- What an installation of the first schema holds, in the words of its program: it names
-- the columns that there were. {n} keeps two of them apart.

INSERT INTO job_group (id, app_name, title, address_type, address_list) VALUES
    ({n}01, 'app-{n}', 'Registers', 0, '{}'),
    ({n}02, 'fixed-{n}', 'Entered by hand', 1, '{http://10.0.0.9:9999}');

INSERT INTO job (id, group_id, name, schedule_type, schedule_conf, route_strategy, handler, retry_count, glue_type,
    glue_version, child_job_ids, enabled, next_fire, version) VALUES
    ({n}01, {n}01, 'nightly', 'FIX_RATE', '1', 'ROUND', '', 2, 'GLUE_LUA', 2, '{}', true, now() + interval '1 s', 3),
    ({n}02, {n}01, 'module', 'NONE', '', 'FIRST', '', 0, 'GLUE_WASM', 1, '{}', false, NULL, 1),
    ({n}03, {n}02, 'everywhere', 'NONE', '', 'SHARDING_BROADCAST', 'demo', 0, 'BEAN', 0, '{{n}01}', false, NULL, 1);

INSERT INTO artifact (digest, size_bytes, content, created_by)
VALUES ('sha256:' || encode(sha256('module {n}'), 'hex'), 8, 'module {n}', 'root-{n}');

INSERT INTO glue_version (job_id, number, glue_type, source, digest, artifact, manifest, remark, author) VALUES
    ({n}01, 1, 'GLUE_LUA', 'print(1)', 'sha256:1', NULL, '{}', 'first', 'root-{n}'),
    ({n}01, 2, 'GLUE_LUA', 'print(2)', 'sha256:2', NULL, '{"secrets":["KEY"]}', 'second', 'root-{n}'),
    ({n}02, 1, 'GLUE_WASM', '', 'sha256:' || encode(sha256('module {n}'), 'hex'),
        'sha256:' || encode(sha256('module {n}'), 'hex'), '{}', 'first', 'root-{n}');

INSERT INTO run (id, fire_at, due_at, job_id, group_id, cause, retries_left, state, owner, epoch, lease_until, address,
    job_version, glue_version, claimed_at, started_at, ended_at, outcome, reason, message, code, range_to, range_count, log_tail)
SELECT ((extract(epoch FROM now())::bigint / 86400 - 19723) << 39) + {n}00000000 + k, now(), now(), {n}01, {n}01, cause, 2,
    state, 0, epoch, lease, address, CASE epoch WHEN 0 THEN 0 ELSE 3 END, CASE epoch WHEN 0 THEN 0 ELSE 2 END,
    claimed, claimed, ended, CASE WHEN state >= 10 THEN state END, reason, '', code, range_to, range_count, tail
FROM (VALUES
    (1, 2, 1, 0, NULL::timestamptz, '', NULL::timestamptz, NULL::timestamptz, '', 0, NULL::timestamptz, 0, NULL),
    (2, 2, 2, 1, now() - interval '1 minute', 'http://10.0.0.1:9999', now(), NULL, '', 0, NULL, 0, NULL),
    (3, 2, 3, 1, NULL, 'http://10.0.0.1:9999', now(), NULL, '', 0, NULL, 0, NULL),
    (4, 2, 10, 1, NULL, 'http://10.0.0.1:9999', now() - interval '2 hours', now() - interval '1 hour', '', 200, NULL, 0, NULL),
    (5, 3, 11, 1, NULL, 'http://10.0.0.1:9999', now() - interval '2 hours', now() - interval '1 hour', 'handler_failed', 500, NULL, 0, E'one\ntwo\n'),
    (6, 6, 15, 0, NULL, '', NULL, now() - interval '1 hour', 'misfire', 0, now(), 7, NULL)
) AS r (k, cause, state, epoch, lease, address, claimed, ended, reason, code, range_to, range_count, tail);

INSERT INTO executor_node (app_name, address, dialect) VALUES ('app-{n}', 'http://10.0.0.1:9999', 'A');

-- Their password is "an old password".
INSERT INTO user_account (id, username, password_hash, role, group_ids) OVERRIDING SYSTEM VALUE
SELECT {n}00 + k, name, '$argon2id$v=19$m=19456,t=2,p=1$FexKhtxwL2U5Bz727DiSTA$ObJuZmDbuyeYYabRBuWHq45yDvrR+xqI8ryD3vqdErg', role, groups::int[]
FROM (VALUES (1, 'root-{n}', 'admin', '{}'), (2, 'ann-{n}', 'user', '{{n}01,999}'), (3, 'nobody-{n}', 'user', '{}')) AS u (k, name, role, groups);

INSERT INTO session (token_hash, user_id, expires_at) VALUES (sha256('cookie {n}'), {n}02, now() + interval '1 day');
