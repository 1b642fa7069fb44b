package api

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gluewheel/gluewheel/admin/job"
)

type accountStore interface {
	User(ctx context.Context, id int32) (job.User, error)
	Users(ctx context.Context, query string, role job.Role, p job.Paging) (job.Page[job.User], error)
	UpdateUser(ctx context.Context, e job.UserEdit) (job.User, error)
	DeleteUser(ctx context.Context, id int32, version int64) error
	EndSession(ctx context.Context, userID int32, id int64) error
	EndSessions(ctx context.Context, userID int32) error
	Tokens(ctx context.Context, userID int32, p job.Paging) (job.Page[job.APIToken], error)
	DeleteToken(ctx context.Context, userID, id int32) error
}

// Grant is a role in a group.
type Grant struct {
	GroupID int32     `json:"group_id" minimum:"1"`
	Role    GroupRole `json:"role"`
}

func grantOf(g job.Grant) Grant { return Grant{GroupID: g.GroupID, Role: GroupRole(g.Role)} }

// User is an account.
type User struct {
	ID          int32   `json:"id"`
	Username    string  `json:"username"`
	Role        Role    `json:"role"`
	Grants      []Grant `json:"grants" nullable:"false" doc:"Roles in groups; of a plain user all there is."`
	Disabled    bool    `json:"disabled" doc:"Can neither log in nor use tokens."`
	SSO         bool    `json:"sso" doc:"Logs in with the identity provider."`
	CreatedAt   Time    `json:"created_at"`
	LastLoginAt *Time   `json:"last_login_at" nullable:"true"`
	Version     int64   `json:"version"`
}

func userOf(u job.User) User {
	return User{
		ID: u.ID, Username: u.Username, Role: Role(u.Role), Grants: mapped(u.Grants, grantOf), Disabled: u.Disabled,
		SSO: u.Subject != nil, CreatedAt: instant(u.CreatedAt), LastLoginAt: instantOf(u.LastLoginAt), Version: u.Version,
	}
}

// UserFields are what an admin decides about an account.
type UserFields struct {
	Role     Role    `json:"role"`
	Grants   []Grant `json:"grants,omitempty" nullable:"false" maxItems:"1000"`
	Disabled bool    `json:"disabled,omitempty"`
}

// UserInput makes an account.
type UserInput struct {
	UserFields
	Username string `json:"username" doc:"1 to 100 characters, no spaces at its ends."`
	Password string `json:"password" minLength:"1" maxLength:"200" format:"password" doc:"8 to 200 characters."`
}

// UserEdit replaces what an admin decides; a grant that is left out is taken away.
type UserEdit struct {
	UserFields
	Password string `json:"password,omitempty" maxLength:"200" format:"password" doc:"A new one; as it was when left out."`
	Version  int64  `json:"version" doc:"As read: if it has moved on, nothing is changed (409)."`
}

// grants are those of the input in the order of their groups.
func (in *UserFields) grants() ([]job.Grant, error) {
	out := mapped(in.Grants, func(g Grant) job.Grant { return job.Grant{GroupID: g.GroupID, Role: job.GroupRole(g.Role)} })
	seen := map[int32]bool{}
	for i, g := range out {
		if seen[g.GroupID] {
			return nil, &job.FieldError{Field: fmt.Sprintf("grants[%d].group_id", i), Message: "The group stands there twice. Keep one of its roles."}
		}
		seen[g.GroupID] = true
	}
	slices.SortFunc(out, func(a, b job.Grant) int { return int(a.GroupID) - int(b.GroupID) })
	return out, nil
}

const maxUsername = 100

func checkUsername(name string) error {
	if name == "" || utf8.RuneCountInString(name) > maxUsername || strings.TrimSpace(name) != name || strings.ContainsFunc(name, unicode.IsControl) {
		return &job.FieldError{Field: "username", Message: fmt.Sprintf("A user name has 1 to %d characters, and no spaces at its ends. Correct it.", maxUsername)}
	}
	return nil
}

// atField moves an error of one field to another.
func atField(err error, from, to string) error {
	if f, ok := errors.AsType[*job.FieldError](err); ok && f.Field == from {
		return &job.FieldError{Field: to, Message: f.Message}
	}
	return err
}

type listUsersInput struct {
	Paging
	Query string `query:"q" maxLength:"100" doc:"Part of the name."`
	Role  Role   `query:"role"`
}

func (s *server) listUsers(ctx context.Context, in *listUsersInput) (*body[List[User]], error) {
	page, err := s.deps.Store.Users(ctx, in.Query, job.Role(in.Role), in.paging())
	if err != nil {
		return nil, err
	}
	return listOf(page, userOf), nil
}

type createUserInput struct {
	Trial
	Body UserInput
}

func (s *server) createUser(ctx context.Context, in *createUserInput) (*tagged[User], error) {
	if err := checkUsername(in.Body.Username); err != nil {
		return nil, err
	}
	grants, err := in.Body.grants()
	if err != nil {
		return nil, err
	}
	u := job.User{Username: in.Body.Username, Role: job.Role(in.Body.Role), Grants: grants, Disabled: in.Body.Disabled}
	if u, err = s.deps.Auth.CreateUser(ctx, u, in.Body.Password); err != nil {
		return nil, err
	}
	return withTag(userOf(u), u.Version), nil
}

// onUser binds a handler of the account in the path; accounts belong to no group.
func onUser[I, O any, P path[I, int32]](s *server, fn func(context.Context, job.User, *I) (*O, error)) binder {
	load := func(ctx context.Context, in *I) (job.User, error) { return s.deps.Store.User(ctx, P(in).id()) }
	return on(load, func(*job.User) int32 { return 0 }, fn)
}

func (s *server) getUser(_ context.Context, u job.User, _ *ObjectID) (*tagged[User], error) {
	return withTag(userOf(u), u.Version), nil
}

type userEditInput struct {
	ObjectID
	Condition
	Trial
	Body UserEdit
}

// updateUser logs the user out everywhere when it changes what the account may do.
func (s *server) updateUser(ctx context.Context, u job.User, in *userEditInput) (*tagged[User], error) {
	if err := in.met(u.Version); err != nil {
		return nil, err
	}
	grants, err := in.Body.grants()
	if err != nil {
		return nil, err
	}
	e := job.UserEdit{ID: u.ID, Version: in.Body.Version, Role: job.Role(in.Body.Role), Grants: grants, Disabled: in.Body.Disabled}
	if in.Body.Password != "" {
		if e.PasswordHash, err = s.deps.Auth.Hash(ctx, in.Body.Password); err != nil {
			return nil, err
		}
	}
	if u, err = s.deps.Store.UpdateUser(ctx, e); err != nil {
		return nil, err
	}
	return withTag(userOf(u), u.Version), nil
}

func (s *server) deleteUser(ctx context.Context, u job.User, in *deleteObjectInput) (*none, error) {
	if err := in.met(u.Version); err != nil {
		return nil, err
	}
	return nil, s.deps.Store.DeleteUser(ctx, u.ID, in.only(u.Version))
}

func (s *server) endUserSessions(ctx context.Context, u job.User, _ *triedObject) (*none, error) {
	return nil, s.deps.Store.EndSessions(ctx, u.ID)
}
