package api

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/gluewheel/gluewheel/admin/auth"
	"github.com/gluewheel/gluewheel/admin/job"
)

// Token lets a program act for a user.
type Token struct {
	ID         int32     `json:"id"`
	Name       string    `json:"name"`
	Prefix     string    `json:"prefix" doc:"The token's first characters, to tell it by."`
	Role       TokenRole `json:"role" doc:"The most that it may do; it never may more than its user."`
	GroupIDs   []int32   `json:"group_ids" nullable:"false" doc:"Empty for all groups of its user."`
	ExpiresAt  *Time     `json:"expires_at" nullable:"true"`
	LastUsedAt *Time     `json:"last_used_at" nullable:"true" doc:"To the minute."`
	CreatedAt  Time      `json:"created_at"`
	Username   string    `json:"username" doc:"Of the user that it acts for."`
	ParentID   *int32    `json:"parent_id" nullable:"true" doc:"The token that made it, and with which it ends; null when a person did."`
}

// TokenCreated is a new token with its secret.
type TokenCreated struct {
	Token
	Secret string `json:"token" doc:"Told this once. Send it as Authorization: Bearer gw_…"`
}

// TokenInput makes a token.
type TokenInput struct {
	Name      string    `json:"name" doc:"1 to 100 characters: what it is for."`
	Role      TokenRole `json:"role"`
	GroupIDs  []int32   `json:"group_ids,omitempty" nullable:"false" maxItems:"1000" doc:"Empty for all groups of the user. Not with the roles admin and auditor."`
	ExpiresAt *Time     `json:"expires_at,omitempty" nullable:"true" doc:"Never when left out."`
}

func tokenOf(t job.APIToken) Token {
	return Token{
		ID: t.ID, Name: t.Name, Prefix: t.Prefix, Role: TokenRole(t.Role), GroupIDs: notNil(t.GroupIDs),
		ExpiresAt: instantOf(t.ExpiresAt), LastUsedAt: instantOf(t.LastUsedAt), CreatedAt: instant(t.CreatedAt), Username: t.Username, ParentID: t.ParentID,
	}
}

const maxTokenName = 100

func (in *TokenInput) check() error {
	var wrong invalid
	name := []rune(in.Name)
	if len(name) == 0 || len(name) > maxTokenName || strings.TrimSpace(in.Name) != in.Name {
		wrong = append(wrong, &job.FieldError{Field: "name", Message: fmt.Sprintf("A name has 1 to %d characters, and no spaces at its ends. Correct it.", maxTokenName)})
	}
	if r := job.Role(in.Role); len(in.GroupIDs) > 0 && (r == job.RoleAdmin || r == job.RoleAuditor) {
		wrong = append(wrong, &job.FieldError{Field: "group_ids", Message: "The role " + string(r) + " is for all groups. Leave the groups out, or choose another role."})
	}
	wrong = append(wrong, checkGroupIDs(in.GroupIDs)...)
	if in.ExpiresAt != nil && !in.ExpiresAt.After(time.Now()) {
		wrong = append(wrong, &job.FieldError{Field: "expires_at", Message: "This is past. Choose a later instant."})
	}
	return wrong.orNil()
}

// checkGroupIDs finds what can be seen without a look at the groups.
func checkGroupIDs(ids []int32) (wrong invalid) {
	seen := map[int32]bool{}
	for _, id := range ids {
		switch {
		case id < 1:
			wrong = append(wrong, &job.FieldError{Field: "group_ids", Message: fmt.Sprintf("%d is no group's id. Take it out, or name an existing group.", id)})
		case seen[id]:
			wrong = append(wrong, &job.FieldError{Field: "group_ids", Message: fmt.Sprintf("Group %d stands there twice. Name it once.", id)})
		}
		seen[id] = true
	}
	return wrong
}

func (s *server) listTokens(ctx context.Context, in *struct{ Paging }) (*body[List[Token]], error) {
	page, err := s.deps.Store.Tokens(ctx, tokensOf(ctx, auth.UserView), in.paging())
	if err != nil {
		return nil, err
	}
	return listOf(page, tokenOf), nil
}

func (s *server) createToken(ctx context.Context, in *struct{ Body TokenInput }) (*body[TokenCreated], error) {
	if err := in.Body.check(); err != nil {
		return nil, err
	}
	t := job.APIToken{
		Name: in.Body.Name, Role: job.TokenRole(in.Body.Role), GroupIDs: in.Body.GroupIDs, ExpiresAt: timeOf(in.Body.ExpiresAt),
	}
	t, secret, err := s.deps.Auth.CreateToken(ctx, callerOf(ctx).Identity, t)
	if err != nil {
		return nil, err
	}
	return answer(TokenCreated{tokenOf(t), secret}), nil
}

// deleteToken ends one's own token and what it has made; an admin may end anybody's.
func (s *server) deleteToken(ctx context.Context, in *triedObject) (*none, error) {
	return nil, s.deps.Store.DeleteToken(ctx, tokensOf(ctx, auth.UserEdit), in.ID)
}

// tokensOf is whose tokens the caller has to do with: 0 for everybody's with that right,
// or the caller's own.
func tokensOf(ctx context.Context, everybody auth.Right) int32 {
	c := callerOf(ctx)
	if c.Holds(everybody) {
		return 0
	}
	return c.UserID
}
