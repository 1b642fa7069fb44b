//go:build long

package e2e

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// daemon is a `gluewheel executor` process, which serves its profiles too.
type daemon struct {
	*proc
	c                *cluster
	name, addr, prof string
	dir              string
	admin            *admin
}

// startDaemon starts an executor as it is shipped and waits for its registration.
func (c *cluster) startDaemon(name string, a *admin) *daemon {
	c.t.Helper()
	d := &daemon{c: c, name: name, addr: freeAddr(c.t), prof: freeAddr(c.t), dir: c.t.TempDir(), admin: a}
	d.restart()
	return d
}

// restart starts the process (again) on the same data and address.
func (d *daemon) restart() {
	d.c.t.Helper()
	began := d.c.clock()
	d.proc = startProc(d.c.t, d.name, binary, []string{"executor"}, []string{
		"GLUEWHEEL_ADMIN_ADDRESSES=" + d.admin.base(),
		"GLUEWHEEL_APP_NAME=" + appName,
		"GLUEWHEEL_EXECUTOR_TOKEN=" + token,
		"GLUEWHEEL_EXECUTOR_LISTEN=" + d.addr,
		"GLUEWHEEL_DATA_DIR=" + d.dir,
		"GLUEWHEEL_PPROF=" + d.prof,
	})
	eventually(d.c.t, 30*time.Second, func() bool {
		return d.c.count(`SELECT count(*) FROM executor_node WHERE address LIKE '%' || $1 || '%' AND heartbeat_at > $2`, d.addr, began) == 1
	}, "%s registers", d.name)
}

// settledMiB is the process's resident memory after a forced collection, in MiB.
func (d *daemon) settledMiB() int {
	d.c.t.Helper()
	collect(d.c.t, d.prof)
	return d.rssMiB()
}

// collect has the process that serves its profiles at addr collect its garbage.
func collect(t *testing.T, addr string) {
	t.Helper()
	resp, err := http.Get("http://" + addr + "/debug/pprof/heap?gc=1")
	require.NoError(t, err)
	defer resp.Body.Close()
	require.Equal(t, http.StatusOK, resp.StatusCode)
}
