//go:build long

package e2e

import (
	"fmt"
	"net/url"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const (
	// firstPage and deepPage are promised for a million runs in the ledger.
	firstPage = 100 * time.Millisecond
	deepPage  = 300 * time.Millisecond
	// asked is how often each page is asked for: the median must keep the promise.
	asked = 21
	// yardstick is how long slowness's work takes on two cores that do nothing else.
	yardstick = 25 * time.Millisecond
)

// look is a page that is asked for, and how soon it is to come.
type look struct {
	name, path string
	most       time.Duration
	items      bool // it is not empty
}

// TestReports_OverAMillionRuns asks an admin over HTTP for lists and for the figures of
// the dashboard, while the ledger holds a million runs of 30 days.
func TestReports_OverAMillionRuns(t *testing.T) {
	c := newCluster(t)
	c.fillLedger()
	a := c.startAdmin("admin")
	cl := login(t, a.base(), password)
	c.firstCount(cl)
	var missed []string
	for _, l := range slices.Concat(c.dashboard(), c.firstPages(), deepPages(cl)) {
		before := c.slowness()
		took := cl.timed(l)
		slow := max(before, c.slowness())
		median, p95 := took[asked/2], took[asked*95/100]
		t.Logf("%-50s median %6.1f ms, p95 %6.1f ms, best %6.1f ms; the machine was %.1f times slower than at rest", l.name, ms(median), ms(p95), ms(took[0]), slow)
		if ms(median) > ms(l.most)*slow {
			missed = append(missed, fmt.Sprintf("%s: median %v: %s", l.name, median, l.path))
		}
	}
	require.Empty(t, missed, "these took longer than promised")
}

// firstCount waits until the admin has counted what it found, which happens once, in
// steps, beside everything else; and tells how soon the dashboard answered meanwhile.
func (c *cluster) firstCount(cl *client) {
	c.t.Helper()
	begin := time.Now()
	var slowest time.Duration
	eventually(c.t, 3*time.Minute, func() bool {
		for _, l := range c.dashboard() {
			asked := time.Now()
			cl.Must("GET", l.path, nil, nil)
			slowest = max(slowest, time.Since(asked))
		}
		return c.count(`SELECT count(*) FROM tally WHERE counted > clock_timestamp() - interval '1 minute'`) == 1
	}, "the ledger is counted")
	c.t.Logf("beside the first count, which took %.1f s, no part of the dashboard took longer than %.0f ms", time.Since(begin).Seconds(), ms(slowest))
	c.exec(`ANALYZE run_count`)
	c.exec(`ANALYZE run_day`)
}

func (c *cluster) dashboard() []look {
	month := url.QueryEscape(c.clock().AddDate(0, 0, -ledgerDays).Format(time.RFC3339))
	return []look{
		{"dashboard: summary", "/reports/summary", firstPage, false},
		{"dashboard: summary of a group", "/reports/summary?group_id=107", firstPage, false},
		{"dashboard: runs of a day by hour", "/reports/runs", firstPage, true},
		{"dashboard: runs of a day by minute", "/reports/runs?step=minute", firstPage, true},
		{"dashboard: runs of 30 days by hour", "/reports/runs?from=" + month, firstPage, true},
		{"dashboard: runs of 30 days by day, of a group", "/reports/runs?step=day&group_id=107&from=" + month, firstPage, true},
		{"dashboard: slowest jobs", "/reports/jobs", firstPage, true},
		{"dashboard: failing jobs of 30 days", "/reports/jobs?order=failing&from=" + month, firstPage, true},
		{"dashboard: coming fires of a day", "/reports/upcoming?minutes=1440", firstPage, true},
		{"dashboard: latest runs of a job", "/jobs/7/history", firstPage, true},
	}
}

func (c *cluster) firstPages() []look {
	day := func(ago int) string { return url.QueryEscape(c.clock().AddDate(0, 0, -ago).Format(time.RFC3339)) }
	week := "from=" + day(14) + "&to=" + day(7)
	return []look{
		{"runs", "/runs", firstPage, true},
		{"runs, 500 a page", "/runs?limit=500", firstPage, true},
		{"runs of a job", "/runs?job_id=77", firstPage, true},
		{"runs of a group", "/runs?group_id=107", firstPage, true},
		{"runs that succeeded", "/runs?state=succeeded", firstPage, true},
		{"runs that failed", "/runs?state=failed", firstPage, true},
		{"runs that ended badly", "/runs?state=failed,timed_out,lost,killed", firstPage, true},
		{"lost runs", "/runs?state=lost", firstPage, true},
		{"discarded runs, of which there are none", "/runs?state=discarded", firstPage, false},
		{"runs under way, of which there are none", "/runs?state=running,unknown", firstPage, false},
		{"runs started by hand", "/runs?cause=manual", firstPage, true},
		{"runs of a week", "/runs?" + week, firstPage, true},
		{"runs by text: one job", "/runs?q=orders+1337", firstPage, true},
		{"runs by text: a quarter of the jobs", "/runs?q=SYNC", firstPage, true},
		{"runs by text: all jobs", "/runs?q=+", firstPage, true},
		{"runs by text: no job", "/runs?q=no+such+job", firstPage, false},
		{"failed runs of a group", "/runs?state=failed&group_id=107", firstPage, true},
		{"failed runs of a job", "/runs?state=failed&job_id=77", firstPage, false},
		{"failed runs of a week", "/runs?state=failed&" + week, firstPage, true},
		{"failed runs of a group in a week by text", "/runs?state=failed&group_id=107&q=bill&" + week, firstPage, true},
		{"runs of a job by hand in a week", "/runs?job_id=77&cause=manual&" + week, firstPage, false},
		{"runs of a group that succeeded, in a week", "/runs?state=succeeded&group_id=107&" + week, firstPage, true},
		// Lists of jobs are promised nothing by themselves.
		{"jobs with their latest runs", "/jobs?with=history", deepPage, true},
		{"jobs by text, by name", "/jobs?q=orders&sort=name", deepPage, true},
	}
}

// deepPages begin 20 days back, where a cursor of the list itself leads.
func deepPages(cl *client) []look {
	old := url.QueryEscape(time.Now().AddDate(0, 0, -20).Format(time.RFC3339))
	var out []look
	for _, l := range []look{
		{"runs, deep", "", deepPage, true},
		{"runs of a job, deep", "job_id=77", deepPage, true},
		{"runs of a group, deep", "group_id=107", deepPage, true},
		{"runs that failed, deep", "state=failed", deepPage, true},
		{"runs started by hand, deep", "cause=manual", deepPage, true},
		{"runs by text, deep", "q=sync", deepPage, true},
		{"failed runs of a group by text, deep", "state=failed&group_id=107&q=bill", deepPage, true},
	} {
		var page struct {
			NextCursor string `json:"next_cursor"`
		}
		cl.Must("GET", "/runs?limit=1&to="+old+"&"+l.path, nil, &page)
		require.NotEmpty(cl.T, page.NextCursor, l.name)
		l.path = "/runs?" + l.path + "&cursor=" + page.NextCursor
		out = append(out, l)
	}
	return out
}

// timed asks for a page a few times, after once to warm up, and tells how long each took,
// the shortest first.
func (c *client) timed(l look) []time.Duration {
	c.T.Helper()
	var page struct{ Items []any }
	c.Must("GET", l.path, nil, &page)
	if l.items {
		require.NotEmpty(c.T, page.Items, l.name)
	}
	took := make([]time.Duration, asked)
	for i := range took {
		begin := time.Now()
		c.Must("GET", l.path, nil, nil)
		took[i] = time.Since(begin)
	}
	slices.Sort(took)
	return took
}

// slowness is by how much the machine is slower now than one at rest, at work of the
// database that has nothing to do with what is measured; at least 1.
func (c *cluster) slowness() float64 {
	c.t.Helper()
	took := make([]time.Duration, 5)
	for i := range took {
		begin := time.Now()
		c.count(`SELECT count(*) FROM generate_series(1, 200000)`)
		took[i] = time.Since(begin)
	}
	slices.Sort(took)
	return max(1, took[len(took)/2].Seconds()/yardstick.Seconds())
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
