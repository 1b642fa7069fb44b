//go:build chaos

package chaos

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
)

// fault breaks something.
type fault struct {
	name string
	// hold fixes how long it lasts; 0 leaves that to the plan.
	hold  time.Duration
	begin beginning
}

// beginning answers what it chose and how to heal it; the suite starts dead processes and
// the server by itself afterwards.
type beginning func(ctx context.Context, w *world, r *rand.Rand) (detail string, heal func() error, err error)

// errNotHere says that this machine cannot have the fault. It counts as not run.
var errNotHere = errors.New("not possible here")

func nothing() error { return nil }

// allFaults is every fault of the suite.
func allFaults() []fault {
	all := []fault{
		{name: "admin-kill", begin: onAdmin(func(p *proc) func() error { p.kill9(); return p.start })},
		{name: "admin-freeze", begin: onAdmin(freeze)},
		{name: "admin-restart", hold: time.Second, begin: restartAdmins},
		{name: "executor-kill", begin: onExecutor(func(p *proc) func() error { p.kill9(); return p.start })},
		{name: "executor-freeze", begin: onExecutor(freeze)},
		{name: "executor-restart", hold: time.Second, begin: restartExecutors},
		{name: "executors-kill", begin: killExecutors},
		{name: "freeze-all", begin: freezeAll},
		{name: "freeze-all-90s", hold: 90 * time.Second, begin: freezeAll},
		{name: "clock-step", begin: wrongClock},
		{name: "pg-kill", begin: onPostgres(func(p *postgres) { p.crash() })},
		{name: "pg-immediate", begin: onPostgres(func(p *postgres) { _ = p.end(syscall.SIGQUIT, 20*time.Second) })},
		{name: "pg-restart", begin: onPostgres(func(p *postgres) { _ = p.end(syscall.SIGINT, 20*time.Second) })},
		{name: "pg-freeze", begin: freezePostgres},
		{name: "pg-exhaust", begin: exhaustPostgres},
		{name: "pg-readonly", begin: readOnlyPostgres},
		{name: "pg-terminate", hold: time.Second, begin: terminateSessions},
		{name: "pg-locked", begin: holdLocks},
		{name: "lock-row-deleted", hold: time.Second, begin: deleteLockRow},
		{name: "pg-disk-full", begin: func(_ context.Context, w *world, _ *rand.Rand) (string, func() error, error) {
			return fillDisk(w.pg.disk, "postgres")
		}},
		{name: "executor-disk-full", begin: func(_ context.Context, w *world, r *rand.Rand) (string, func() error, error) {
			e := pick(r, w.executors)
			return fillDisk(e.disk, e.name)
		}},
		{name: "malformed", hold: 2 * time.Second, begin: malformed},
		{name: "cpu-hog", hold: 6 * time.Second, begin: hogCPU},
	}
	for _, p := range Points {
		all = append(all, fault{name: "point:" + string(p), begin: breakAt(p)})
	}
	all = append(all, moments()...)
	all = append(all, splits()...)
	for _, m := range Modes {
		if m == Duplicate {
			continue
		}
		all = append(all,
			fault{name: "db:" + string(m), begin: breakEdges(m, (*world).dbEdges)},
			fault{name: "run:" + string(m), begin: breakEdges(m, (*world).runEdges)},
			fault{name: "callback:" + string(m), begin: breakEdges(m, (*world).callbackEdges)})
	}
	// Networks do not double requests, but relays that try again do. SQL has none, and
	// executors of XXL-JOB run twice what they are sent twice.
	all = append(all,
		fault{name: "run:duplicate", begin: breakEdges(Duplicate, (*world).ownRunEdges)},
		fault{name: "callback:duplicate", begin: breakEdges(Duplicate, (*world).callbackEdges)})
	single := slices.Clone(all)
	return append(all, fault{name: "two-at-once", begin: func(ctx context.Context, w *world, r *rand.Rand) (string, func() error, error) {
		return twoAtOnce(ctx, w, r, single)
	}})
}

// twoAtOnce breaks two things of different families, such as an executor that dies while
// its callbacks vanish.
func twoAtOnce(ctx context.Context, w *world, r *rand.Rand, single []fault) (string, func() error, error) {
	family := func(f fault) string {
		return strings.FieldsFunc(f.name, func(c rune) bool { return c == ':' || c == '-' })[0]
	}
	lasting := slices.DeleteFunc(slices.Clone(single), func(f fault) bool {
		return f.hold != 0 || slices.Contains([]string{"point", "kill", "clock"}, family(f)) || strings.HasSuffix(f.name, "disk-full")
	})
	a, b := pick(r, lasting), pick(r, lasting)
	for family(a) == family(b) {
		b = pick(r, lasting)
	}
	detailA, healA, errA := a.begin(ctx, w, r)
	detailB, healB, errB := b.begin(ctx, w, r)
	detail := fmt.Sprintf("%s %s, %s %s", a.name, detailA, b.name, detailB)
	return detail, func() error {
		errs := errors.Join(healB(), healA())
		// What needs the database heals once that is back.
		if errs != nil {
			errs = errors.Join(w.pg.up(ctx), healB(), healA())
		}
		return errs
	}, errors.Join(errA, errB)
}

// smokeFaults are those of make chaos-smoke: one of each family.
var smokeFaults = []string{
	"admin-kill", "executor-kill", "pg-kill", "admin-freeze", "executor-freeze", "db:cut", "run:swallow", "callback:drop",
	"split:admin-executor",
}

func pick[T any](r *rand.Rand, list []T) T { return list[r.IntN(len(list))] }

func onAdmin(do func(p *proc) func() error) beginning {
	return func(_ context.Context, w *world, r *rand.Rand) (string, func() error, error) {
		a := pick(r, w.admins)
		if r.IntN(3) > 0 { // most depends on the one that plans
			a = w.planner(a)
		}
		return a.name, do(a.proc), nil
	}
}

func onExecutor(do func(p *proc) func() error) beginning {
	return func(_ context.Context, w *world, r *rand.Rand) (string, func() error, error) {
		e := pick(r, w.executors)
		return e.name, do(e.proc), nil
	}
}

func onPostgres(do func(p *postgres)) beginning {
	return func(_ context.Context, w *world, _ *rand.Rand) (string, func() error, error) {
		do(w.pg)
		return "", nothing, nil
	}
}

func freeze(p *proc) func() error {
	p.freeze()
	return func() error { p.thaw(); return nil }
}

func freezePostgres(_ context.Context, w *world, _ *rand.Rand) (string, func() error, error) {
	return "", freeze(w.pg.proc), nil
}

// freezeAll is a machine that sleeps.
func freezeAll(_ context.Context, w *world, _ *rand.Rand) (string, func() error, error) {
	all := append(w.procs(), w.pg.proc)
	for _, p := range all {
		p.freeze()
	}
	return "", func() error {
		for _, p := range all {
			p.thaw()
		}
		return nil
	}, nil
}

func killExecutors(_ context.Context, w *world, _ *rand.Rand) (string, func() error, error) {
	for _, e := range w.executors {
		e.kill9()
	}
	return "", nothing, nil
}

// stopGrace is what a process gets for its end in order.
const stopGrace = 40 * time.Second

// restartAdmins is an update of one admin after the other, under load.
func restartAdmins(_ context.Context, w *world, _ *rand.Rand) (string, func() error, error) {
	for _, a := range w.admins {
		if err := a.end(syscall.SIGTERM, stopGrace); err != nil {
			return "", nothing, err
		}
		if err := a.start(); err != nil {
			return "", nothing, err
		}
		for end := time.Now().Add(30 * time.Second); !a.ready() && time.Now().Before(end); {
			time.Sleep(100 * time.Millisecond)
		}
	}
	return "", nothing, nil
}

func restartExecutors(_ context.Context, w *world, _ *rand.Rand) (string, func() error, error) {
	for _, e := range w.executors {
		if err := e.end(syscall.SIGTERM, stopGrace); err != nil {
			return "", nothing, err
		}
		if err := e.start(); err != nil {
			return "", nothing, err
		}
		time.Sleep(time.Second)
	}
	return "", nothing, nil
}

// exhaustPostgres leaves the admins together one connection, with the error that a full
// server gives.
func exhaustPostgres(ctx context.Context, w *world, _ *rand.Rand) (string, func() error, error) {
	heal := func() error {
		return w.pg.sql(context.Background(), "postgres", `ALTER ROLE gluewheel CONNECTION LIMIT -1`)
	}
	return "", heal, w.pg.sql(ctx, "postgres", `ALTER ROLE gluewheel CONNECTION LIMIT 1`, endSessions)
}

// endSessions ends the admins' connections.
const endSessions = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'gluewheel'`

func readOnlyPostgres(ctx context.Context, w *world, _ *rand.Rand) (string, func() error, error) {
	err := w.pg.sql(ctx, "postgres", `ALTER SYSTEM SET default_transaction_read_only = on`, `SELECT pg_reload_conf()`)
	return "", func() error {
		return w.pg.sql(context.Background(), "postgres", `ALTER SYSTEM RESET default_transaction_read_only`, `SELECT pg_reload_conf()`)
	}, err
}

func terminateSessions(ctx context.Context, w *world, _ *rand.Rand) (string, func() error, error) {
	return "", nothing, w.pg.sql(ctx, "postgres", endSessions)
}

// holdLocks keeps the lock rows of planning and a few open runs locked, as somebody's
// forgotten session does.
func holdLocks(ctx context.Context, w *world, _ *rand.Rand) (string, func() error, error) {
	conn, err := pgx.Connect(ctx, w.pg.url("postgres", w.pg.addr, "gluewheel"))
	if err != nil {
		return "", nothing, err
	}
	heal := func() error { return conn.Close(context.Background()) }
	for _, sql := range []string{
		`BEGIN`, `SET LOCAL lock_timeout = '2s'`, `SELECT FROM bucket_lock FOR UPDATE`,
		`SELECT FROM run WHERE ended_at IS NULL AND state = 3 LIMIT 5 FOR UPDATE SKIP LOCKED`,
	} {
		if _, err := conn.Exec(ctx, sql); err != nil {
			return "", heal, err
		}
	}
	return "", heal, nil
}

func deleteLockRow(ctx context.Context, w *world, _ *rand.Rand) (string, func() error, error) {
	return "", nothing, w.pg.sql(ctx, "gluewheel", `DELETE FROM bucket_lock`)
}

// breakAt ends sessions at a named point of the product's transactions.
func breakAt(p Point) beginning {
	return func(ctx context.Context, w *world, _ *rand.Rand) (string, func() error, error) {
		return "", func() error { return w.pg.sql(context.Background(), "gluewheel", BreakAt("")) },
			w.pg.sql(ctx, "gluewheel", BreakAt(p))
	}
}

func fillDisk(d *disk, whose string) (string, func() error, error) {
	if d == nil {
		return "", nothing, fmt.Errorf("%w: a small file system needs root", errNotHere)
	}
	return whose, d.free, d.fill()
}

// malformed is peers that speak nonsense to every port.
func malformed(_ context.Context, w *world, r *rand.Rand) (string, func() error, error) {
	head := "POST /api/callback HTTP/1.1\r\nHost: x\r\nXXL-JOB-ACCESS-TOKEN: " + token + "\r\nContent-Type: application/json\r\n"
	body := func(text string) string { return fmt.Sprintf("%sContent-Length: %d\r\n\r\n%s", head, len(text), text) }
	run := func(text string) string {
		return fmt.Sprintf("POST /run HTTP/1.1\r\nHost: x\r\nXXL-JOB-ACCESS-TOKEN: %s\r\nContent-Length: %d\r\n\r\n%s", token, len(text), text)
	}
	junk := make([]byte, 4096)
	for i := range junk {
		junk[i] = byte(r.Uint32())
	}
	messages := []string{
		string(junk), head, head + "Content-Length: 9999999999\r\n\r\n[", body(`[{"logId":`), body(`null`), body(`[null,{},[]]`),
		body(`[{"logId":"9223372036854775808","handleCode":{}}]`), body(`[{"logId":-1,"handleCode":200,"handleMsg":"\u0000"}]`),
		run(`{}`), run(`{"jobId":-1,"logId":0,"executorHandler":"witness","glueType":"BEAN"}`), run(`[[[[`), "\x16\x03\x01\x02\x00\x01",
	}
	var addrs []string
	for _, a := range w.admins {
		addrs = append(addrs, a.addr)
	}
	for _, e := range w.executors {
		addrs = append(addrs, e.in[0].Addr())
	}
	for _, addr := range addrs {
		for _, m := range messages {
			conn, err := net.DialTimeout("tcp", addr, time.Second)
			if err != nil {
				continue
			}
			_ = conn.SetDeadline(time.Now().Add(100 * time.Millisecond))
			_, _ = conn.Write([]byte(m))
			_, _ = conn.Read(make([]byte, 1024))
			conn.Close()
		}
	}
	return fmt.Sprintf("%d messages to each of %d ports", len(messages), len(addrs)), nothing, nil
}

// hogCPU leaves the processes little of the machine.
func hogCPU(context.Context, *world, *rand.Rand) (string, func() error, error) {
	var hogs []*exec.Cmd
	for range 4 {
		cmd := exec.Command("sh", "-c", "while :; do :; done")
		cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
		if err := cmd.Start(); err == nil {
			hogs = append(hogs, cmd)
		}
	}
	return fmt.Sprint(len(hogs), " loops"), func() error {
		for _, cmd := range hogs {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		}
		return nil
	}, nil
}
