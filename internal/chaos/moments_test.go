//go:build chaos

package chaos

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// reachWithin is how long a moment is waited for before the fault counts as missed.
const reachWithin = 5 * time.Second

// moments are kills and freezes of an admin, an executor or Postgres at a named point: in
// the middle of a transaction, right after a commit, or while bytes pass.
func moments() []fault {
	asked := func(e edge) *proc { return e.admin.proc }
	executor := func(e edge) *proc { return e.own.proc }
	all := []fault{
		{name: "kill:after-send", begin: onRequest("/run", (*world).ownRunEdges, asked)},
		{name: "kill:before-completion", begin: onRequest("/callback", (*world).callbackEdges, asked)},
		{name: "kill:executor-after-send", begin: onRequest("/run", (*world).ownRunEdges, executor)},
		{name: "kill:executor-before-completion", begin: onRequest("/callback", (*world).ownCallbackEdges, executor)},
	}
	for _, p := range []Point{AfterLock, PlanWritten, PlanCommit, ClaimCommit, EndWritten, EndCommit} {
		all = append(all, fault{name: "kill:" + string(p), begin: insideTransaction(p, strikeOwner)})
	}
	for _, p := range []Point{PlanCommit, ClaimCommit, EndCommit} {
		all = append(all, fault{name: "kill:pg-" + string(p), begin: insideTransaction(p, strikePostgres)})
	}
	for _, p := range []Point{AfterPlan, AfterClaim} {
		all = append(all, fault{name: "kill:" + string(p), begin: afterCommit(p)})
	}
	return all
}

// strike kills or freezes a process for good or ill.
func strike(p *proc, r *rand.Rand) (string, func() error) {
	if r.IntN(2) == 0 {
		p.kill9()
		return "killed " + p.name, p.start
	}
	return "froze " + p.name, freeze(p)
}

// strikeOwner strikes the admin whose session comes from a port.
func strikeOwner(w *world, port int, r *rand.Rand) (string, func() error) {
	for _, a := range w.admins {
		if a.db.Owns(port) {
			return strike(a.proc, r)
		}
	}
	return "an admin that is gone", nothing
}

func strikePostgres(w *world, _ int, r *rand.Rand) (string, func() error) {
	if r.IntN(2) == 0 {
		w.pg.crash()
		return "killed postgres", nothing
	}
	return "froze postgres", freeze(w.pg.proc)
}

// insideTransaction makes the first session that comes to the point wait there, which
// hit learns by its port.
func insideTransaction(p Point, hit func(w *world, port int, r *rand.Rand) (string, func() error)) beginning {
	return func(ctx context.Context, w *world, r *rand.Rand) (string, func() error, error) {
		disarm := func() error { return w.pg.sql(context.Background(), "gluewheel", BreakAt("")) }
		if err := w.pg.sql(ctx, "gluewheel", HoldAt(p)); err != nil {
			return "", disarm, err
		}
		conn, err := pgx.Connect(ctx, w.pg.url("postgres", w.pg.addr, "gluewheel"))
		if err != nil {
			return "", disarm, err
		}
		defer closeSoon(conn)
		const held = `SELECT client_port FROM pg_stat_activity WHERE application_name = '` + heldSession + `' AND state = 'active' LIMIT 1`
		for end := time.Now().Add(reachWithin); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
			var port int
			if conn.QueryRow(ctx, held).Scan(&port) != nil {
				continue
			}
			// No other session shall be held; this one is for the rest of its second.
			if err := disarm(); err != nil {
				return "", disarm, err
			}
			detail, heal := hit(w, port, r)
			return detail, heal, nil
		}
		return "not reached", nothing, disarm()
	}
}

// closeSoon does not wait for a server that is frozen.
func closeSoon(conn *pgx.Conn) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = conn.Close(ctx)
}

// afterCommit strikes the admin whose rows have just been committed, before it can act
// on them: a claim comes up to a second before its request.
func afterCommit(p Point) beginning {
	return func(ctx context.Context, w *world, r *rand.Rand) (string, func() error, error) {
		disarm := func() error { return w.pg.sql(context.Background(), "gluewheel", BreakAt("")) }
		conn, err := pgx.Connect(ctx, w.pg.url("postgres", w.pg.addr, "gluewheel"))
		if err != nil {
			return "", disarm, err
		}
		defer closeSoon(conn)
		if _, err := conn.Exec(ctx, `LISTEN `+pointChannel); err != nil {
			return "", disarm, err
		}
		if err := w.pg.sql(ctx, "gluewheel", TellAt(p)); err != nil {
			return "", disarm, err
		}
		wait, cancel := context.WithTimeout(ctx, reachWithin)
		defer cancel()
		n, err := conn.WaitForNotification(wait)
		if err != nil {
			return "not reached", nothing, disarm()
		}
		a := w.nodeOf(n.Payload)
		if a == nil {
			return "an admin that is gone", nothing, disarm()
		}
		detail, heal := strike(a.proc, r)
		return detail, heal, disarm()
	}
}

// nodeOf is the admin with a number in the ledger.
func (w *world) nodeOf(id string) *adminProc {
	n, err := strconv.Atoi(id)
	if err != nil {
		return nil
	}
	type node struct {
		Name string `db:"name"`
	}
	nodes, err := query[node](context.Background(), w, fmt.Sprintf(`SELECT name FROM admin_node WHERE id = %d`, n))
	if err != nil || len(nodes) == 0 {
		return nil
	}
	for _, a := range w.admins {
		if strings.HasSuffix(nodes[0].Name, a.addr) {
			return a
		}
	}
	return nil
}

// onRequest strikes one of those that a request of a kind passes between.
func onRequest(path string, of func(*world) []edge, victim func(edge) *proc) beginning {
	return func(_ context.Context, w *world, r *rand.Rand) (string, func() error, error) {
		passed := make(chan edge, 1)
		edges := of(w)
		for _, e := range edges {
			e.OnRequest(func(piece []byte) {
				if bytes.Contains(piece, []byte(path)) {
					select {
					case passed <- e:
					default: // the first is enough
					}
				}
			})
		}
		defer func() {
			for _, e := range edges {
				e.OnRequest(nil)
			}
		}()
		select {
		case <-time.After(reachWithin):
			return "not reached", nothing, nil
		case e := <-passed:
			detail, heal := strike(victim(e), r)
			return detail, heal, nil
		}
	}
}
