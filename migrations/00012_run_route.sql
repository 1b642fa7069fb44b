-- Why a run went to the executor that it went to.
--
-- The claim writes it beside the address, in a dozen bytes, so that a page of the ledger
-- has room for all of its rows again and the update stays HOT. No index stands on it.
-- Admins of before leave it null.

-- +goose Up

ALTER TABLE run ADD COLUMN route text;                    -- job.Route; null until the claim, and where nothing was chosen

-- +goose Down
ALTER TABLE run DROP COLUMN route;
