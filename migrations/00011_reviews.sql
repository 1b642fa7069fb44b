-- The four-eyes rule: a group may ask that new code is approved by another publisher
-- before it is live. The rule holds once every admin is new: one of before does not know
-- the column, and publishes at once.

-- +goose Up

ALTER TABLE job_group ADD COLUMN require_review boolean NOT NULL DEFAULT false;

ALTER TABLE glue_version
    ADD COLUMN base_version integer NOT NULL DEFAULT 0,       -- live when it was published
    ADD COLUMN review       text NOT NULL DEFAULT 'none'
        CONSTRAINT glue_version_review_check CHECK (review IN ('none', 'pending', 'approved', 'rejected')),
    ADD COLUMN reviewed_by  text NOT NULL DEFAULT '',
    ADD COLUMN reviewed_at  timestamptz,
    ADD COLUMN review_note  text NOT NULL DEFAULT '';

-- Until now each version was live, and took the place of the one before.
UPDATE glue_version SET base_version = number - 1 WHERE number > 1;

CREATE INDEX glue_version_pending_idx ON glue_version (job_id, number) WHERE review = 'pending';

-- +goose Down
-- What nobody has approved is not to be rolled back to by admins of before.
DELETE FROM glue_version WHERE review IN ('pending', 'rejected');
ALTER TABLE glue_version
    DROP COLUMN base_version, DROP COLUMN review, DROP COLUMN reviewed_by, DROP COLUMN reviewed_at, DROP COLUMN review_note;
ALTER TABLE job_group DROP COLUMN require_review;
