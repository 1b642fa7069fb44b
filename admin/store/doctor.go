package store

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gluewheel/gluewheel/admin/job"
)

// Patience of the audit: what is younger may still be under way.
const (
	suspectAfter   = 30 * time.Second // overdue, planning behind, bucket idle
	stuckAfter     = time.Minute      // past the end of a lease
	forgottenAfter = 15 * time.Minute // past the ten minutes of XXL-JOB's rule
	silentAfter    = 90 * time.Second // an executor counts as gone
)

// suspectQueries find what should not be. They take the limit as @limit and the oldest
// instant as @since, and read indexes or partitions of the ledger from there on.
var suspectQueries = []string{
	`SELECT '` + job.SuspectDoubledRow + `' AS check, job_id, max(id) AS run_id, fire_at AS at,
		format('%s rows, shard %s, attempt %s', count(*), shard, attempt) AS detail
	FROM run WHERE cause IN (1, 6) AND fire_at >= @since
	GROUP BY job_id, fire_at, shard, attempt HAVING count(*) > 1 ORDER BY at LIMIT @limit`,

	`SELECT '` + job.SuspectDoubledFollow + `' AS check, job_id, parent_id AS run_id, min(fire_at) AS at,
		format('%s rows with cause %s', count(*), cause) AS detail
	FROM run WHERE cause IN (4, 5) AND parent_id IS NOT NULL AND fire_at >= @since
	GROUP BY parent_id, job_id, cause, shard, attempt HAVING count(*) > 1 ORDER BY parent_id LIMIT @limit`,

	`SELECT '` + job.SuspectMissingRetry + `' AS check, r.job_id, r.id AS run_id, r.ended_at AS at, r.reason AS detail
	FROM run r WHERE r.outcome IN (11, 12) AND r.retries_left > 0 AND NOT r.is_test AND r.fire_at >= @since
		AND EXISTS (SELECT FROM job j WHERE j.id = r.job_id)
		AND NOT EXISTS (SELECT FROM run n WHERE n.parent_id = r.id AND n.cause = 4 AND n.fire_at >= @since)
	ORDER BY r.id LIMIT @limit`,

	`SELECT '` + job.SuspectInconsistent + `' AS check, job_id, id AS run_id, fire_at AS at,
		format('state %s, outcome %s, ended at %s', state, coalesce(outcome::text, 'none'), coalesce(ended_at::text, 'none')) AS detail
	FROM run WHERE fire_at >= @since
		AND ((state >= 10) <> (ended_at IS NOT NULL) OR (ended_at IS NOT NULL) <> (outcome IS NOT NULL) OR outcome <> state)
	ORDER BY id LIMIT @limit`,

	// Served by run_open_idx, as the next two: rows of any age.
	`SELECT '` + job.SuspectStuck + `' AS check, job_id, id AS run_id, coalesce(lease_until, claimed_at, due_at) AS at,
		format('state %s at %s', state, address) AS detail
	FROM run WHERE ended_at IS NULL
		AND (state IN (2, 4) AND lease_until < clock_timestamp() - @stuck::interval
			OR state = 4 AND lease_until IS NULL AND claimed_at < clock_timestamp() - @forgotten::interval)
	ORDER BY due_at LIMIT @limit`,

	`SELECT '` + job.SuspectForgotten + `' AS check, r.job_id, r.id AS run_id, coalesce(r.started_at, r.claimed_at) AS at,
		format('at %s', r.address) AS detail
	FROM run r WHERE r.ended_at IS NULL AND r.state = 3
		AND coalesce(r.started_at, r.claimed_at) < clock_timestamp() - @forgotten::interval
		AND NOT EXISTS (SELECT FROM executor_node n WHERE rtrim(n.address, '/') = rtrim(r.address, '/')
			AND n.heartbeat_at > clock_timestamp() - @forgotten::interval)
	ORDER BY r.due_at LIMIT @limit`,

	`SELECT '` + job.SuspectOverdue + `' AS check, job_id, id AS run_id, due_at AS at, 'planned' AS detail
	FROM run WHERE ended_at IS NULL AND state = 1 AND due_at < clock_timestamp() - @late::interval
	ORDER BY due_at LIMIT @limit`,

	// Served by job_due_idx.
	`SELECT '` + job.SuspectPlanningBehind + `' AS check, id AS job_id, 0::bigint AS run_id, next_fire AS at, name AS detail
	FROM job WHERE enabled AND next_fire IS NOT NULL AND next_fire < clock_timestamp() - @late::interval
	ORDER BY next_fire LIMIT @limit`,

	`SELECT '` + job.SuspectLockRow + `' AS check, 0 AS job_id, 0::bigint AS run_id, coalesce(l.planned_at, clock_timestamp()) AS at,
		CASE WHEN l.bucket IS NULL THEN format('bucket %s has no lock row', w.bucket)
			ELSE format('nobody plans bucket %s', w.bucket) END AS detail
	FROM (SELECT 0 AS bucket UNION SELECT bucket FROM job WHERE enabled AND next_fire IS NOT NULL) w
	LEFT JOIN bucket_lock l ON l.bucket = w.bucket
	WHERE (l.bucket IS NULL OR l.planned_at < clock_timestamp() - @late::interval)
	ORDER BY w.bucket LIMIT @limit`,

	`SELECT '` + job.SuspectNoExecutor + `' AS check, min(j.id) AS job_id, 0::bigint AS run_id, max(j.updated_at) AS at,
		format('%s, %s started jobs', g.app_name, count(*)) AS detail
	FROM job j JOIN job_group g ON g.id = j.group_id
	WHERE j.enabled AND g.address_type = 0 AND NOT EXISTS (
		SELECT FROM executor_node n WHERE n.app_name = g.app_name AND n.heartbeat_at > clock_timestamp() - @silent::interval)
	GROUP BY g.app_name ORDER BY g.app_name LIMIT @limit`,
}

// Suspects audits the ledger from an instant on and the set-up around it: at most limit
// findings of each kind.
func (s *Store) Suspects(ctx context.Context, since time.Time, limit int) ([]job.Suspect, error) {
	args := pgx.NamedArgs{
		"limit": limit, "since": since, "stuck": stuckAfter, "forgotten": forgottenAfter, "late": suspectAfter, "silent": silentAfter,
	}
	var found []job.Suspect
	for _, sql := range suspectQueries {
		part, err := many[job.Suspect](ctx, s.pool, sql, args)
		if err != nil {
			return nil, fmt.Errorf("audit the ledger: %w", err)
		}
		found = append(found, part...)
	}
	return found, nil
}

// StartedSchedules lists started jobs with instants that can be calculated, in the order
// of their ids, after one.
func (s *Store) StartedSchedules(ctx context.Context, after int32, limit int) ([]job.Job, error) {
	const sql = `SELECT ` + jobColumns + ` FROM job
		WHERE enabled AND next_fire IS NOT NULL AND schedule_type IN ('CRON', 'FIX_RATE') AND id > $1
		ORDER BY id LIMIT $2`
	jobs, err := many[job.Job](ctx, s.pool, sql, after, limit)
	if err != nil {
		return nil, fmt.Errorf("read started jobs: %w", err)
	}
	return jobs, nil
}

// PlannedInstants lists what the ledger has of a job's schedule between two instants, in
// their order. Reads run_fire_key.
func (s *Store) PlannedInstants(ctx context.Context, jobID int32, from, to time.Time, limit int) ([]job.Instants, error) {
	// A span may have begun before from: partitions are a day long, so those of the week
	// before are looked into as well.
	const sql = `SELECT fire_at, range_to FROM run
		WHERE job_id = @job AND cause IN (1, 6) AND attempt = 0 AND shard <= 0 AND fire_at <= @to
			AND (fire_at >= @from OR fire_at >= @from::timestamptz - interval '7 days' AND range_to >= @from)
		ORDER BY fire_at LIMIT @limit`
	rows, err := many[job.Instants](ctx, s.pool, sql, pgx.StrictNamedArgs{"job": jobID, "from": from, "to": to, "limit": limit})
	if err != nil {
		return nil, fmt.Errorf("read instants of job %d: %w", jobID, err)
	}
	return rows, nil
}

// Vitals reads how the database and the cluster stand, in one statement.
func (s *Store) Vitals(ctx context.Context) (job.Vitals, error) {
	const sql = `
		SELECT clock_timestamp() AS now,
			(SELECT count(*) FROM admin_node WHERE heartbeat_at > clock_timestamp() - @live_for::interval) AS admins,
			(SELECT last_alive_at FROM cluster) AS last_alive_at,
			(SELECT max(to_date(right(c.relname, 8), 'YYYYMMDD'))::timestamp AT TIME ZONE 'UTC' FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
				WHERE i.inhparent = 'run'::regclass AND c.relname ~ '^run_[0-9]{8}$') AS last_day,
			EXISTS (SELECT FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
				WHERE i.inhparent = 'run'::regclass AND pg_get_expr(c.relpartbound, c.oid) = 'DEFAULT') AS has_default,
			EXISTS (SELECT FROM pg_index WHERE indrelid = 'run'::regclass AND indisunique AND indisvalid
				AND indexrelid = to_regclass('run_fire_key')) AS fire_key,
			(SELECT rolsuper FROM pg_roles WHERE rolname = current_user) AS superuser,
			coalesce(NOT (host(inet_client_addr())::inet <<= '127.0.0.0/8' OR inet_client_addr() = '::1'
				OR inet_client_addr() = inet_server_addr()), false) AS remote,
			coalesce((SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()), false) AS encrypted,
			pg_is_in_recovery() AS standby,
			(SELECT jsonb_object_agg(name, setting) FROM pg_settings WHERE name = ANY(@settings)) AS settings`
	v, err := one[job.Vitals](ctx, s.pool, sql, pgx.StrictNamedArgs{"live_for": liveFor, "settings": doctorSettings})
	if err != nil {
		return job.Vitals{}, fmt.Errorf("read how the database stands: %w", err)
	}
	return v, nil
}

// doctorSettings are those of the server that its promises, or its speed, rest on.
var doctorSettings = []string{
	"autovacuum", "data_checksums", "default_transaction_read_only", "fsync", "full_page_writes",
	"max_connections", "server_version_num", "synchronous_commit",
}
