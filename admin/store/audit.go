package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gluewheel/gluewheel/admin/audit"
	"github.com/gluewheel/gluewheel/admin/job"
)

const auditColumns = `id, at, actor, actor_kind, action, object_type, object_id, object_name, group_id, before, after, address, request_id`

const insertAudit = `
	INSERT INTO audit_log (actor, actor_kind, action, object_type, object_id, object_name, group_id, before, after, address, request_id)
	SELECT @actor, @actor_kind, @action, @object_type, @object_id, @object_name, @group_id::int, @before::jsonb, @after::jsonb, @address, @request_id`

// audited runs fn in a transaction and writes the note of ctx into it, if fn has changed
// anything: a transaction without an id of its own has only read.
func (s *Store) audited(ctx context.Context, fn func(pgx.Tx) error) error {
	note := audit.Of(ctx)
	written := false
	err := pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		if err := fn(tx); err != nil {
			return err
		}
		e, pending := note.Pending()
		if !pending {
			return nil
		}
		tag, err := tx.Exec(ctx, insertAudit+` WHERE pg_current_xact_id_if_assigned() IS NOT NULL`, auditArgs(e))
		if err != nil {
			return fmt.Errorf("write audit entry of %s: %w", e.Action, err)
		}
		written = tag.RowsAffected() > 0
		return nil
	})
	if err == nil && written {
		note.Settle()
	}
	return err
}

// auditedPart runs fn in the transaction of Together, and writes an entry of its own for
// what it did.
func auditedPart(ctx context.Context, tx pgx.Tx, fn func(pgx.Tx) error) error {
	if err := fn(tx); err != nil {
		return err
	}
	e, pending := audit.Of(ctx).Part()
	if !pending {
		return nil
	}
	if _, err := tx.Exec(ctx, insertAudit, auditArgs(e)); err != nil {
		return fmt.Errorf("write audit entry of %s: %w", e.Action, err)
	}
	return nil
}

// recordJob adds a job to the note of ctx; nil is what is not there.
func recordJob(ctx context.Context, old, now *job.Job) {
	j := cmp.Or(now, old)
	c := audit.Change{Object: "job", ID: strconv.Itoa(int(j.ID)), Name: j.Name, GroupID: j.GroupID}
	if old != nil {
		c.Before = old
	}
	if now != nil {
		c.After = now
	}
	audit.Record(ctx, c)
}

// recordWrite adds what a write made of a job.
func recordWrite(ctx context.Context, tx pgx.Tx, old job.Job) error {
	if audit.Of(ctx) == nil {
		return nil
	}
	now, err := one[job.Job](ctx, tx, `SELECT `+jobColumns+` FROM job WHERE id = $1`, old.ID)
	if errors.Is(err, job.ErrNotFound) {
		recordJob(ctx, &old, nil)
		return nil
	}
	if err != nil {
		return err
	}
	recordJob(ctx, &old, &now)
	return nil
}

func auditArgs(e job.AuditEntry) pgx.StrictNamedArgs {
	return pgx.StrictNamedArgs{
		"actor": e.Actor, "actor_kind": e.ActorKind, "action": e.Action, "object_type": e.ObjectType,
		"object_id": e.ObjectID, "object_name": e.ObjectName, "group_id": e.GroupID,
		"before": e.Before, "after": e.After, "address": e.Address, "request_id": e.RequestID,
	}
}

// WriteAudit writes the note of ctx by itself, for what is changed outside the database.
// Without a note, or when it is written already, it does nothing.
func (s *Store) WriteAudit(ctx context.Context) error {
	note := audit.Of(ctx)
	e, pending := note.Pending()
	if !pending {
		return nil
	}
	if _, err := s.pool.Exec(ctx, insertAudit, auditArgs(e)); err != nil {
		return fmt.Errorf("write audit entry of %s: %w", e.Action, err)
	}
	note.Settle()
	return nil
}

// auditWhere selects the entries of a job.AuditFilter.
const auditWhere = ` FROM audit_log WHERE (@groups::int[] IS NULL OR group_id = ANY(@groups))
	AND (@actor = '' OR actor = @actor) AND (@action = '' OR action = @action)
	AND (@object_type = '' OR object_type = @object_type) AND (@object_id = '' OR object_id = @object_id)
	AND (@from::timestamptz IS NULL OR at >= @from) AND (@to::timestamptz IS NULL OR at < @to)
	AND (@query = '' OR object_name ILIKE @query OR before::text ILIKE @query OR after::text ILIKE @query)`

func auditFilterArgs(f job.AuditFilter) pgx.StrictNamedArgs {
	return pgx.StrictNamedArgs{
		"groups": f.GroupIDs, "actor": f.Actor, "action": f.Action, "object_type": f.ObjectType, "object_id": f.ObjectID,
		"from": optionalTime(f.From), "to": optionalTime(f.To), "query": containing(f.Query),
	}
}

func optionalTime(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

// Audit lists entries as they were written, the newest first unless the filter wants it
// the other way round. Read along audit_log_pkey, or along the index of actor, object or
// group.
func (s *Store) Audit(ctx context.Context, f job.AuditFilter, p job.Paging) (job.Page[job.AuditEntry], error) {
	const (
		newest = `SELECT ` + auditColumns + auditWhere + ` AND (@last::bigint = 0 OR id < @last) ORDER BY id DESC LIMIT @limit`
		oldest = `SELECT ` + auditColumns + auditWhere + ` AND id > @last::bigint ORDER BY id LIMIT @limit`
		count  = `SELECT count(*) FROM (SELECT` + auditWhere + ` LIMIT @limit) AS counted`
	)
	list := newest
	if f.OldestFirst {
		list = oldest
	}
	last, err := cursorID(p.Cursor, 0)
	if err != nil {
		return job.Page[job.AuditEntry]{}, err
	}
	limit := pageLimit(p)
	args := auditFilterArgs(f)
	args["last"], args["limit"] = last, limit+1
	entries, err := many[job.AuditEntry](ctx, s.pool, list, args)
	if err != nil {
		return job.Page[job.AuditEntry]{}, fmt.Errorf("list audit log: %w", err)
	}
	page := cutPage(entries, limit, func(e job.AuditEntry) int64 { return e.ID })
	args = auditFilterArgs(f)
	args["limit"] = job.TotalCap + 1
	if err := s.countPage(ctx, &page.Total, &page.TotalCapped, count, args); err != nil {
		return job.Page[job.AuditEntry]{}, fmt.Errorf("count audit log: %w", err)
	}
	return page, nil
}

// ClearAudit deletes up to limit entries that are older than age, the oldest first, and
// tells how many: retention is the one thing that may.
func (s *Store) ClearAudit(ctx context.Context, age time.Duration, limit int) (int, error) {
	const sql = `
		DELETE FROM audit_log WHERE id IN (
			SELECT id FROM audit_log WHERE at < clock_timestamp() - $1::interval ORDER BY at, id LIMIT $2 FOR UPDATE SKIP LOCKED)`
	var n int64
	err := s.retryTx(ctx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `SELECT set_config('gluewheel.audit_retention', 'on', true)`); err != nil {
			return err
		}
		tag, err := tx.Exec(ctx, sql, age, limit)
		n = tag.RowsAffected()
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("clear audit log: %w", err)
	}
	return int(n), nil
}
