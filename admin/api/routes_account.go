package api

import (
	"net/http"

	"github.com/gluewheel/gluewheel/admin/auth"
)

// accountRoutes are logins, users, tokens and the audit log.
func (s *server) accountRoutes() []route {
	return []route{
		{method: get, path: "/login/options", id: "getLoginOptions", right: auth.Public, tag: "session", summary: "How one can log in", bind: plain(s.loginOptions)},
		{method: post, path: "/login", id: "login", right: auth.Public, tag: "session", summary: "Log in", bind: plain(s.login)},
		{method: post, path: "/logout", id: "logout", right: auth.Public, tag: "session", summary: "Log out", bind: plain(s.logout), status: http.StatusNoContent},
		{method: get, path: "/me", id: "getMe", right: auth.Self, tag: "session", summary: "Who is logged in, and what they may do", bind: plain(s.me)},
		{method: post, path: "/me/password", id: "changePassword", right: auth.AccountOwn, tag: "session", summary: "Change one's own password", bind: plain(s.changePassword), status: http.StatusNoContent},
		{method: get, path: "/me/sessions", id: "listSessions", right: auth.AccountOwn, tag: "session", summary: "List one's own sessions", bind: plain(s.listSessions)},
		{method: del, path: "/me/sessions/{id}", id: "endSession", right: auth.AccountOwn, tag: "session", summary: "End one of one's own sessions", bind: plain(s.endSession), status: http.StatusNoContent},

		{method: get, path: "/users", id: "listUsers", right: auth.UserView, tag: "accounts", summary: "List users", bind: plain(s.listUsers)},
		{method: post, path: "/users", id: "createUser", right: auth.UserEdit, tag: "accounts", summary: "Create a user", bind: plain(s.createUser), status: http.StatusCreated},
		{method: get, path: "/users/{id}", id: "getUser", right: auth.UserView, tag: "accounts", summary: "Show a user", bind: onUser(s, s.getUser)},
		{method: put, path: "/users/{id}", id: "updateUser", right: auth.UserEdit, tag: "accounts", summary: "Replace what a user may do", bind: onUser(s, s.updateUser)},
		{method: del, path: "/users/{id}", id: "deleteUser", right: auth.UserEdit, tag: "accounts", summary: "Delete a user with all sessions and tokens", bind: onUser(s, s.deleteUser), status: http.StatusNoContent},
		{method: del, path: "/users/{id}/sessions", id: "endUserSessions", right: auth.UserEdit, tag: "accounts", summary: "Log a user out everywhere", bind: onUser(s, s.endUserSessions), status: http.StatusNoContent},

		{method: get, path: "/tokens", id: "listTokens", right: auth.TokenOwn, tag: "accounts", summary: "List one's own API tokens; an admin sees all", bind: plain(s.listTokens)},
		{method: post, path: "/tokens", id: "createToken", right: auth.TokenOwn, tag: "accounts", summary: "Create an API token", bind: plain(s.createToken), status: http.StatusCreated},
		{method: del, path: "/tokens/{id}", id: "deleteToken", right: auth.TokenOwn, tag: "accounts", summary: "End an API token, and those that it has made", bind: plain(s.deleteToken), status: http.StatusNoContent},

		{method: get, path: "/audit", id: "listAudit", right: auth.AuditView, tag: "audit", summary: "List changes, newest first", bind: plain(s.listAudit)},
		{method: get, path: "/audit/export", id: "exportAudit", right: auth.AuditView, tag: "audit", summary: "Download changes as NDJSON or CSV", bind: plain(s.exportAudit), time: exportTime},
	}
}
