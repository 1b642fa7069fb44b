package api

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/gluewheel/gluewheel/admin/auth"
	"github.com/gluewheel/gluewheel/admin/job"
)

// Credentials log a user in.
type Credentials struct {
	Username string `json:"username" minLength:"1" maxLength:"100"`
	Password string `json:"password" minLength:"1" maxLength:"200" format:"password"`
}

// LoggedIn is who is logged in.
type LoggedIn struct {
	ID       int32   `json:"id"`
	Username string  `json:"username"`
	Role     Role    `json:"role"`
	GroupIDs []int32 `json:"group_ids" nullable:"false" doc:"Groups with a grant; empty for those who see all."`
}

// Me is who is logged in, and what they may do: a page hides what would be refused.
type Me struct {
	User   LoggedIn     `json:"user"`
	Role   Role         `json:"role"`
	Grants []Grant      `json:"grants" nullable:"false" doc:"Roles in groups."`
	Every  GroupRole    `json:"role_everywhere,omitempty" doc:"The role in every group, beside the grants; absent for none."`
	Rights []auth.Right `json:"rights" nullable:"false" doc:"Held in at least one group; those on a group's objects go by the role in it."`
}

func meOf(id auth.Identity) Me {
	return Me{
		User: LoggedIn{
			ID: id.UserID, Username: id.Username, Role: Role(id.Role),
			GroupIDs: mapped(id.Grants, func(g job.Grant) int32 { return g.GroupID }),
		},
		Role: Role(id.Role), Grants: mapped(id.Grants, grantOf), Every: GroupRole(id.Everywhere), Rights: notNil(id.Rights()),
	}
}

// client is what a login needs to know of the request itself.
type client struct {
	auth.Client
	tls bool
}

func clientOf(hc huma.Context) client {
	return client{
		Client: auth.Client{Addr: clientAddr(hc), UserAgent: hc.Header("User-Agent"), Session: sessionToken(hc)},
		tls:    overTLS(hc),
	}
}

// cookie is the session's cookie; an empty secret takes it away.
func (c client) cookie(secret string) string {
	cookie := http.Cookie{
		Name: cookieName, Value: secret, Path: "/", HttpOnly: true,
		Secure: c.tls, SameSite: http.SameSiteStrictMode, MaxAge: int(auth.SessionLife.Seconds()),
	}
	if secret == "" {
		cookie.MaxAge = -1
	}
	return cookie.String()
}

type loginInput struct {
	Body   Credentials
	client client
}

// Resolve is called by huma.
func (in *loginInput) Resolve(hc huma.Context) []error {
	in.client = clientOf(hc)
	return nil
}

type loginOutput struct {
	SetCookie string `header:"Set-Cookie"`
	Body      Me
}

func (s *server) login(ctx context.Context, in *loginInput) (*loginOutput, error) {
	id, secret, err := s.deps.Auth.Login(ctx, in.Body.Username, in.Body.Password, in.client.Client)
	if err != nil {
		s.noteLogin(ctx, in.Body.Username, in.client.Addr, err)
		return nil, err
	}
	return &loginOutput{SetCookie: in.client.cookie(secret), Body: meOf(id)}, nil
}

// clientInput is of operations on the session that asks.
type clientInput struct{ client client }

// Resolve is called by huma.
func (in *clientInput) Resolve(hc huma.Context) []error {
	in.client = clientOf(hc)
	return nil
}

// cookieOutput is an answer that is nothing but a change of the cookie.
type cookieOutput struct {
	SetCookie string `header:"Set-Cookie"`
}

// logout needs no session: one that has ended is as good as ended.
func (s *server) logout(ctx context.Context, in *clientInput) (*cookieOutput, error) {
	if err := s.deps.Auth.Logout(ctx, in.client.Session); err != nil {
		return nil, err
	}
	return &cookieOutput{SetCookie: in.client.cookie("")}, nil
}

func (s *server) me(ctx context.Context, _ *struct{}) (*body[Me], error) {
	return answer(meOf(callerOf(ctx).Identity)), nil
}

// PasswordChange replaces one's own password.
type PasswordChange struct {
	OldPassword string `json:"old_password" minLength:"1" maxLength:"200" format:"password"`
	NewPassword string `json:"new_password" minLength:"1" maxLength:"200" format:"password" doc:"8 to 200 characters."`
}

type changePasswordInput struct {
	Body   PasswordChange
	client client
}

// Resolve is called by huma.
func (in *changePasswordInput) Resolve(hc huma.Context) []error {
	in.client = clientOf(hc)
	return nil
}

// changePassword ends the user's sessions, and gives the one that asks a new cookie.
func (s *server) changePassword(ctx context.Context, in *changePasswordInput) (*cookieOutput, error) {
	id := callerOf(ctx).Identity
	secret, err := s.deps.Auth.ChangePassword(ctx, id, in.Body.OldPassword, in.Body.NewPassword, in.client.Client)
	s.noteLogin(ctx, id.Username, in.client.Addr, err)
	if err != nil {
		return nil, atField(err, "password", "new_password")
	}
	return &cookieOutput{SetCookie: in.client.cookie(secret)}, nil
}

// Session is a login of the user who asks.
type Session struct {
	ID        int64  `json:"id"`
	CreatedAt Time   `json:"created_at"`
	UsedAt    Time   `json:"used_at" doc:"To the minute."`
	ExpiresAt Time   `json:"expires_at" doc:"Unless it is used before."`
	Address   string `json:"address" doc:"That it was begun from."`
	UserAgent string `json:"user_agent"`
	Current   bool   `json:"current" doc:"The one that asks."`
}

// Sessions wraps the list: there are few enough for one page.
type Sessions struct {
	Items []Session `json:"items" nullable:"false"`
}

func sessionOf(i job.SessionInfo) Session {
	return Session{
		ID: i.ID, CreatedAt: instant(i.CreatedAt), UsedAt: instant(i.UsedAt), ExpiresAt: instant(i.ExpiresAt),
		Address: i.Address, UserAgent: i.UserAgent, Current: i.Current,
	}
}

func (s *server) listSessions(ctx context.Context, in *clientInput) (*body[Sessions], error) {
	list, err := s.deps.Auth.Sessions(ctx, callerOf(ctx).UserID, in.client.Session)
	if err != nil {
		return nil, err
	}
	return answer(Sessions{mapped(list, sessionOf)}), nil
}

type endSessionInput struct {
	ID int64 `path:"id" minimum:"1" maximum:"9007199254740991"`
}

func (s *server) endSession(ctx context.Context, in *endSessionInput) (*none, error) {
	return nil, s.deps.Store.EndSession(ctx, callerOf(ctx).UserID, in.ID)
}

// LoginOptions says how one can log in.
type LoginOptions struct {
	OIDC OIDCOption `json:"oidc"`
}

// OIDCOption is single sign-on.
type OIDCOption struct {
	Enabled bool   `json:"enabled"`
	Name    string `json:"name" doc:"Of the provider, for people."`
}

func (s *server) loginOptions(context.Context, *struct{}) (*body[LoginOptions], error) {
	var out LoginOptions
	if s.deps.OIDC != nil {
		out.OIDC = OIDCOption{Enabled: true, Name: s.deps.OIDC.Name()}
	}
	return answer(out), nil
}
