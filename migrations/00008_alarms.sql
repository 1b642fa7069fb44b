-- Alarms: channels, rules, what a rule remembers about a job, and the outbox.
--
-- Ends of runs write nothing here: one admin at a time reads what ended badly since the
-- last round through run_bad_end_idx and judges it. Signs seen are kept for as long as
-- the longest window and the overlap of two rounds need them, so that none is judged
-- twice and none is missed that was committed late.

-- +goose Up

CREATE TABLE alarm_channel (
    id          integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name        text NOT NULL CONSTRAINT alarm_channel_name_key UNIQUE,
    kind        text NOT NULL,                            -- job.ChannelKind
    config      jsonb NOT NULL DEFAULT '{}',              -- without what is secret
    sealed      bytea NOT NULL DEFAULT ''::bytea,         -- admin/seal: what is secret
    language    text NOT NULL DEFAULT 'zh',
    version     bigint NOT NULL DEFAULT 1,
    created_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
    updated_at  timestamptz NOT NULL DEFAULT clock_timestamp()
);

CREATE TABLE alarm_rule (
    id           integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name         text NOT NULL,
    group_id     integer CONSTRAINT alarm_rule_group_id_fkey REFERENCES job_group (id) ON DELETE CASCADE,
    job_ids      integer[] NOT NULL DEFAULT '{}',
    on_events    text[] NOT NULL,                         -- job.AlarmEvent
    threshold    integer NOT NULL DEFAULT 1,
    window_s     integer NOT NULL DEFAULT 300,
    rate_pct     integer NOT NULL DEFAULT 50,
    silence_s    integer NOT NULL DEFAULT 300,
    late_ms      integer NOT NULL DEFAULT 10000,
    each_attempt boolean NOT NULL DEFAULT false,
    channel_ids  integer[] NOT NULL,
    enabled      boolean NOT NULL DEFAULT true,
    version      bigint NOT NULL DEFAULT 1,
    created_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
    updated_at   timestamptz NOT NULL DEFAULT clock_timestamp()
);

CREATE TABLE alarm_state (
    rule_id     integer NOT NULL CONSTRAINT alarm_state_rule_id_fkey REFERENCES alarm_rule (id) ON DELETE CASCADE,
    job_id      integer NOT NULL,
    firing      boolean NOT NULL,
    event_at    timestamptz NOT NULL,
    sent_at     timestamptz,
    suppressed  integer NOT NULL DEFAULT 0,
    job_name    text NOT NULL,
    app_name    text NOT NULL,
    alarm_email text NOT NULL DEFAULT '',
    CONSTRAINT alarm_state_pkey PRIMARY KEY (rule_id, job_id)
);

-- late_ms 0: the run ended; otherwise it had not started so long after it was due.
CREATE TABLE alarm_seen (
    run_id  bigint NOT NULL,
    late_ms integer NOT NULL,
    job_id  integer NOT NULL,
    event   text NOT NULL,
    at      timestamptz NOT NULL,
    CONSTRAINT alarm_seen_pkey PRIMARY KEY (run_id, late_ms)
);
CREATE INDEX alarm_seen_job_idx ON alarm_seen (job_id, at);
CREATE INDEX alarm_seen_at_idx ON alarm_seen (at);

-- One row: who holds it judges.
CREATE TABLE alarm_cursor (
    id      boolean PRIMARY KEY DEFAULT true CONSTRAINT alarm_cursor_one_row CHECK (id),
    seen_to timestamptz NOT NULL DEFAULT clock_timestamp()
);
INSERT INTO alarm_cursor DEFAULT VALUES;

CREATE TABLE alarm (
    id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at           timestamptz NOT NULL DEFAULT clock_timestamp(),
    rule_id      integer NOT NULL,
    rule_name    text NOT NULL,
    group_id     integer,
    channel_id   integer NOT NULL,
    channel_name text NOT NULL,
    event        text NOT NULL,
    job_id       integer,
    run_id       bigint,
    message      jsonb NOT NULL,                          -- job.AlarmMessage
    emails       text NOT NULL DEFAULT '',
    state        smallint NOT NULL DEFAULT 1,             -- job.DeliveryState
    attempts     integer NOT NULL DEFAULT 0,
    next_try_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
    delivered_at timestamptz,
    last_error   text NOT NULL DEFAULT ''
);
CREATE INDEX alarm_pending_idx ON alarm (next_try_at) WHERE state = 1;

-- What ended badly, by when. Written by the end only: claims and acceptances stay HOT.
CREATE INDEX run_bad_end_idx ON run (ended_at) WHERE outcome IN (11, 12, 13, 14, 15);

-- +goose Down
DROP INDEX run_bad_end_idx;
DROP TABLE alarm, alarm_cursor, alarm_seen, alarm_state, alarm_rule, alarm_channel;
