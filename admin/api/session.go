package api

import (
	"context"
	"net/http"
	"net/netip"

	"github.com/danielgtaylor/huma/v2"

	"github.com/gluewheel/gluewheel/admin/auth"
)

// Credentials log a user in.
type Credentials struct {
	Username string `json:"username" minLength:"1" maxLength:"100"`
	Password string `json:"password" minLength:"1" maxLength:"200" format:"password"`
}

// User is who is logged in.
type User struct {
	ID       int32   `json:"id"`
	Username string  `json:"username"`
	Role     Role    `json:"role"`
	GroupIDs []int32 `json:"group_ids" nullable:"false" doc:"Groups of a plain user; empty for an admin, who has all."`
}

// Me wraps the user, so that more can stand beside it.
type Me struct {
	User User `json:"user"`
}

func userOf(id auth.Identity) User {
	return User{ID: id.UserID, Username: id.Username, Role: Role(id.Role), GroupIDs: notNil(id.GroupIDs)}
}

// client is what a login needs to know of the request itself.
type client struct {
	addr  netip.Addr
	token string
	tls   bool
}

func clientOf(hc huma.Context) client {
	return client{addr: clientAddr(hc), token: sessionToken(hc), tls: overTLS(hc)}
}

// cookie is the session's cookie; an empty token takes it away.
func (c client) cookie(token string) string {
	cookie := http.Cookie{
		Name: cookieName, Value: token, Path: "/", HttpOnly: true,
		Secure: c.tls, SameSite: http.SameSiteStrictMode, MaxAge: int(auth.SessionLife.Seconds()),
	}
	if token == "" {
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
	id, token, err := s.deps.Auth.Login(ctx, in.Body.Username, in.Body.Password, in.client.addr, in.client.token)
	if err != nil {
		return nil, err
	}
	return &loginOutput{SetCookie: in.client.cookie(token), Body: Me{userOf(id)}}, nil
}

type logoutInput struct{ client client }

// Resolve is called by huma.
func (in *logoutInput) Resolve(hc huma.Context) []error {
	in.client = clientOf(hc)
	return nil
}

type logoutOutput struct {
	SetCookie string `header:"Set-Cookie"`
}

// logout needs no session: one that has ended is as good as ended.
func (s *server) logout(ctx context.Context, in *logoutInput) (*logoutOutput, error) {
	if err := s.deps.Auth.Logout(ctx, in.client.token); err != nil {
		return nil, err
	}
	return &logoutOutput{SetCookie: in.client.cookie("")}, nil
}

func (s *server) me(ctx context.Context, _ *struct{}) (*body[Me], error) {
	return answer(Me{userOf(callerOf(ctx).Identity)}), nil
}
