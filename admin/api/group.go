package api

import (
	"context"

	"github.com/gluewheel/gluewheel/admin/job"
)

type groupStore interface {
	Group(ctx context.Context, id int32) (job.Group, error)
	Groups(ctx context.Context, ids []int32, query string, p job.Paging) (job.Page[job.Group], error)
	GroupsByID(ctx context.Context, ids []int32) ([]job.Group, error)
	CreateGroup(ctx context.Context, g job.Group) (job.Group, error)
	UpdateGroup(ctx context.Context, g job.Group) (job.Group, error)
	DeleteGroupAt(ctx context.Context, id int32, version int64) error
}

// GroupInput is what people enter.
type GroupInput struct {
	AppName     string   `json:"app_name" doc:"4 to 64 small letters, digits and hyphens, a letter first."`
	Title       string   `json:"title"`
	AddressType int16    `json:"address_type,omitempty" enum:"0,1" default:"0" doc:"0: executors register themselves; 1: address_list is used."`
	AddressList []string `json:"address_list,omitempty" nullable:"false" doc:"Such as http://10.0.0.5:9999."`
	// A caller that does not know of it must not turn it off.
	RequireReview *bool `json:"require_review,omitempty" doc:"Whether new code is live only when another publisher has approved it. Stays as it is when it is left out; only an admin turns it off."`
}

// GroupEdit replaces what people entered.
type GroupEdit struct {
	GroupInput
	Version int64 `json:"version" doc:"As read: if it has moved on, nothing is changed (409)."`
}

// Group is an executor group.
type Group struct {
	ID            int32    `json:"id"`
	AppName       string   `json:"app_name"`
	Title         string   `json:"title"`
	AddressType   int16    `json:"address_type" enum:"0,1"`
	AddressList   []string `json:"address_list" nullable:"false"`
	RequireReview bool     `json:"require_review" doc:"Whether new code is live only when another publisher has approved it."`
	Version       int64    `json:"version"`
	CreatedAt     Time     `json:"created_at"`
	UpdatedAt     Time     `json:"updated_at"`
}

func groupOf(g job.Group) Group {
	return Group{
		ID: g.ID, AppName: g.AppName, Title: g.Title, AddressType: g.AddressType, AddressList: notNil(g.AddressList),
		RequireReview: g.RequireReview, Version: g.Version, CreatedAt: instant(g.CreatedAt), UpdatedAt: instant(g.UpdatedAt),
	}
}

// group is the input; old is what it replaces, the zero value for nothing.
func (in *GroupInput) group(old job.Group) (job.Group, error) {
	g := job.Group{
		AppName: in.AppName, Title: in.Title, AddressType: in.AddressType, AddressList: in.AddressList,
		RequireReview: old.RequireReview,
	}
	if in.RequireReview != nil {
		g.RequireReview = *in.RequireReview
	}
	return g, invalid(job.ValidateGroup(&g)).orNil()
}

type listGroupsInput struct {
	Paging
	Query string `query:"q" maxLength:"100" doc:"Part of the app name or title."`
}

func (s *server) listGroups(ctx context.Context, in *listGroupsInput) (*body[List[Group]], error) {
	page, err := s.deps.Store.Groups(ctx, callerOf(ctx).Groups(), in.Query, in.paging())
	if err != nil {
		return nil, err
	}
	return listOf(page, groupOf), nil
}

type createGroupInput struct {
	Trial
	Body GroupInput
}

func (s *server) createGroup(ctx context.Context, in *createGroupInput) (*tagged[Group], error) {
	g, err := in.Body.group(job.Group{})
	if err != nil {
		return nil, err
	}
	if g, err = s.deps.Store.CreateGroup(ctx, g); err != nil {
		return nil, err
	}
	return withTag(groupOf(g), g.Version), nil
}

func (s *server) getGroup(_ context.Context, g job.Group, _ *ObjectID) (*tagged[Group], error) {
	return withTag(groupOf(g), g.Version), nil
}

type groupEditInput struct {
	ObjectID
	Condition
	Trial
	Body GroupEdit
}

func (s *server) updateGroup(ctx context.Context, old job.Group, in *groupEditInput) (*tagged[Group], error) {
	if err := in.met(old.Version); err != nil {
		return nil, err
	}
	g, err := in.Body.group(old)
	if err != nil {
		return nil, err
	}
	if err := s.checkGroupEdit(ctx, old, g); err != nil {
		return nil, err
	}
	g.ID, g.Version = in.ID, in.Body.Version
	if g, err = s.deps.Store.UpdateGroup(ctx, g); err != nil {
		return nil, err
	}
	return withTag(groupOf(g), g.Version), nil
}

func (s *server) deleteGroup(ctx context.Context, g job.Group, in *deleteObjectInput) (*none, error) {
	if err := in.met(g.Version); err != nil {
		return nil, err
	}
	return nil, s.deps.Store.DeleteGroupAt(ctx, g.ID, in.only(g.Version))
}
