package store

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gluewheel/gluewheel/admin/job"
)

// storeBeats writes every column but the times only when an executor changed.
// registered_at is when the present process (boot) registered first. It answers how many
// executors are news to other admins: new ones, changed ones, and those that have missed
// a beat, for they may have been taken for dead. Served by executor_node_pkey.
const storeBeats = `
WITH b AS (
	SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::jsonb[], $7::integer[])
		AS b (app_name, address, dialect, instance_id, boot_id, info, token_id)
), news AS (
	SELECT count(*) AS n FROM b LEFT JOIN executor_node AS o USING (app_name, address)
	WHERE o.address IS NULL OR o.heartbeat_at < clock_timestamp() - interval '1 min'
		OR (o.dialect, o.boot_id, o.token_id) IS DISTINCT FROM (b.dialect, b.boot_id, b.token_id)
), stored AS (
	INSERT INTO executor_node AS n (app_name, address, dialect, instance_id, boot_id, info, token_id)
	SELECT app_name, address, dialect, instance_id, boot_id, info, token_id FROM b
	ON CONFLICT (app_name, address) DO UPDATE
	SET heartbeat_at = clock_timestamp(), dialect = excluded.dialect, instance_id = excluded.instance_id,
		info = excluded.info, boot_id = excluded.boot_id, token_id = excluded.token_id,
		registered_at = CASE WHEN n.boot_id = excluded.boot_id THEN n.registered_at ELSE clock_timestamp() END
)
SELECT n FROM news`

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
	tokens := make([]int32, n)
	for i, b := range sorted {
		apps[i], addresses[i], dialects[i], instances[i], boots[i] = b.AppName, b.Address, b.Dialect, b.InstanceID, b.BootID
		tokens[i] = b.TokenID
		if infos[i] = b.Info; len(b.Info) == 0 {
			infos[i] = json.RawMessage("{}")
		}
	}
	var news int
	err := retryUndone(func() error {
		return s.pool.QueryRow(ctx, storeBeats, apps, addresses, dialects, instances, boots, infos, tokens).Scan(&news)
	})
	if err == nil && news > 0 {
		err = s.announceExecutors(ctx)
	}
	if err != nil {
		return fmt.Errorf("store %d registrations: %w", n, err)
	}
	return nil
}

// announceExecutors has every admin read the registry at once. It comes after the commit
// of what it tells of: without it they read it within a second all the same.
func (s *Store) announceExecutors(ctx context.Context) error {
	return s.retryTx(ctx, func(tx pgx.Tx) error {
		return announce(ctx, tx, job.Change{Kind: job.ChangeExecutors})
	})
}

// RemoveExecutor takes an executor off the registry, with or without trailing slash.
func (s *Store) RemoveExecutor(ctx context.Context, appName, address string) error {
	const sql = `DELETE FROM executor_node WHERE app_name = $1 AND rtrim(address, '/') = rtrim($2, '/')`
	tag, err := s.pool.Exec(ctx, sql, appName, address)
	if err == nil && tag.RowsAffected() > 0 {
		err = s.announceExecutors(ctx)
	}
	if err != nil {
		return fmt.Errorf("remove executor %s: %w", address, err)
	}
	return nil
}

// Silence counts only while heartbeats could be stored: after an outage of the
// database or of all admins everybody starts afresh.
const readExecutors = `
SELECT n.app_name, n.address, n.dialect, n.instance_id, n.boot_id, n.info, n.token_id, n.registered_at, n.heartbeat_at,
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
SELECT id, job_id, group_id, address, started_at, is_test
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

// runArtifact is served by run_pkey, glue_version_pkey and test_code_pkey.
const runArtifact = `
SELECT r.job_id, r.group_id, r.address, coalesce(v.artifact, t.artifact) AS artifact
FROM run AS r
	LEFT JOIN glue_version AS v ON v.job_id = r.job_id AND v.number = r.glue_version
	LEFT JOIN test_code AS t ON t.run_id = r.id AND r.is_test
WHERE r.id = $1 AND r.fire_at >= $2 AND r.fire_at < $3 AND r.epoch = $4
	AND r.state IN (2, 3, 4) AND coalesce(v.artifact, t.artifact) IS NOT NULL`

// RunArtifact tells which artifact an open run of that epoch may fetch, and where it
// was sent; job.ErrNotFound when there is none.
func (s *Store) RunArtifact(ctx context.Context, h job.Hold) (job.RunGrant, error) {
	day := job.Day(h.RunID)
	g, err := one[job.RunGrant](ctx, s.pool, runArtifact, h.RunID, day, day.AddDate(0, 0, 1), h.Epoch)
	if err != nil {
		return job.RunGrant{}, fmt.Errorf("read artifact of run %d: %w", h.RunID, err)
	}
	return g, nil
}

// runsOfGroups is served by run_pkey, in the partitions of the days that the ids name.
const runsOfGroups = `
SELECT id FROM run
WHERE id = ANY($1) AND fire_at >= $2 AND fire_at < $3 AND group_id = ANY($4)`

// RunsOfGroups picks those of the runs that belong to one of the groups.
func (s *Store) RunsOfGroups(ctx context.Context, ids []int64, groups []int32) ([]int64, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	first, last := job.Day(slices.Min(ids)), job.Day(slices.Max(ids))
	rows, err := s.pool.Query(ctx, runsOfGroups, ids, first, last.AddDate(0, 0, 1), groups)
	if err != nil {
		return nil, fmt.Errorf("read groups of %d runs: %w", len(ids), err)
	}
	own, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	if err != nil {
		return nil, fmt.Errorf("read groups of %d runs: %w", len(ids), err)
	}
	return own, nil
}
