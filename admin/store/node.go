package store

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gluewheel/gluewheel/admin/job"
)

const (
	// liveFor is how long an admin counts as live after its heartbeat, which comes each
	// second. The planning window is as long: a dead admin's share of the buckets is
	// free again before what it had planned has run out.
	liveFor = 5 * time.Second
	// outageAfter is the silence of all admins after which an outage is recorded.
	outageAfter = 15 * time.Second
	// forgetNodeAfter is when a dead admin's row is removed. Nothing refers to it.
	forgetNodeAfter = 24 * time.Hour
)

// RegisterNode makes a row for a starting admin and returns its id, which no other
// process ever gets.
func (s *Store) RegisterNode(ctx context.Context, name string) (int32, error) {
	const sql = `
		WITH forgotten AS (DELETE FROM admin_node WHERE heartbeat_at < clock_timestamp() - $2::interval)
		INSERT INTO admin_node (name) VALUES ($1) RETURNING id`
	var id int32
	if err := s.pool.QueryRow(ctx, sql, name, forgetNodeAfter).Scan(&id); err != nil {
		return 0, fmt.Errorf("register admin %s: %w", name, err)
	}
	return id, nil
}

// Heartbeat keeps an admin live, bringing its row back if that was removed, and tells
// the state of the cluster. The first heartbeat after outageAfter without any records
// the end of an outage. clock is how the admin's own was found to be by the heartbeat
// before; nil = not known yet.
func (s *Store) Heartbeat(ctx context.Context, id int32, name string, clock *job.ClockReading) (job.Pulse, error) {
	const sql = `
		WITH beat AS (
			INSERT INTO admin_node (id, name, clock_ahead, clock_doubt) OVERRIDING SYSTEM VALUE VALUES (@id, @name, @ahead, @doubt)
			ON CONFLICT (id) DO UPDATE SET heartbeat_at = clock_timestamp(),
				clock_ahead = excluded.clock_ahead, clock_doubt = excluded.clock_doubt
		), alive AS (
			UPDATE cluster SET last_alive_at = clock_timestamp(), outage_ended_at = ` + outageEnd + `
			RETURNING outage_ended_at, change_counter
		)
		SELECT clock_timestamp() AS now, alive.change_counter, alive.outage_ended_at,
			1 + (SELECT count(*) FROM admin_node WHERE id <> @id AND heartbeat_at > clock_timestamp() - @live_for::interval) AS live
		FROM alive`
	args := pgx.StrictNamedArgs{"id": id, "name": name, "ahead": nil, "doubt": nil, "live_for": liveFor, "outage_after": outageAfter}
	if clock != nil {
		args["ahead"], args["doubt"] = clock.Ahead, clock.Doubt
	}
	pulse, err := one[job.Pulse](ctx, s.pool, sql, args)
	if err != nil {
		return job.Pulse{}, fmt.Errorf("heartbeat of admin %d: %w", id, err)
	}
	return pulse, nil
}

// AdminClocks tells how the clocks of live admins stand, of those that have told.
func (s *Store) AdminClocks(ctx context.Context) ([]job.AdminClock, error) {
	const sql = `
		SELECT name, clock_ahead AS ahead, clock_doubt AS doubt FROM admin_node
		WHERE heartbeat_at > clock_timestamp() - $1::interval AND clock_ahead IS NOT NULL AND clock_doubt IS NOT NULL
		ORDER BY name, id`
	clocks, err := many[job.AdminClock](ctx, s.pool, sql, liveFor)
	if err != nil {
		return nil, fmt.Errorf("read clocks of admins: %w", err)
	}
	return clocks, nil
}

// outageEnd is when the last outage ended: now, when there is one that no heartbeat has
// ended yet.
const outageEnd = `CASE WHEN last_alive_at < clock_timestamp() - @outage_after::interval
	THEN clock_timestamp() ELSE outage_ended_at END`

// RemoveNode takes an admin that stops out of the count of live ones.
func (s *Store) RemoveNode(ctx context.Context, id int32) error {
	if _, err := s.pool.Exec(ctx, `DELETE FROM admin_node WHERE id = $1`, id); err != nil {
		return fmt.Errorf("remove admin %d: %w", id, err)
	}
	return nil
}

// ChangeCounter reads the counter that moves with every change of jobs, groups,
// addresses and versions.
func (s *Store) ChangeCounter(ctx context.Context) (int64, error) {
	var n int64
	if err := s.pool.QueryRow(ctx, `SELECT change_counter FROM cluster`).Scan(&n); err != nil {
		return 0, fmt.Errorf("read change counter: %w", err)
	}
	return n, nil
}
