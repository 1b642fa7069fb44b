//go:build long

package e2e

import (
	"io"
	"net"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"
)

// link is a TCP relay in front of the database that a test can cut.
type link struct {
	listener        net.Listener
	network, target string // of the database's server
	mu              sync.Mutex
	cut             bool
	conns           map[net.Conn]bool
}

// newLink relays to the server of dbURL and answers a URL that goes through it.
func newLink(t *testing.T, dbURL string) (*link, string) {
	t.Helper()
	cfg, err := pgx.ParseConfig(dbURL)
	require.NoError(t, err)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	k := &link{listener: l, conns: map[net.Conn]bool{}}
	k.network, k.target = pgconn.NetworkAddress(cfg.Host, cfg.Port)
	t.Cleanup(func() { l.Close(); k.setCut(true) })
	go k.serve()
	u := url.URL{
		Scheme: "postgres", User: url.UserPassword(cfg.User, cfg.Password),
		Host: l.Addr().String(), Path: "/" + cfg.Database, RawQuery: "sslmode=disable",
	}
	return k, u.String()
}

func (k *link) serve() {
	for {
		in, err := k.listener.Accept()
		if err != nil {
			return
		}
		out, err := net.Dial(k.network, k.target)
		if err != nil || !k.track(in, out) {
			in.Close()
			continue
		}
		go func() { defer in.Close(); defer out.Close(); io.Copy(out, in) }()
		go func() { defer in.Close(); defer out.Close(); io.Copy(in, out) }()
	}
}

func (k *link) track(conns ...net.Conn) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, c := range conns {
		if k.cut {
			c.Close()
		} else {
			k.conns[c] = true
		}
	}
	return !k.cut
}

// setCut breaks every connection and refuses new ones, or heals the link.
func (k *link) setCut(cut bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.cut = cut
	if cut {
		for c := range k.conns {
			c.Close()
		}
		clear(k.conns)
	}
}

// TestDatabaseAway cuts the database off for two minutes while jobs fire and long runs
// end: nobody exits, results wait in the executor, nothing is called lost, and fires
// resume within 10 s.
func TestDatabaseAway(t *testing.T) {
	c := newCluster(t)
	k, url := newLink(t, c.dbURL)
	a, b := c.startAdminAt("admin-a", url), c.startAdminAt("admin-b", url)
	e1, e2 := c.startExecutor("executor-1", a, b), c.startExecutor("executor-2", b, a)
	cl := login(t, a.base(), password)
	group := cl.Group(appName)
	ids := startJobs(cl, group, 50, everySecond)
	long := startJobs(cl, group, 5, map[string]any{"schedule_type": "FIX_RATE", "schedule_conf": "30", "param": "40s"})
	time.Sleep(35 * time.Second)

	k.setCut(true)
	time.Sleep(2 * time.Minute)
	for _, p := range []*proc{a.proc, b.proc, e1.proc, e2.proc} {
		require.True(t, p.alive(), "%s runs on without the database", p.name)
	}
	machine := watchMachine(t)
	healed := time.Now()
	k.setCut(false)

	eventually(t, 10*time.Second, func() bool {
		return c.count(`SELECT count(*) FROM run WHERE claimed_at > $1 AND cause = 1`, healed) > 0
	}, "fires resume")
	took := time.Since(healed)
	require.Less(t, took, 10*time.Second+machine.stalls(), "until fires resume")
	time.Sleep(20 * time.Second)
	c.stopAll(cl, append(ids, long...))
	require.Empty(t, c.strings(`SELECT format('run %s of job %s: %s', id, job_id, message) FROM run WHERE state = 14`), "lost runs")
	requireOncePerRun(t, e1, e2)
	done := starts(t, e1, e2)
	for _, id := range c.ids(`SELECT id FROM run WHERE state = 10 AND address <> ''`) {
		require.Equal(t, 1, done[id], "run %d is called succeeded", id)
	}
	// What was missed is recorded by the misfire strategy: per job no second without a row.
	c.requireNoGaps()
}

// requireNoGaps checks that the rows of each job, ranges included, cover every second.
func (c *cluster) requireNoGaps() {
	c.t.Helper()
	gaps := c.strings(`
		WITH span AS (
			SELECT job_id, fire_at, coalesce(range_to, fire_at) AS until FROM run WHERE cause = 1 AND attempt = 0
		), next AS (
			SELECT job_id, until, lead(fire_at) OVER (PARTITION BY job_id ORDER BY fire_at) AS following FROM span
		)
		SELECT format('job %s: nothing between %s and %s', job_id, until, following)
		FROM next JOIN job ON job.id = job_id
		WHERE following - until > make_interval(secs => job.schedule_conf::int)`)
	require.Empty(c.t, gaps)
}
