package dispatch

import (
	"context"
	"sync"
	"time"

	"github.com/gluewheel/gluewheel/admin/job"
	"github.com/gluewheel/gluewheel/admin/outage"
)

const (
	// executorGrace is how long after its instant a run waits for an executor, when none
	// of its group is registered: longer than an executor that restarts is away, or an
	// admin needs to hear of one that registered with another admin.
	executorGrace = 5 * time.Second
	// roomPatience is how long after its instant a run that its job's limit keeps back is
	// tried by this admin. Later the sweeper offers it, the oldest of a job first.
	roomPatience = 2 * time.Second
	// lobbyEvery is how often those that wait for an executor look for one, which costs no
	// statement, and those that wait for room are claimed again, all in one.
	lobbyEvery = 100 * time.Millisecond
	// lobbyShare is the part of Config.Capacity that may wait, beside what is sent.
	lobbyShare = 4
)

// lobby holds runs whose group has no executor, and runs that their job's limit keeps
// back. Their rows stay planned, so that edits cancel them and other admins may send them.
type lobby struct {
	limit int

	mu      sync.Mutex
	waiting map[int64]guest // by run
}

type guest struct {
	routed
	group *job.Group // whose executors are waited for; nil = waits for room
}

func (l *lobby) init(limit int) { l.limit, l.waiting = limit, map[int64]guest{} }

// add lets a run wait. One that finds no place is left to the sweeper.
func (l *lobby) add(r *routed, g *job.Group) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, ok := l.waiting[r.RunID]; ok || len(l.waiting) < l.limit {
		l.waiting[r.RunID] = guest{routed{Fire: r.Fire, own: r.own, test: r.test, tries: r.tries}, g}
	}
}

// take removes the runs that ready selects.
func (l *lobby) take(ready func(*guest) bool) []routed {
	l.mu.Lock()
	defer l.mu.Unlock()
	var out []routed
	for id, g := range l.waiting {
		if ready(&g) {
			out = append(out, g.routed)
			delete(l.waiting, id)
		}
	}
	return out
}

// awaits reports whether a run without an address waits for an executor to register:
// only one of a group whose executors register, and not for ever. A run that may have
// its own list is not concerned; its claim finds out.
func (d *Dispatcher) awaits(r *routed, g *job.Group) bool {
	return len(r.addresses) == 0 && r.own == nil && !r.Addressed && g != nil && !g.Manual() &&
		d.cfg.Now().Before(r.DueAt.Add(d.cfg.ExecutorGrace))
}

// lobbyLoop routes the waiting again once their group has an executor, or their time is
// up; they end then, with a reason.
func (d *Dispatcher) lobbyLoop(ctx context.Context) {
	for outage.Sleep(ctx, lobbyEvery) {
		there := map[int32]bool{} // group → has an executor, once a round
		now := d.cfg.Now()
		d.again(d.lobby.take(func(g *guest) bool {
			if g.group == nil {
				return true
			}
			yes, ok := there[g.group.ID]
			if !ok {
				yes = len(d.cfg.Registry.Addresses(g.group)) > 0
				there[g.group.ID] = yes
			}
			return yes || !now.Before(g.DueAt.Add(d.cfg.ExecutorGrace))
		}))
	}
}

// reconsider routes the waiting again after a change: their job or group may be another.
func (d *Dispatcher) reconsider(c job.Change) {
	d.again(d.lobby.take(func(g *guest) bool {
		switch c.Kind {
		case job.ChangeJob:
			return g.JobID == c.ID
		case job.ChangeGroup:
			return g.group != nil && g.group.ID == c.ID
		default:
			return true
		}
	}))
}
