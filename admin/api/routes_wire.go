package api

import (
	"net/http"

	"github.com/gluewheel/gluewheel/admin/auth"
)

// wireRoutes are about executors: the tokens that they come with, and those that wait for
// a group.
func (s *server) wireRoutes() []route {
	const tag = "groups"
	return []route{
		{method: get, path: "/groups/{id}/tokens", id: "listGroupTokens", right: auth.WireTokenEdit, tag: tag, summary: "List the tokens of a group's executors, oldest first", bind: onGroup(s, s.listGroupTokens)},
		{method: post, path: "/groups/{id}/tokens", id: "createGroupToken", right: auth.WireTokenEdit, tag: tag, summary: "Create a token for a group's executors", bind: onGroup(s, s.createGroupToken), status: http.StatusCreated},
		{method: del, path: "/groups/{id}/tokens/{token_id}", id: "deleteGroupToken", right: auth.WireTokenEdit, tag: tag, summary: "Delete a token: executors that have it are refused from now on", bind: onGroup(s, s.deleteGroupToken), status: http.StatusNoContent},

		{method: get, path: "/executors/waiting", id: "listWaiting", right: auth.SystemAdmin, tag: tag, summary: "List app names whose executors register although no group has them", bind: plain(s.listWaiting)},
		{method: post, path: "/executors/waiting/{app_name}/accept", id: "acceptWaiting", right: auth.SystemAdmin, tag: tag, summary: "Create the group of a waiting app name", bind: plain(s.acceptWaiting), status: http.StatusCreated},
	}
}
