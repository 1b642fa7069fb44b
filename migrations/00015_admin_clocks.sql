-- How each admin's clock stands to the database's, for `gluewheel doctor`.

-- +goose Up

ALTER TABLE admin_node
    ADD COLUMN clock_ahead interval,                      -- of the database's; NULL = not measured (yet)
    ADD COLUMN clock_doubt interval;                      -- by how much clock_ahead may be wrong

-- +goose Down
ALTER TABLE admin_node DROP COLUMN clock_doubt, DROP COLUMN clock_ahead;
