package store

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gluewheel/gluewheel/admin/job"
)

// storeBeats writes every column but the times only when an executor changed.
// registered_at is when the present process (boot) registered first.
const storeBeats = `
INSERT INTO executor_node AS n (app_name, address, dialect, instance_id, boot_id, info)
SELECT app_name, address, dialect, instance_id, boot_id, info
FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::jsonb[])
	AS b (app_name, address, dialect, instance_id, boot_id, info)
ON CONFLICT (app_name, address) DO UPDATE
SET heartbeat_at = clock_timestamp(), dialect = excluded.dialect, instance_id = excluded.instance_id,
	info = excluded.info, boot_id = excluded.boot_id,
	registered_at = CASE WHEN n.boot_id = excluded.boot_id THEN n.registered_at ELSE clock_timestamp() END`

// StoreBeats stores registrations, in the order of their keys, so that two admins do
// not wait for each other crosswise. Of several by the same executor the last counts.
func (s *Store) StoreBeats(ctx context.Context, beats []job.Beat) error {
	byKey := make(map[[2]string]job.Beat, len(beats))
	for _, b := range beats {
		byKey[[2]string{b.AppName, b.Address}] = b
	}
	sorted := make([]job.Beat, 0, len(byKey))
	for _, b := range byKey {
		sorted = append(sorted, b)
	}
	slices.SortFunc(sorted, func(a, b job.Beat) int {
		return cmp.Or(cmp.Compare(a.AppName, b.AppName), cmp.Compare(a.Address, b.Address))
	})
	n := len(sorted)
	apps, addresses, dialects := make([]string, n), make([]string, n), make([]string, n)
	instances, boots, infos := make([]string, n), make([]string, n), make([]json.RawMessage, n)
	for i, b := range sorted {
		apps[i], addresses[i], dialects[i], instances[i], boots[i] = b.AppName, b.Address, b.Dialect, b.InstanceID, b.BootID
		if infos[i] = b.Info; len(b.Info) == 0 {
			infos[i] = json.RawMessage("{}")
		}
	}
	err := retryUndone(func() error {
		_, err := s.pool.Exec(ctx, storeBeats, apps, addresses, dialects, instances, boots, infos)
		return err
	})
	if err != nil {
		return fmt.Errorf("store %d registrations: %w", n, err)
	}
	return nil
}

// RemoveExecutor takes an executor off the registry, with or without trailing slash.
func (s *Store) RemoveExecutor(ctx context.Context, appName, address string) error {
	const sql = `DELETE FROM executor_node WHERE app_name = $1 AND rtrim(address, '/') = rtrim($2, '/')`
	if _, err := s.pool.Exec(ctx, sql, appName, address); err != nil {
		return fmt.Errorf("remove executor %s: %w", address, err)
	}
	return nil
}

// Silence counts only while heartbeats could be stored: after an outage of the
// database or of all admins everybody starts afresh.
const readExecutors = `
SELECT n.app_name, n.address, n.dialect, n.instance_id, n.boot_id, n.info, n.registered_at, n.heartbeat_at,
	greatest(clock_timestamp() - greatest(n.heartbeat_at, c.outage_ended_at), interval '0') AS silent
FROM executor_node AS n, cluster AS c
ORDER BY n.app_name, n.address
LIMIT 100000`

// Executors lists every registered executor, the silent ones too.
func (s *Store) Executors(ctx context.Context) ([]job.Executor, error) {
	rows, err := s.pool.Query(ctx, readExecutors)
	if err != nil {
		return nil, fmt.Errorf("read executors: %w", err)
	}
	out, err := pgx.CollectRows(rows, pgx.RowToStructByName[job.Executor])
	if err != nil {
		return nil, fmt.Errorf("read executors: %w", err)
	}
	return out, nil
}

// ForgetExecutors deletes executors that have been silent for that long.
func (s *Store) ForgetExecutors(ctx context.Context, silent time.Duration) error {
	const sql = `
DELETE FROM executor_node AS n USING cluster AS c
WHERE greatest(n.heartbeat_at, c.outage_ended_at) < clock_timestamp() - $1::interval`
	if _, err := s.pool.Exec(ctx, sql, silent); err != nil {
		return fmt.Errorf("forget silent executors: %w", err)
	}
	return nil
}

// openAddresses is served by run_open_idx: one pass over the open runs.
const openAddresses = `
SELECT address, count(*) AS runs,
	greatest(clock_timestamp() - min(coalesce(started_at, claimed_at, due_at)), interval '0') AS oldest
FROM run
WHERE ended_at IS NULL AND due_at < clock_timestamp() AND state IN (3, 4)
GROUP BY address
ORDER BY address
LIMIT 10000`

// OpenAddresses tells at which addresses runs are running or unknown.
func (s *Store) OpenAddresses(ctx context.Context) ([]job.OpenAt, error) {
	rows, err := s.pool.Query(ctx, openAddresses)
	if err != nil {
		return nil, fmt.Errorf("count open runs by address: %w", err)
	}
	out, err := pgx.CollectRows(rows, pgx.RowToStructByName[job.OpenAt])
	if err != nil {
		return nil, fmt.Errorf("count open runs by address: %w", err)
	}
	return out, nil
}

// openRuns is served by run_open_idx.
const openRuns = `
SELECT id, address, started_at
FROM run
WHERE ended_at IS NULL AND due_at < clock_timestamp() - $3::interval
	AND (state = ANY ($1) OR state = 4 AND lease_until IS NULL) AND rtrim(address, '/') = ANY ($2)
	AND coalesce(started_at, claimed_at) < clock_timestamp() - $3::interval
ORDER BY due_at
LIMIT $4`

// OpenRuns lists runs in one of states at one of addresses (compared without trailing
// slash) that began more than age ago, oldest first. Parked unknown runs are always
// among them: nobody asks about those any more.
func (s *Store) OpenRuns(ctx context.Context, states []job.State, addresses []string, age time.Duration, limit int) ([]job.OpenRun, error) {
	bare, codes := make([]string, len(addresses)), make([]int16, len(states))
	for i, a := range addresses {
		bare[i] = job.SameAddress(a)
	}
	for i, st := range states {
		codes[i] = int16(st)
	}
	rows, err := s.pool.Query(ctx, openRuns, codes, bare, age, limit)
	if err != nil {
		return nil, fmt.Errorf("read open runs: %w", err)
	}
	out, err := pgx.CollectRows(rows, pgx.RowToStructByName[job.OpenRun])
	if err != nil {
		return nil, fmt.Errorf("read open runs: %w", err)
	}
	return out, nil
}

// runArtifact is served by run_pkey and glue_version_pkey.
const runArtifact = `
SELECT r.address, v.artifact
FROM run AS r JOIN glue_version AS v ON v.job_id = r.job_id AND v.number = r.glue_version
WHERE r.id = $1 AND r.fire_at >= $2 AND r.fire_at < $3 AND r.epoch = $4
	AND r.state IN (2, 3, 4) AND v.artifact IS NOT NULL`

// RunArtifact tells which artifact an open run of that epoch may fetch, and the
// address that it was sent to; job.ErrNotFound when there is none.
func (s *Store) RunArtifact(ctx context.Context, h job.Hold) (digest, address string, err error) {
	day := job.Day(h.RunID)
	err = s.pool.QueryRow(ctx, runArtifact, h.RunID, day, day.AddDate(0, 0, 1), h.Epoch).Scan(&address, &digest)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", "", job.ErrNotFound
	}
	if err != nil {
		return "", "", fmt.Errorf("read artifact of run %d: %w", h.RunID, err)
	}
	return digest, address, nil
}
