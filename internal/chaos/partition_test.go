//go:build chaos

package chaos

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
)

// edge is a link with an admin at one of its ends.
type edge struct {
	*Link
	name  string
	admin *adminProc
	own   *executorProc // at the other end; nil for the database and foreign executors
}

func (w *world) dbEdges() (all []edge) {
	for _, a := range w.admins {
		all = append(all, edge{Link: a.db, name: a.name + " to postgres", admin: a})
	}
	return all
}

// ownRunEdges lead from admins to executors of ours.
func (w *world) ownRunEdges() (all []edge) {
	for _, e := range w.executors {
		for i, l := range e.in {
			all = append(all, edge{l, w.admins[i].name + " to " + e.name, w.admins[i], e})
		}
	}
	return all
}

func (w *world) runEdges() []edge {
	all := w.ownRunEdges()
	for _, f := range w.foreign {
		for i, l := range f.in {
			all = append(all, edge{Link: l, name: w.admins[i].name + " to " + f.name, admin: w.admins[i]})
		}
	}
	return all
}

// ownCallbackEdges lead from executors of ours to admins.
func (w *world) ownCallbackEdges() (all []edge) {
	for _, e := range w.executors {
		for i, l := range e.out {
			all = append(all, edge{l, e.name + " to " + w.admins[i].name, w.admins[i], e})
		}
	}
	return all
}

func (w *world) callbackEdges() []edge {
	all := w.ownCallbackEdges()
	for _, f := range w.foreign {
		for i, l := range f.out {
			all = append(all, edge{Link: l, name: f.name + " to " + w.admins[i].name, admin: w.admins[i]})
		}
	}
	return all
}

// edges are all links.
func (w *world) edges() []edge { return slices.Concat(w.dbEdges(), w.runEdges(), w.callbackEdges()) }

// breakEdges breaks some of the links, from one to all of them.
func breakEdges(m Mode, of func(*world) []edge) beginning {
	return func(_ context.Context, w *world, r *rand.Rand) (string, func() error, error) {
		all := of(w)
		r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		all = all[:1+r.IntN(len(all))]
		var links []*Link
		var names []string
		for _, e := range all {
			links, names = append(links, e.Link), append(names, e.name)
		}
		slices.Sort(names)
		return fmt.Sprint(names), func() error { return setAll(links, Pass) }, setAll(links, m)
	}
}

func setAll(links []*Link, m Mode) error {
	var errs []error
	for _, l := range links {
		errs = append(errs, l.Set(m))
	}
	return errors.Join(errs...)
}

// splits are partitions that only some can see: an admin loses what the other one still
// reaches. Connections of both directions between two hosts break together.
func splits() []fault {
	whole := []Mode{Drop, Stall, Refuse}
	split := func(cut func(w *world, r *rand.Rand, a int, p *paths) (string, rift)) beginning {
		return func(_ context.Context, w *world, r *rand.Rand) (string, func() error, error) {
			a := slices.Index(w.admins, w.planner(pick(r, w.admins)))
			detail, torn := cut(w, r, a, pick(r, w.peers()))
			return detail, torn.heal, torn.tear()
		}
	}
	return []fault{
		{name: "split:admin-executor", begin: split(func(w *world, r *rand.Rand, a int, p *paths) (string, rift) {
			m := pick(r, whole)
			return fmt.Sprintf("%s | %s, %s", w.admins[a].name, p.door, m), rift{p.in[a]: m, p.out[a]: m}
		})},
		// What one host sends vanishes, requests and replies; what the other sends arrives.
		{name: "split:to-executor", begin: split(func(w *world, _ *rand.Rand, a int, p *paths) (string, rift) {
			return fmt.Sprintf("%s cannot send to %s", w.admins[a].name, p.door), rift{p.in[a]: Deaf, p.out[a]: Swallow}
		})},
		{name: "split:from-executor", begin: split(func(w *world, _ *rand.Rand, a int, p *paths) (string, rift) {
			return fmt.Sprintf("%s cannot send to %s", p.door, w.admins[a].name), rift{p.in[a]: Swallow, p.out[a]: Deaf}
		})},
		{name: "split:one-admin-left", begin: split(func(w *world, r *rand.Rand, a int, p *paths) (string, rift) {
			m, torn := pick(r, whole), rift{}
			for i := range w.admins {
				if i != a {
					torn[p.in[i]], torn[p.out[i]] = m, m
				}
			}
			return fmt.Sprintf("%s reaches %s only, %s", p.door, w.admins[a].name, m), torn
		})},
		// The one that plans keeps the database, and with it its leases.
		{name: "split:admin-executors", begin: split(func(w *world, r *rand.Rand, a int, _ *paths) (string, rift) {
			m, torn := pick(r, whole), rift{}
			for _, p := range w.peers() {
				torn[p.in[a]], torn[p.out[a]] = m, m
			}
			return fmt.Sprintf("%s | all executors, %s", w.admins[a].name, m), torn
		})},
		// It reaches the executors, and may no longer send what it has planned.
		{name: "split:admin-postgres", begin: split(func(w *world, r *rand.Rand, a int, _ *paths) (string, rift) {
			m := pick(r, whole)
			return fmt.Sprintf("%s | postgres, %s", w.admins[a].name, m), rift{w.admins[a].db: m}
		})},
		{name: "split:halves", begin: split(func(w *world, r *rand.Rand, a int, p *paths) (string, rift) {
			m := pick(r, whole)
			torn := rift{w.admins[a].db: m}
			for i := range w.admins {
				for _, q := range w.peers() {
					if (i == a) != (q == p) {
						torn[q.in[i]], torn[q.out[i]] = m, m
					}
				}
			}
			return fmt.Sprintf("%s with %s | all others, %s", w.admins[a].name, p.door, m), torn
		})},
	}
}

// rift is which links break, and how.
type rift map[*Link]Mode

func (x rift) tear() error {
	var errs []error
	for l, m := range x {
		errs = append(errs, l.Set(m))
	}
	return errors.Join(errs...)
}

func (x rift) heal() error {
	return setAll(slices.Collect(maps.Keys(x)), Pass)
}

// peers are the paths of all executors.
func (w *world) peers() (all []*paths) {
	for _, e := range w.executors {
		all = append(all, &e.paths)
	}
	for _, f := range w.foreign {
		all = append(all, &f.paths)
	}
	return all
}

// idle names the links over which nobody ever came: nothing is shown by breaking those.
func (w *world) idle() (names []string) {
	for _, e := range w.edges() {
		if e.Relayed() == 0 {
			names = append(names, e.name)
		}
	}
	return names
}
