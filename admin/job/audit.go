package job

import (
	"encoding/json"
	"time"
)

// ActorKind is how an actor came to act.
type ActorKind string

const (
	ActorUser   ActorKind = "user"   // in person, with a session
	ActorToken  ActorKind = "token"  // a program, with an API token of the user
	ActorSystem ActorKind = "system" // gluewheel itself or its operator's command line
)

// AuditEntry says who changed what, when and from where.
type AuditEntry struct {
	ID         int64           `db:"id"`
	At         time.Time       `db:"at"`
	Actor      string          `db:"actor"`
	ActorKind  ActorKind       `db:"actor_kind"`
	Action     string          `db:"action"`
	ObjectType string          `db:"object_type"`
	ObjectID   string          `db:"object_id"`
	ObjectName string          `db:"object_name"`
	GroupID    *int32          `db:"group_id"` // nil = of no group
	Before     json.RawMessage `db:"before"`   // fields that changed, or all that is gone; nil = none
	After      json.RawMessage `db:"after"`
	Address    string          `db:"address"`
	RequestID  string          `db:"request_id"`
}

// AuditFilter selects entries; zero fields select all.
type AuditFilter struct {
	GroupIDs   []int32 // nil = all, also of no group; empty but not nil = none
	Actor      string
	Action     string
	ObjectType string
	ObjectID   string
	From       time.Time // from here …
	To         time.Time // … to before here
	Query      string    // part of the object's name or of what changed

	OldestFirst bool
}
