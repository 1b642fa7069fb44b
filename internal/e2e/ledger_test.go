//go:build long

package e2e

import (
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/admin/job"
)

const (
	ledgerRuns   = 1_000_000
	ledgerDays   = 30
	ledgerJobs   = 2000
	ledgerGroups = 40
)

// fillLedger writes a million runs of 2,000 jobs in 40 groups, spread evenly over the 30
// days until now, as COPY does it. The jobs fire once a day, and not while a test looks.
func (c *cluster) fillLedger() {
	c.t.Helper()
	begin := time.Now()
	c.exec(`INSERT INTO job_group (id, app_name, title) SELECT 100 + n, 'app-' || n, 'Group ' || n FROM generate_series(0, $1::int - 1) n`, ledgerGroups)
	c.exec(`INSERT INTO job (id, group_id, name, glue_type, handler, schedule_type, schedule_conf, enabled, next_fire)
		SELECT 1 + n, 100 + n % $2::int, (ARRAY['nightly report', 'sync orders', 'clean up', 'bill'])[1 + n % 4] || ' ' || n,
			'BEAN', 'h', 'FIX_RATE', '86400', true, clock_timestamp() + interval '1 hour' + n * interval '20 seconds'
		FROM generate_series(0, $1::int - 1) n`, ledgerJobs, ledgerGroups)
	c.exec(`SELECT setval(pg_get_serial_sequence('job', 'id'), $1::int)`, ledgerJobs)
	now := c.clock().UTC().Truncate(time.Microsecond)
	first := now.AddDate(0, 0, -ledgerDays)
	for day := first.Truncate(24 * time.Hour); !day.After(now); day = day.AddDate(0, 0, 1) {
		c.exec(fmt.Sprintf(`CREATE TABLE IF NOT EXISTS run_%s PARTITION OF run FOR VALUES FROM ('%s') TO ('%s')`,
			day.Format("20060102"), day.Format(time.RFC3339), day.AddDate(0, 0, 1).Format(time.RFC3339)))
	}
	n, err := c.db.CopyFrom(c.t.Context(), pgx.Identifier{"run"}, ledgerColumns, ledgerRows(first))
	require.NoError(c.t, err)
	require.EqualValues(c.t, ledgerRuns, n)
	for _, table := range []string{"run", "job", "job_group"} {
		c.exec(`ANALYZE ` + table)
	}
	c.t.Logf("%d runs of %d days were written in %.1f s", n, ledgerDays, time.Since(begin).Seconds())
}

func (c *cluster) exec(sql string, args ...any) {
	c.t.Helper()
	_, err := c.db.Exec(c.t.Context(), sql, args...)
	require.NoError(c.t, err, sql)
}

var ledgerColumns = []string{
	"id", "fire_at", "due_at", "job_id", "group_id", "cause", "state", "outcome", "reason", "address",
	"claimed_at", "started_at", "ended_at",
}

// ledgerRows are the runs from an instant on: 92 in 100 succeed, 5 fail, and each of the
// other ends has its share; 1 in 50 was started by hand.
func ledgerRows(first time.Time) pgx.CopyFromSource {
	const step = ledgerDays * 24 * time.Hour / ledgerRuns
	n := 0
	return pgx.CopyFromFunc(func() ([]any, error) {
		if n == ledgerRuns {
			return nil, nil
		}
		at := first.Add(time.Duration(n) * step)
		// A job that the last bits of n do not choose: ends and causes are spread over all.
		jobIndex := n * 7919 % ledgerJobs
		state, cause := job.Succeeded, job.CauseSchedule
		switch share := n % 1000; {
		case share < 50:
			state = job.Failed
		case share < 60:
			state = job.TimedOut
		case share < 65:
			state = job.Killed
		case share < 67:
			state = job.Lost
		}
		if n%50 == 49 {
			cause = job.CauseManual
		}
		n++
		started := at.Add(time.Duration(3+n%40) * time.Millisecond)
		return []any{
			job.RunID(at, int64(n)), at, at, int32(1 + jobIndex), int32(100 + jobIndex%ledgerGroups), int16(cause), int16(state), int16(state), "",
			"http://10.0.0.1:9999", at, started, started.Add(time.Duration(n%700) * time.Millisecond),
		}, nil
	})
}
