package audit

import (
	"context"
	"sync"

	"github.com/gluewheel/gluewheel/admin/job"
)

// Change is what somebody on the way knows of a change. Zero fields are not known.
type Change struct {
	Actor      string // when it was not known before, as at a login
	Object     string // what kind of thing: job, group, user, …
	ID         string
	Name       string
	GroupID    int32
	Before     any // a struct, map or nil; encoded by Fields. A nil pointer: it is new
	After      any
	afterInput bool
}

// Note is an entry of the audit log that is still to be written. Safe for concurrent use.
type Note struct {
	mu      sync.Mutex
	entry   job.AuditEntry
	before  map[string]any
	after   map[string]any
	input   bool // after is what was asked for, not what became
	parts   bool // entries of parts say it all, see Part
	settled bool
}

type noteKey struct{}

// With begins a note: changes made with the context that it returns are written down.
func With(ctx context.Context, e job.AuditEntry) context.Context {
	return context.WithValue(ctx, noteKey{}, &Note{entry: e})
}

// Without takes the note off a context, for what belongs to no request.
func Without(ctx context.Context) context.Context {
	return context.WithValue(ctx, noteKey{}, (*Note)(nil))
}

// Of is the note that a context carries, nil for none.
func Of(ctx context.Context) *Note {
	n, _ := ctx.Value(noteKey{}).(*Note)
	return n
}

// Record adds to the context's note, if it carries one.
func Record(ctx context.Context, c Change) {
	n := Of(ctx)
	if n == nil {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.add(c)
}

// Asked adds the input of an operation. It stands for the object as it became until
// somebody records that.
func Asked(ctx context.Context, input any) {
	Record(ctx, Change{After: input, afterInput: true})
}

// Apart settles the note of a request whose parts have entries of their own, see Each:
// also when it comes to none of them.
func Apart(ctx context.Context) {
	if n := Of(ctx); n != nil {
		n.Settle()
	}
}

// Each begins an entry of its own for one of several changes of one request. The
// request's own note is settled: the parts say it all.
func Each(ctx context.Context, c Change) context.Context {
	n := Of(ctx)
	if n == nil {
		return ctx
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.settled = true
	part := &Note{entry: n.entry, before: n.before, after: n.after, input: n.input}
	part.add(c)
	return context.WithValue(ctx, noteKey{}, part)
}

func (n *Note) add(c Change) {
	e := &n.entry
	for _, f := range []struct {
		to   *string
		from string
	}{{&e.Actor, c.Actor}, {&e.ObjectType, c.Object}, {&e.ObjectID, c.ID}, {&e.ObjectName, c.Name}} {
		if f.from != "" {
			*f.to = f.from
		}
	}
	if c.GroupID != 0 {
		e.GroupID = &c.GroupID
	}
	if c.Before != nil {
		n.before = Fields(c.Before)
	}
	if c.After != nil {
		n.after, n.input = Fields(c.After), c.afterInput
	}
}

// Pending is the entry to be written; false when there is none any more.
func (n *Note) Pending() (job.AuditEntry, bool) {
	if n == nil {
		return job.AuditEntry{}, false
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.settled || n.parts {
		return job.AuditEntry{}, false
	}
	e := n.entry
	e.Before, e.After = difference(n.before, n.after, n.input)
	return e, true
}

// Part is the entry of one of several changes in one transaction; what is recorded next
// belongs to the next part.
func (n *Note) Part() (job.AuditEntry, bool) {
	if n == nil {
		return job.AuditEntry{}, false
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.settled {
		return job.AuditEntry{}, false
	}
	e := n.entry
	e.Before, e.After = difference(n.before, n.after, n.input)
	n.entry.ObjectType, n.entry.ObjectID, n.entry.ObjectName, n.entry.GroupID = "", "", "", nil
	n.before, n.after, n.parts = nil, nil, true
	return e, true
}

// Settle marks the entry as written.
func (n *Note) Settle() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.settled = true
}
