//go:build long

package e2e

import (
	"testing"
	"time"

	"github.com/gluewheel/gluewheel/admin/store/storetest"
)

// pageJobs is for how many jobs the page is promised to be quick.
const pageJobs = 10_000

// TestPage_IsQuickOverAMillionRuns measures the lists and the dashboard in headless
// Chromium, while there are 10,000 jobs and a million runs.
func TestPage_IsQuickOverAMillionRuns(t *testing.T) {
	b := findBrowser(t)
	c := newCluster(t)
	c.fillLedger()
	c.exec(`INSERT INTO job (id, group_id, name, glue_type, handler, schedule_type, schedule_conf, enabled, next_fire)
		SELECT n, 100 + n % $3::int, (ARRAY['nightly report', 'sync orders', 'clean up', 'bill'])[1 + n % 4] || ' ' || n,
			'BEAN', 'h', 'FIX_RATE', '86400', true, clock_timestamp() + interval '1 hour' + n * interval '5 seconds'
		FROM generate_series($1::int + 1, $2::int) n`, ledgerJobs, pageJobs, ledgerGroups)
	c.exec(`SELECT setval(pg_get_serial_sequence('job', 'id'), $1::int)`, pageJobs)
	c.exec(`ANALYZE job`)
	url := startStandalone(t, c.dbURL)
	eventually(t, 3*time.Minute, func() bool {
		return c.count(`SELECT count(*) FROM tally WHERE counted > clock_timestamp() - interval '1 minute'`) == 1
	}, "the runs are counted for the first time")
	b.drive(t, url, "measure", "lists")
}

// TestPage_IsQuickFromTheFirstMinute measures in headless Chromium, on a fresh
// standalone: the way to the first job that fires, a log of 200 MB, and how soon a line
// of a log is seen.
func TestPage_IsQuickFromTheFirstMinute(t *testing.T) {
	b := findBrowser(t)
	b.drive(t, startStandalone(t, storetest.URL(t)), "measure", "newcomer", "log")
}
