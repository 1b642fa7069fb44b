-- Figures about runs that answer at once, however long the ledger is: counts by minute,
-- hour and day, kept up to a moment ago by one admin at a time (store.Tally), and the
-- index by which the rest is read.

-- +goose Up

-- What ended lately: the figures read from here what they have not counted yet. Only
-- the end of a run writes the column.
CREATE INDEX run_ended_idx ON run (ended_at) WHERE ended_at IS NOT NULL;
-- Pages of a group's runs.
CREATE INDEX run_group_idx ON run (group_id, id);
-- Pages of one kind of end that is no success (outcome 10), of all groups or of one.
CREATE INDEX run_outcome_idx ON run (outcome, id) WHERE outcome IS NOT NULL AND outcome <> 10;
CREATE INDEX run_group_outcome_idx ON run (group_id, outcome, id) WHERE outcome IS NOT NULL AND outcome <> 10;

-- Runs by the time at which they ended. Test-runs and parents of broadcasts are left out.
CREATE TABLE run_count (
    step_s    integer NOT NULL,                           -- 60 or 3600: how long the span is
    at        timestamptz NOT NULL,                       -- where the span begins
    group_id  integer NOT NULL,                           -- 0 = all groups together
    outcome   smallint NOT NULL,                          -- job.State
    runs      bigint NOT NULL,
    CONSTRAINT run_count_pkey PRIMARY KEY (step_s, at, group_id, outcome)
);

-- The same by job and UTC day.
CREATE TABLE run_day (
    day       date NOT NULL,
    job_id    integer NOT NULL,
    group_id  integer NOT NULL,
    runs      bigint NOT NULL,
    failures  bigint NOT NULL,                            -- failed, timed out, lost
    timed     bigint NOT NULL,                            -- runs that had begun, and so took a time …
    total_ms  bigint NOT NULL,                            -- … of so many milliseconds together
    max_ms    bigint NOT NULL,
    CONSTRAINT run_day_pkey PRIMARY KEY (day, job_id, group_id)
);

-- The same by version of a job's code, for ever.
CREATE TABLE version_count (
    job_id    integer NOT NULL,
    number    integer NOT NULL,
    runs      bigint NOT NULL,
    failures  bigint NOT NULL,
    CONSTRAINT version_count_pkey PRIMARY KEY (job_id, number)
);

-- One row: runs that ended before this instant are counted.
CREATE TABLE tally (
    id       boolean PRIMARY KEY DEFAULT true CONSTRAINT tally_one_row CHECK (id),
    counted  timestamptz NOT NULL DEFAULT '-infinity'
);
INSERT INTO tally DEFAULT VALUES;

-- +goose Down
DROP TABLE tally, version_count, run_day, run_count;
DROP INDEX run_group_outcome_idx, run_outcome_idx, run_group_idx, run_ended_idx;
