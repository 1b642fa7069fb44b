//go:build long

package e2e

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/admin/store/storetest"
)

const (
	token    = "e2e-token-9f2c41d07b"
	password = "e2e-Passw0rd-5d1e"
	appName  = "e2e-app"
)

// binary is the program under test, built once for the package without -race: its
// figures are part of what is promised.
var binary string

func TestMain(m *testing.M) {
	if os.Getenv(executorEnv) != "" {
		os.Exit(runExecutor())
	}
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "gluewheel-e2e-")
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer os.RemoveAll(dir)
		binary = filepath.Join(dir, "gluewheel")
		build := exec.Command("go", "build", "-o", binary, "github.com/gluewheel/gluewheel/cmd/gluewheel")
		build.Stdout, build.Stderr = os.Stderr, os.Stderr
		if err := build.Run(); err != nil {
			fmt.Fprintln(os.Stderr, "build gluewheel:", err)
			return 1
		}
		return m.Run()
	}())
}

// cluster is one database and the admins and executors over it.
type cluster struct {
	t     *testing.T
	dbURL string
	db    *pgx.Conn
}

func newCluster(t *testing.T) *cluster {
	t.Helper()
	url := storetest.URL(t)
	return &cluster{t: t, dbURL: url, db: connect(t, url)}
}

func connect(t *testing.T, url string) *pgx.Conn {
	t.Helper()
	db, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	t.Cleanup(func() { _ = db.Close(context.Background()) })
	return db
}

// admin is one admin process.
type admin struct {
	*proc
	addr string
}

func (a *admin) base() string { return "http://" + a.addr }

// startAdmin starts an admin on a database URL and waits until it can fire jobs.
func (c *cluster) startAdmin(name string) *admin {
	c.t.Helper()
	return c.startAdminAt(name, c.dbURL)
}

func (c *cluster) startAdminAt(name, dbURL string) *admin {
	c.t.Helper()
	a := c.launchAdmin(name, dbURL)
	eventually(c.t, 30*time.Second, a.ready, "%s is ready", name)
	return a
}

// launchAdmin starts an admin and does not wait.
func (c *cluster) launchAdmin(name, dbURL string) *admin {
	c.t.Helper()
	addr := freeAddr(c.t)
	return &admin{addr: addr, proc: startProc(c.t, name, binary, []string{"admin"}, []string{
		"GLUEWHEEL_LISTEN=" + addr,
		"GLUEWHEEL_DATABASE_URL=" + dbURL,
		"GLUEWHEEL_EXECUTOR_TOKEN=" + token,
		"GLUEWHEEL_ADMIN_PASSWORD=" + password,
	})}
}

func (a *admin) ready() bool {
	resp, err := http.Get(a.base() + "/readyz")
	if err != nil {
		return false
	}
	resp.Body.Close()
	return resp.StatusCode == 200
}

// query reads one value.
func (c *cluster) count(sql string, args ...any) int {
	c.t.Helper()
	var n int
	require.NoError(c.t, c.db.QueryRow(c.t.Context(), sql, args...).Scan(&n), sql)
	return n
}

// offenders shows the runs that a condition selects, at most 20 of them.
func (c *cluster) offenders(where string, args ...any) []string {
	c.t.Helper()
	return c.strings(`
		SELECT format('run %s of job %s: state %s, reason %s, cause %s, fire_at %s, due_at %s, claimed_at %s, ended_at %s, '
			|| 'owner %s, epoch %s, address %s, job version %s, code version %s: %s',
			id, job_id, state, reason, cause, fire_at, due_at, claimed_at, ended_at,
			owner, epoch, address, job_version, glue_version, message)
		FROM run WHERE `+where+` ORDER BY due_at, id LIMIT 20`, args...)
}

// strings reads one column.
func (c *cluster) strings(sql string, args ...any) []string {
	c.t.Helper()
	rows, err := c.db.Query(c.t.Context(), sql, args...)
	require.NoError(c.t, err)
	out, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(c.t, err)
	return out
}
