package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

const (
	day = 24 * time.Hour
	// partitionsAhead is how many days of the ledger exist before they are needed.
	partitionsAhead = 7
	// partitionLock is the advisory lock under which partitions come and go; any number
	// that nothing else uses.
	partitionLock = 0x67776c70
	// checkViolation is what a row without a partition causes.
	checkViolation = "23514"
)

// partitionSettings suit a row's life: written once, updated twice soon after (HOT,
// hence the free room in each page: a claimed row is half as long again as a planned one,
// and what is claimed is soon running, which must fit beside it), then never again. Vacuum and analyse run early and
// without pauses, because statements must be planned well while the day is young.
const partitionSettings = `fillfactor = 36,
	autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 0,
	autovacuum_vacuum_insert_scale_factor = 0.2,
	autovacuum_analyze_scale_factor = 0.05, autovacuum_analyze_threshold = 5000`

// KeepPartitions makes the ledger's partitions from yesterday to a week ahead, by the
// database's clock.
func (s *Store) KeepPartitions(ctx context.Context) error {
	var now time.Time
	if err := s.pool.QueryRow(ctx, `SELECT clock_timestamp()`).Scan(&now); err != nil {
		return fmt.Errorf("read clock: %w", err)
	}
	days := make([]time.Time, 0, partitionsAhead+2)
	for d := -1; d <= partitionsAhead; d++ {
		days = append(days, now.Add(time.Duration(d)*day))
	}
	return s.makePartitions(ctx, days)
}

// withPartitions runs fn, and once more when the ledger had no partition for a row, after
// making those of the instants that fn tells. That happens when an outage was longer
// than partitions are kept, or than they are made ahead.
func (s *Store) withPartitions(ctx context.Context, fn func() (needed []time.Time, err error)) error {
	needed, err := fn()
	var pg *pgconn.PgError
	if !errors.As(err, &pg) || pg.Code != checkViolation || pg.ConstraintName != "" {
		return err
	}
	if err := s.makePartitions(ctx, needed); err != nil {
		return err
	}
	_, err = fn()
	return err
}

// makePartitions makes the missing partitions of the UTC days of the given instants.
func (s *Store) makePartitions(ctx context.Context, instants []time.Time) error {
	days := make([]time.Time, len(instants))
	for i, at := range instants {
		days[i] = at.UTC().Truncate(day)
	}
	slices.SortFunc(days, time.Time.Compare)
	for _, d := range slices.CompactFunc(days, time.Time.Equal) {
		if err := s.makePartition(ctx, d); err != nil {
			return fmt.Errorf("make ledger partition %s: %w", partitionName(d), err)
		}
	}
	return nil
}

// makePartition creates a table and attaches it, which, unlike creating it as a
// partition, does not wait for those who are using the ledger.
func (s *Store) makePartition(ctx context.Context, d time.Time) error {
	name := partitionName(d)
	return s.retryTx(ctx, func(tx pgx.Tx) error {
		if attached, err := isPartition(ctx, tx, name); err != nil || attached {
			return err
		}
		if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock($1)`, partitionLock); err != nil {
			return err
		}
		// Another admin may have made it while this one waited for the lock.
		if attached, err := isPartition(ctx, tx, name); err != nil || attached {
			return err
		}
		_, err := tx.Exec(ctx, fmt.Sprintf(`CREATE TABLE IF NOT EXISTS %[1]s (LIKE run INCLUDING DEFAULTS) WITH (%[2]s);
			ALTER TABLE run ATTACH PARTITION %[1]s FOR VALUES FROM ('%[3]s') TO ('%[4]s')`,
			name, partitionSettings, d.Format(time.RFC3339), d.Add(day).Format(time.RFC3339)))
		return err
	})
}

func isPartition(ctx context.Context, tx pgx.Tx, name string) (is bool, err error) {
	// By the catalog's rows and not by to_regclass, which may answer from before the lock.
	const sql = `SELECT EXISTS (SELECT FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
		WHERE i.inhparent = 'run'::regclass AND c.relname = $1)`
	err = tx.QueryRow(ctx, sql, name).Scan(&is)
	return is, err
}

func partitionName(d time.Time) string { return "run_" + d.Format("20060102") }

// partition is a table of one UTC day of the ledger.
type partition struct {
	Name     string
	Attached bool
	Pending  bool // a detach was interrupted
}

func (p partition) day() (time.Time, error) { return time.Parse("20060102", p.Name[len("run_"):]) }

// DropPartitions removes the days of the ledger that ended before the given instant and
// hold no open run, and returns their names. One admin does it at a time; for another
// it is nothing to do.
func (s *Store) DropPartitions(ctx context.Context, before time.Time) (dropped []string, err error) {
	err = s.pool.AcquireFunc(ctx, func(conn *pgxpool.Conn) error {
		var mine bool
		if err := conn.QueryRow(ctx, `SELECT pg_try_advisory_lock($1)`, partitionLock).Scan(&mine); err != nil || !mine {
			return err
		}
		// The lock is the session's: it must not go back into the pool with it.
		defer func() {
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), unlockTimeout)
			defer cancel()
			if _, err := conn.Exec(ctx, `SELECT pg_advisory_unlock($1)`, partitionLock); err != nil {
				_ = conn.Conn().Close(ctx)
			}
		}()
		dropped, err = dropPartitions(ctx, conn, before)
		return err
	})
	if err != nil {
		return dropped, fmt.Errorf("drop ledger partitions: %w", err)
	}
	return dropped, nil
}

const unlockTimeout = 3 * time.Second

func dropPartitions(ctx context.Context, conn *pgxpool.Conn, before time.Time) (dropped []string, err error) {
	const list = `
		SELECT c.relname AS name, i.inhrelid IS NOT NULL AS attached, coalesce(i.inhdetachpending, false) AS pending
		FROM pg_class c LEFT JOIN pg_inherits i ON i.inhrelid = c.oid AND i.inhparent = 'run'::regclass
		WHERE c.relkind = 'r' AND c.relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = 'run'::regclass)
			AND c.relname ~ '^run_[0-9]{8}$'
		ORDER BY c.relname`
	parts, err := many[partition](ctx, conn, list)
	if err != nil {
		return nil, err
	}
	for _, p := range parts {
		d, err := p.day()
		if err != nil || d.Add(day).After(before) {
			continue
		}
		gone, err := dropPartition(ctx, conn, p, d)
		if err != nil {
			return dropped, fmt.Errorf("%s: %w", p.Name, err)
		}
		if gone {
			dropped = append(dropped, p.Name)
		}
	}
	return dropped, nil
}

// dropPartition detaches without blocking those who use the ledger, and looks for open
// runs again before the table goes: one may have come in between, and then it is
// attached again.
func dropPartition(ctx context.Context, conn *pgxpool.Conn, p partition, d time.Time) (bool, error) {
	if open, err := hasOpen(ctx, conn, p.Name); err != nil || open && p.Attached && !p.Pending {
		return false, err
	}
	if p.Attached {
		how := "CONCURRENTLY"
		if p.Pending {
			how = "FINALIZE"
		}
		if _, err := conn.Exec(ctx, `ALTER TABLE run DETACH PARTITION `+p.Name+` `+how); err != nil {
			return false, err
		}
	}
	open, err := hasOpen(ctx, conn, p.Name)
	if err != nil {
		return false, err
	}
	if open {
		_, err := conn.Exec(ctx, fmt.Sprintf(`ALTER TABLE run ATTACH PARTITION %s FOR VALUES FROM ('%s') TO ('%s')`,
			p.Name, d.Format(time.RFC3339), d.Add(day).Format(time.RFC3339)))
		return false, err
	}
	_, err = conn.Exec(ctx, `DROP TABLE `+p.Name)
	return err == nil, err
}

func hasOpen(ctx context.Context, conn *pgxpool.Conn, name string) (open bool, err error) {
	err = conn.QueryRow(ctx, `SELECT EXISTS (SELECT FROM `+name+` WHERE ended_at IS NULL)`).Scan(&open)
	return open, err
}
