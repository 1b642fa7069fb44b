package api

import (
	"context"
	"net/http"
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/gluewheel/gluewheel/admin/audit"
	"github.com/gluewheel/gluewheel/admin/job"
)

// Every operation that may change something carries a note for the audit log. Handlers
// need not know: the guard begins it, the wrappers add the object and the input, and
// the store writes it in the transaction of the change.

// beginNote begins the note of a request that may change something.
func (s *server) beginNote(ctx context.Context, hc huma.Context, r route, c caller) context.Context {
	if r.method == http.MethodGet || r.reads || hc.Query("dry_run") == "true" {
		return ctx
	}
	e := job.AuditEntry{Actor: c.Username, ActorKind: job.ActorUser, Action: r.id, RequestID: requestID(ctx)}
	if c.Token != nil {
		e.ActorKind = job.ActorToken
	}
	if a := clientAddr(hc); a.IsValid() {
		e.Address = a.Unmap().String()
	}
	e.ObjectType, e.ObjectID = nounOf(r.path), hc.Param("id")
	return audit.With(ctx, e)
}

// nounOf is what a path is about: alarm_rule of /alarm-rules/{id}. The object itself
// says it better, where it is known.
func nounOf(path string) string {
	first, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	return strings.ReplaceAll(strings.TrimSuffix(first, "s"), "-", "_")
}

// noteInput adds the body of a request and what its path names. One that only asks what
// would be changes nothing.
func noteInput(ctx context.Context, in any) context.Context {
	v := reflect.ValueOf(in).Elem()
	if audit.Of(ctx) == nil || v.Kind() != reflect.Struct {
		return ctx
	}
	asked := map[string]any{}
	if body := v.FieldByName("Body"); body.IsValid() {
		body = reflect.Indirect(body)
		if body.Kind() == reflect.Struct {
			if dry := body.FieldByName("DryRun"); dry.IsValid() && dry.Kind() == reflect.Bool && dry.Bool() {
				return audit.Without(ctx)
			}
			asked = audit.Fields(body.Interface())
		}
	}
	for _, f := range reflect.VisibleFields(v.Type()) {
		if name := f.Tag.Get("path"); name != "" && name != "id" {
			asked[name] = v.FieldByIndex(f.Index).Interface()
		}
	}
	if len(asked) > 0 {
		audit.Asked(ctx, asked)
	}
	return ctx
}

// noteObject adds the object that an operation is about, as it was loaded. What it was
// is worth keeping when the operation replaces or deletes it.
func noteObject(ctx context.Context, object any, groupID int32) {
	if audit.Of(ctx) == nil {
		return
	}
	c := audit.Object(object)
	c.GroupID = groupID
	if m := callerOf(ctx).method; m == http.MethodPut || m == http.MethodDelete {
		c.Before = object
	}
	audit.Record(ctx, c)
}

// settleNote writes a note that no transaction took. Handlers are not meant to come
// here with a change: what they changed would be unrecorded if the admin died now.
func (s *server) settleNote(ctx context.Context) error {
	e, pending := audit.Of(ctx).Pending()
	if !pending || e.Actor == "" { // nobody: a logout without a session
		return nil
	}
	s.log.WarnContext(ctx, "change was recorded after it was made", "action", e.Action)
	return s.deps.Store.WriteAudit(ctx)
}
