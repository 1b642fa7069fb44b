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

// moments are kills and freezes of an admin at a named point: in the middle of a
// transaction, right after a commit, or while bytes pass.
func moments() []fault {
	all := []fault{
		{name: "kill:after-send", begin: onRequest("/run", ownRunLinks)},
		{name: "kill:before-completion", begin: onRequest("/callback", callbackLinks)},
	}
	for _, p := range []Point{AfterLock, PlanWritten, PlanCommit, ClaimCommit, EndWritten, EndCommit} {
		all = append(all, fault{name: "kill:" + string(p), begin: insideTransaction(p)})
	}
	for _, p := range []Point{AfterPlan, AfterClaim} {
		all = append(all, fault{name: "kill:" + string(p), begin: afterCommit(p)})
	}
	return all
}

// strike kills or freezes an admin for good or ill.
func strike(a *adminProc, r *rand.Rand) (string, func() error) {
	if r.IntN(2) == 0 {
		a.kill9()
		return "killed " + a.name, a.start
	}
	return "froze " + a.name, freeze(a.proc)
}

// insideTransaction makes the first session that comes to the point wait there, and
// strikes the admin that it belongs to.
func insideTransaction(p Point) func(context.Context, *world, *rand.Rand) (string, func() error, error) {
	return func(ctx context.Context, w *world, r *rand.Rand) (string, func() error, error) {
		disarm := func() error { return w.pg.sql(context.Background(), "gluewheel", BreakAt("")) }
		if err := w.pg.sql(ctx, "gluewheel", HoldAt(p)); err != nil {
			return "", disarm, err
		}
		conn, err := pgx.Connect(ctx, w.pg.url("postgres", w.pg.addr, "gluewheel"))
		if err != nil {
			return "", disarm, err
		}
		defer conn.Close(context.WithoutCancel(ctx))
		const held = `SELECT client_port FROM pg_stat_activity WHERE application_name = '` + heldSession + `' AND state = 'active' LIMIT 1`
		for end := time.Now().Add(reachWithin); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
			var port int
			if conn.QueryRow(ctx, held).Scan(&port) != nil {
				continue
			}
			for _, a := range w.admins {
				if a.db.Owns(port) {
					detail, heal := strike(a, r)
					return detail, heal, disarm()
				}
			}
		}
		return "not reached", nothing, disarm()
	}
}

// afterCommit strikes the admin whose rows have just been committed, before it can act
// on them: a claim comes up to a second before its request.
func afterCommit(p Point) func(context.Context, *world, *rand.Rand) (string, func() error, error) {
	return func(ctx context.Context, w *world, r *rand.Rand) (string, func() error, error) {
		disarm := func() error { return w.pg.sql(context.Background(), "gluewheel", BreakAt("")) }
		conn, err := pgx.Connect(ctx, w.pg.url("postgres", w.pg.addr, "gluewheel"))
		if err != nil {
			return "", disarm, err
		}
		defer conn.Close(context.WithoutCancel(ctx))
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
		detail, heal := strike(a, r)
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

// onRequest strikes an admin while a request of a kind passes: the one that is asked, or
// the one that plans and so sends most.
func onRequest(path string, of func(*world) []namedLink) func(context.Context, *world, *rand.Rand) (string, func() error, error) {
	return func(_ context.Context, w *world, r *rand.Rand) (string, func() error, error) {
		passed := make(chan *Link, 1)
		links := of(w)
		for _, l := range links {
			l.OnRequest(func(piece []byte) {
				if bytes.Contains(piece, []byte(path)) {
					select {
					case passed <- l.Link:
					default: // the first is enough
					}
				}
			})
		}
		defer func() {
			for _, l := range links {
				l.OnRequest(nil)
			}
		}()
		select {
		case <-time.After(reachWithin):
			return "not reached", nothing, nil
		case l := <-passed:
			a := w.adminBehind(l)
			if a == nil {
				a = w.planner(w.admins[0])
			}
			detail, heal := strike(a, r)
			return detail, heal, nil
		}
	}
}

// adminBehind is the admin that a link leads to, nil when it leads to none.
func (w *world) adminBehind(l *Link) *adminProc {
	for _, a := range w.admins {
		if l.target == a.addr {
			return a
		}
	}
	return nil
}
