package api

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"strings"

	"github.com/gluewheel/gluewheel/admin/access"
	"github.com/gluewheel/gluewheel/admin/job"
	"github.com/gluewheel/gluewheel/admin/seal"
)

type groupTokenStore interface {
	GroupTokens(ctx context.Context, groupID int32) ([]job.GroupToken, error)
	CreateGroupToken(ctx context.Context, t job.GroupToken) (job.GroupToken, error)
	DeleteGroupToken(ctx context.Context, groupID, id int32) error
}

// GroupToken is a token of a group's executors.
type GroupToken struct {
	ID         int32  `json:"id"`
	Name       string `json:"name"`
	Prefix     string `json:"prefix" doc:"The token's beginning."`
	Sent       bool   `json:"sent" doc:"The admin sends it to executors of the group that have not registered. Those that have are sent the one that they came with."`
	CreatedBy  string `json:"created_by"`
	CreatedAt  Time   `json:"created_at"`
	LastUsedAt *Time  `json:"last_used_at" nullable:"true" doc:"Within half a minute."`
	Warning    string `json:"warning,omitempty" doc:"Why it is a bad token."`
}

func groupTokenOf(t job.GroupToken) GroupToken {
	return GroupToken{
		ID: t.ID, Name: t.Name, Prefix: t.Prefix, Sent: t.Sent, CreatedBy: t.CreatedBy,
		CreatedAt: instant(t.CreatedAt), LastUsedAt: instantOf(t.LastUsedAt), Warning: t.Weakness.Warning(),
	}
}

// listGroupTokens shows all: there are at most job.MaxGroupTokens.
func (s *server) listGroupTokens(ctx context.Context, g job.Group, _ *ObjectID) (*body[List[GroupToken]], error) {
	tokens, err := s.deps.Store.GroupTokens(ctx, g.ID)
	if err != nil {
		return nil, err
	}
	return answer(List[GroupToken]{Items: mapped(tokens, groupTokenOf), Total: len(tokens)}), nil
}

// GroupTokenInput makes a token.
type GroupTokenInput struct {
	Name  string `json:"name" doc:"What it is for."`
	Token string `json:"token,omitempty" doc:"What the executors are configured with; generated when it is left out, which is better."`
	Sent  bool   `json:"sent,omitempty" doc:"Send it to executors of the group that have not registered. The group's first token always is."`
}

// NewGroupToken is a token that was just made.
type NewGroupToken struct {
	GroupToken
	Token string `json:"token" doc:"Shown this once."`
}

type createGroupTokenInput struct {
	ObjectID
	Body GroupTokenInput
}

func (s *server) createGroupToken(ctx context.Context, g job.Group, in *createGroupTokenInput) (*body[NewGroupToken], error) {
	// It begins with a letter and has small letters and digits only, as the web
	// page of 3.5 wants it.
	token := cmp.Or(in.Body.Token, "gwx_"+strings.ToLower(rand.Text()))
	if err := invalid(job.ValidateToken(in.Body.Name, token)).orNil(); err != nil {
		return nil, err
	}
	sealed, err := access.Seal(s.deps.Seal, g.ID, token)
	if errors.Is(err, seal.ErrNoKey) {
		return nil, &job.FieldError{Field: "token", Message: "This admin has no key to keep it with. Start every admin with the same --seal-key-file or GLUEWHEEL_SEAL_KEY."}
	}
	if err != nil {
		return nil, err
	}
	sealed.Name, sealed.Sent, sealed.CreatedBy = in.Body.Name, in.Body.Sent, callerOf(ctx).Username
	made, err := s.deps.Store.CreateGroupToken(ctx, sealed)
	if err != nil {
		return nil, err
	}
	return answer(NewGroupToken{groupTokenOf(made), token}), nil
}

type deleteGroupTokenInput struct {
	ObjectID
	Trial
	TokenID int32 `path:"token_id" minimum:"1" maximum:"2147483647"`
}

func (s *server) deleteGroupToken(ctx context.Context, g job.Group, in *deleteGroupTokenInput) (*none, error) {
	return nil, s.deps.Store.DeleteGroupToken(ctx, g.ID, in.TokenID)
}
