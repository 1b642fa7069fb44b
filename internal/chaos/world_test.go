//go:build chaos

package chaos

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/gluewheel/gluewheel/internal/freeaddr"
)

const (
	token    = "chaos-token-4b8d1e6f20"
	password = "chaos-Passw0rd-7a3c"
	appName  = "chaos-app"
)

// world is everything that runs.
type world struct {
	t   *testing.T
	dir string
	binaries
	pg        *postgres
	admins    []*adminProc
	executors []*executorProc
	foreign   []*foreign
	machine   reference

	mu     sync.Mutex
	deaths []Death
	exits  []Violation
}

// adminProc is an admin, the link to its database, and which address leads it where.
type adminProc struct {
	*proc
	addr  string
	db    *Link
	roads []string
}

func (a *adminProc) base() string { return "http://" + a.addr }

func (a *adminProc) ready() bool {
	client := http.Client{Timeout: 3 * time.Second}
	resp, err := client.Get(a.base() + "/readyz")
	if err != nil {
		return false
	}
	resp.Body.Close()
	return resp.StatusCode == http.StatusOK
}

// executorProc is an executor, the links by which admins call it, and its links to them.
type executorProc struct {
	*proc
	paths
	witness string
	disk    *disk // nil without root
}

// paths are the links between an executor and each admin, in the order of the admins.
type paths struct {
	door    string  // host and port that the executor registers
	in, out []*Link // from the admins, and to them
}

// base is the address that an executor registers, without its slash.
func (p *paths) base() string { return "http://" + p.door }

// newPaths makes the links of an executor that listens at addr.
func (w *world) newPaths(name, addr string) paths {
	p := paths{door: name + ".chaos:9999"}
	for _, a := range w.admins {
		in := w.link(addr)
		p.in, p.out = append(p.in, in), append(p.out, w.link(a.addr))
		a.roads = append(a.roads, p.door+"="+in.Addr())
	}
	return p
}

// newWorld starts a database, admins and executors.
func newWorld(t *testing.T, b binaries, admins, executors int) *world {
	t.Helper()
	w := &world{t: t, dir: worldDir(t), binaries: b}
	w.watchMachine()
	var err error
	w.pg, err = newPostgres(t.Context(), filepath.Join(w.dir, "pg"))
	require.NoError(t, err)
	t.Cleanup(w.stop)
	for i := range admins {
		w.addAdmin(fmt.Sprintf("admin-%d", i+1))
	}
	for i := range executors {
		w.addExecutor(fmt.Sprintf("executor-%d", i+1))
	}
	w.addForeign("foreign-1")
	// The first admin alone makes the schema; the suite watches it from then on.
	require.NoError(t, w.admins[0].start())
	w.await(60*time.Second, "the first admin is ready", w.admins[0].ready)
	require.NoError(t, w.watchLedger())
	require.NoError(t, w.startAll(t.Context()))
	w.await(60*time.Second, "everything runs", w.healthy)
	return w
}

// worldDir is short and open to passers-by, because Postgres runs as another user.
func worldDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "gluewheel-chaos-")
	require.NoError(t, err)
	require.NoError(t, os.Chmod(dir, 0o755))
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("logs, witness files and evidence.json are left in %s", dir)
			return
		}
		_ = os.RemoveAll(dir)
	})
	return dir
}

func (w *world) watchLedger() error {
	conn, err := pgx.Connect(w.t.Context(), w.pg.url("gluewheel", w.pg.addr, "gluewheel"))
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(w.t.Context()))
	_, err = conn.Exec(w.t.Context(), strings.Join([]string{WatchLedger, BreakAt(""), PointTriggers}, ";"), pgx.QueryExecModeSimpleProtocol)
	return err
}

func (w *world) link(target string) *Link {
	l, err := NewLink(target)
	require.NoError(w.t, err)
	w.t.Cleanup(l.Close)
	return l
}

func (w *world) addAdmin(name string) {
	addr, err := freeaddr.Get()
	require.NoError(w.t, err)
	a := &adminProc{addr: addr, db: w.link(w.pg.addr)}
	a.proc = w.proc(name, func() *exec.Cmd {
		cmd := exec.Command(w.admin, "admin")
		cmd.Env = w.env(name,
			"GLUEWHEEL_LISTEN="+addr,
			"GLUEWHEEL_DATABASE_URL="+w.pg.url("gluewheel", a.db.Addr(), "gluewheel"),
			"GLUEWHEEL_EXECUTOR_TOKEN="+token,
			"GLUEWHEEL_ADMIN_PASSWORD="+password,
			"GLUEWHEEL_DATA_DIR="+filepath.Join(w.dir, name),
			roadsEnv+"="+strings.Join(a.roads, ","),
		)
		return cmd
	})
	w.admins = append(w.admins, a)
}

func (w *world) addExecutor(name string) {
	addr, err := freeaddr.Get()
	require.NoError(w.t, err)
	home := filepath.Join(w.dir, name)
	data := filepath.Join(home, "data")
	require.NoError(w.t, os.MkdirAll(data, 0o755))
	e := &executorProc{paths: w.newPaths(name, addr), witness: filepath.Join(home, "witness")}
	if os.Geteuid() == 0 {
		e.disk = mountDisk(data, executorDisk)
	}
	var bases []string
	for _, l := range e.out {
		bases = append(bases, "http://"+l.Addr())
	}
	// Each prefers another admin, so that a broken one is noticed.
	n := len(w.executors) % len(bases)
	bases = append(bases[n:], bases[:n]...)
	e.proc = w.proc(name, func() *exec.Cmd {
		cmd := exec.Command(w.executor)
		cmd.Env = append(w.env(name,
			executorEnv+"=1", "CHAOS_BINARY="+w.admin, "CHAOS_ADMINS="+strings.Join(bases, ","),
			"CHAOS_LISTEN="+addr, "CHAOS_ADDRESS="+e.base()+"/",
			"CHAOS_DATA="+data, "CHAOS_WITNESS="+e.witness,
		), "HOME="+home)
		return cmd
	})
	w.executors = append(w.executors, e)
}

func (w *world) env(name string, own ...string) []string {
	return append([]string{"PATH=" + os.Getenv("PATH"), "TZ=UTC", "HOME=" + filepath.Join(w.dir, name), clockEnv + "=" + w.clockOf(name)}, own...)
}

// proc makes a process whose ends are written down.
func (w *world) proc(name string, make func() *exec.Cmd) *proc {
	return &proc{
		name: name, log: filepath.Join(w.dir, name+".log"),
		make: func() *exec.Cmd {
			cmd := make()
			cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
			return cmd
		},
		died: func(at time.Time, byItself bool) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.deaths = append(w.deaths, Death{name, at})
			if byItself {
				w.exits = append(w.exits, Violation{Kind: ProcessExit, Text: fmt.Sprintf("%s ended at %s", name, clock(at))})
			}
		},
	}
}

// startAll starts what does not run.
func (w *world) startAll(ctx context.Context) error {
	if err := w.pg.up(ctx); err != nil {
		return err
	}
	for _, p := range w.procs() {
		if err := p.start(); err != nil {
			return err
		}
	}
	return nil
}

func (w *world) procs() []*proc {
	var all []*proc
	for _, a := range w.admins {
		all = append(all, a.proc)
	}
	for _, e := range w.executors {
		all = append(all, e.proc)
	}
	return all
}

// healthy reports whether every admin plans and every executor has been heard of since
// it was started.
func (w *world) healthy() bool {
	for _, a := range w.admins {
		if !a.ready() {
			return false
		}
	}
	n, err := w.count(`SELECT count(*) FROM executor_node WHERE heartbeat_at > clock_timestamp() - interval '60 s'`)
	return err == nil && n == len(w.executors)+len(w.foreign)
}

// planner is the admin that planned last, or otherwise when nobody can tell.
func (w *world) planner(otherwise *adminProc) *adminProc {
	type owner struct {
		Name string `db:"name"`
	}
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Second)
	defer cancel()
	owners, err := query[owner](ctx, w, `SELECT n.name FROM bucket_lock b JOIN admin_node n ON n.id = b.owner`)
	if err != nil || len(owners) == 0 {
		return otherwise
	}
	for _, a := range w.admins {
		if strings.HasSuffix(owners[0].Name, a.addr) {
			return a
		}
	}
	return otherwise
}

// await polls until cond holds.
func (w *world) await(within time.Duration, what string, cond func() bool) {
	w.t.Helper()
	for end := time.Now().Add(within); !cond(); time.Sleep(100 * time.Millisecond) {
		if time.Now().After(end) {
			w.t.Log(w.logs(3000))
			require.FailNowf(w.t, "not in time", "not within %v: %s", within, what)
		}
	}
}

func (w *world) logs(n int) string {
	var b strings.Builder
	for _, p := range append(w.procs(), w.pg.proc) {
		fmt.Fprintf(&b, "last output of %s:\n%s\n", p.name, tail(p.log, n))
	}
	return b.String()
}

// query reads rows past every link.
func query[T any](ctx context.Context, w *world, sql string) ([]T, error) {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	conn, err := pgx.Connect(ctx, w.pg.url("postgres", w.pg.addr, "gluewheel"))
	if err != nil {
		return nil, err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	rows, err := conn.Query(ctx, sql)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByName[T])
}

func (w *world) count(sql string) (int, error) {
	type one struct {
		N int `db:"count"`
	}
	rows, err := query[one](context.Background(), w, sql)
	if err != nil {
		return 0, err
	}
	return rows[0].N, nil
}

// stop ends everything.
func (w *world) stop() {
	for _, p := range w.procs() {
		p.thaw()
		p.kill9()
	}
	for _, e := range w.executors {
		e.disk.unmount()
	}
	if w.pg.proc != nil {
		w.pg.thaw()
		_ = w.pg.end(syscall.SIGQUIT, 10*time.Second)
	}
	w.pg.disk.unmount()
}
