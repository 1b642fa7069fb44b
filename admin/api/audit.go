package api

import (
	"context"
	"encoding/json"

	"github.com/gluewheel/gluewheel/admin/job"
)

type auditStore interface {
	Audit(ctx context.Context, f job.AuditFilter, p job.Paging) (job.Page[job.AuditEntry], error)
	WriteAudit(ctx context.Context) error
}

// AuditEntry says who changed what, when and from where.
type AuditEntry struct {
	ID         int64          `json:"id"`
	At         Time           `json:"at"`
	Actor      string         `json:"actor" doc:"Name of the user, also of the one behind a token."`
	ActorKind  ActorKind      `json:"actor_kind"`
	Action     string         `json:"action" doc:"operationId of the API."`
	ObjectType string         `json:"object_type"`
	ObjectID   string         `json:"object_id"`
	ObjectName string         `json:"object_name"`
	GroupID    *int32         `json:"group_id" nullable:"true" doc:"Null for what belongs to no group."`
	Before     map[string]any `json:"before" nullable:"true" doc:"The fields that changed, or all that is gone."`
	After      map[string]any `json:"after" nullable:"true" doc:"The fields that changed, or what was asked for."`
	Address    string         `json:"address"`
	RequestID  string         `json:"request_id"`
}

func auditEntryOf(e job.AuditEntry) AuditEntry {
	return AuditEntry{
		ID: e.ID, At: instant(e.At), Actor: e.Actor, ActorKind: ActorKind(e.ActorKind), Action: e.Action,
		ObjectType: e.ObjectType, ObjectID: e.ObjectID, ObjectName: e.ObjectName, GroupID: e.GroupID,
		Before: object(e.Before), After: object(e.After), Address: e.Address, RequestID: e.RequestID,
	}
}

// object is nil for what is no JSON object.
func object(text json.RawMessage) map[string]any {
	var m map[string]any
	if json.Unmarshal(text, &m) != nil {
		return nil
	}
	return m
}

// AuditQuery narrows the log down.
type AuditQuery struct {
	Actor      string `query:"actor" maxLength:"100"`
	Action     string `query:"action" maxLength:"100"`
	ObjectType string `query:"object_type" maxLength:"100"`
	ObjectID   string `query:"object_id" maxLength:"100"`
	GroupID    int32  `query:"group_id" minimum:"1" maximum:"2147483647"`
	From       Time   `query:"from" doc:"From here …"`
	To         Time   `query:"to" doc:"… to before here."`
	Query      string `query:"q" maxLength:"200" doc:"Part of the object's name or of what changed."`
}

// filter shows the admin of a group what happened in it, and nothing else.
func (q *AuditQuery) filter(ctx context.Context) job.AuditFilter {
	return job.AuditFilter{
		GroupIDs: groupsSeen(ctx, q.GroupID), Actor: q.Actor, Action: q.Action, ObjectType: q.ObjectType,
		ObjectID: q.ObjectID, From: q.From.Time, To: q.To.Time, Query: q.Query,
	}
}

type listAuditInput struct {
	Paging
	AuditQuery
	Sort string `query:"sort" enum:"at,-at" default:"-at" doc:"What is listed first: -at for the newest."`
}

func (s *server) listAudit(ctx context.Context, in *listAuditInput) (*body[List[AuditEntry]], error) {
	f := in.filter(ctx)
	f.OldestFirst = in.Sort == "at"
	page, err := s.deps.Store.Audit(ctx, f, in.paging())
	if err != nil {
		return nil, err
	}
	return listOf(page, auditEntryOf), nil
}
