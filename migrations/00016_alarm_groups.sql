-- What a rule with group_s has gathered for the one message at the end of its window, and
-- indexes for the filters of the list of alarms. An admin of before knows no windows: it
-- tells at once, and leaves what is gathered to one that does.

-- +goose Up

ALTER TABLE alarm_rule ADD COLUMN group_s integer NOT NULL DEFAULT 0;

CREATE TABLE alarm_gathered (
    rule_id     integer NOT NULL CONSTRAINT alarm_gathered_rule_id_fkey REFERENCES alarm_rule (id) ON DELETE CASCADE,
    job_id      integer NOT NULL,
    event       text NOT NULL,                            -- job.AlarmEvent
    opened_at   timestamptz NOT NULL,                     -- of the window, the same in all rows of a rule
    item        jsonb NOT NULL,                           -- job.AlarmItem
    alarm_email text NOT NULL DEFAULT '',
    CONSTRAINT alarm_gathered_pkey PRIMARY KEY (rule_id, job_id, event)
);

CREATE INDEX alarm_group_idx ON alarm (group_id, id);
CREATE INDEX alarm_at_idx ON alarm (at);
CREATE INDEX alarm_named_idx ON alarm USING gin (jsonb_path_query_array(message, '$.items[*].job_id') jsonb_path_ops);

-- +goose Down
DROP INDEX alarm_group_idx, alarm_at_idx, alarm_named_idx;
DROP TABLE alarm_gathered;
ALTER TABLE alarm_rule DROP COLUMN group_s;
