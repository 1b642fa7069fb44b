package api

import (
	"github.com/danielgtaylor/huma/v2"

	"github.com/gluewheel/gluewheel/admin/job"
	"github.com/gluewheel/gluewheel/glue"
)

// The closed sets of words in the API. Each has a schema of its own name, so that
// generated clients get a type for it; the words are those of job and glue.
type (
	ScheduleType    string
	DSTPolicy       string
	RetryBackoff    string
	MisfireStrategy string
	RouteStrategy   string
	RouteCode       string
	BlockStrategy   string
	GlueType        string
	RunState        string
	RunCause        string
	Role            string
	GroupRole       string
	TokenRole       string
	ActorKind       string
)

// Schema describes the type in the OpenAPI document, as those below do.
func (ScheduleType) Schema(r huma.Registry) *huma.Schema {
	return enum(r, "ScheduleType", job.ScheduleTypes(), text)
}

func (DSTPolicy) Schema(r huma.Registry) *huma.Schema {
	return enum(r, "DSTPolicy", job.DSTPolicies(), text)
}

func (RetryBackoff) Schema(r huma.Registry) *huma.Schema {
	return enum(r, "RetryBackoff", job.RetryBackoffs(), text)
}

func (MisfireStrategy) Schema(r huma.Registry) *huma.Schema {
	return enum(r, "MisfireStrategy", job.MisfireStrategies(), text)
}

func (RouteStrategy) Schema(r huma.Registry) *huma.Schema {
	return enum(r, "RouteStrategy", job.RouteStrategies(), text)
}

func (RouteCode) Schema(r huma.Registry) *huma.Schema {
	return enum(r, "RouteCode", job.RouteCodes(), text)
}

func (BlockStrategy) Schema(r huma.Registry) *huma.Schema {
	return enum(r, "BlockStrategy", job.BlockStrategies(), text)
}

func (GlueType) Schema(r huma.Registry) *huma.Schema {
	return enum(r, "GlueType", glue.Types(), func(i glue.Info) string { return string(i.Type) })
}

func (RunState) Schema(r huma.Registry) *huma.Schema {
	return enum(r, "RunState", job.States(), job.State.String)
}

func (RunCause) Schema(r huma.Registry) *huma.Schema {
	return enum(r, "RunCause", job.Causes(), job.Cause.String)
}

func (Role) Schema(r huma.Registry) *huma.Schema {
	return enum(r, "Role", job.Roles(), text)
}

func (GroupRole) Schema(r huma.Registry) *huma.Schema {
	return enum(r, "GroupRole", job.GroupRoles(), text)
}

func (TokenRole) Schema(r huma.Registry) *huma.Schema {
	return enum(r, "TokenRole", job.TokenRoles(), text)
}

func (ActorKind) Schema(r huma.Registry) *huma.Schema {
	return enum(r, "ActorKind", []job.ActorKind{job.ActorUser, job.ActorToken, job.ActorSystem}, text)
}

func text[T ~string](v T) string { return string(v) }

// enum registers a named schema and refers to it.
func enum[T any](r huma.Registry, name string, values []T, word func(T) string) *huma.Schema {
	if _, done := r.Map()[name]; !done {
		s := &huma.Schema{Type: huma.TypeString}
		for _, v := range values {
			s.Enum = append(s.Enum, word(v))
		}
		s.PrecomputeMessages()
		r.Map()[name] = s
	}
	return &huma.Schema{Ref: schemaPrefix + name}
}
