package api

import (
	"net/http"

	"github.com/gluewheel/gluewheel/admin/auth"
)

// secretRoutes are those of a group's secrets, which nobody reads back, and variables.
func (s *server) secretRoutes() []route {
	const tag = "secrets"
	return []route{
		{method: get, path: "/groups/{id}/secrets", id: "listSecrets", right: auth.SecretEdit, tag: tag, summary: "List a group's secrets, without their values", bind: onGroup(s, s.listSecrets)},
		{method: get, path: "/groups/{id}/secrets/{name}", id: "getSecret", right: auth.SecretEdit, tag: tag, summary: "Show a secret without its value", bind: onGroup(s, s.getSecret)},
		{method: put, path: "/groups/{id}/secrets/{name}", id: "putSecret", right: auth.SecretEdit, tag: tag, summary: "Set a secret", bind: onGroup(s, s.putSecret)},
		{method: del, path: "/groups/{id}/secrets/{name}", id: "deleteSecret", right: auth.SecretEdit, tag: tag, summary: "Delete a secret", bind: onGroup(s, s.deleteSecret), status: http.StatusNoContent},
		{method: get, path: "/groups/{id}/variables", id: "listVariables", right: auth.SecretEdit, tag: tag, summary: "List a group's variables", bind: onGroup(s, s.listVariables)},
		{method: get, path: "/groups/{id}/variables/{name}", id: "getVariable", right: auth.SecretEdit, tag: tag, summary: "Show a variable", bind: onGroup(s, s.getVariable)},
		{method: put, path: "/groups/{id}/variables/{name}", id: "putVariable", right: auth.SecretEdit, tag: tag, summary: "Set a variable", bind: onGroup(s, s.putVariable)},
		{method: del, path: "/groups/{id}/variables/{name}", id: "deleteVariable", right: auth.SecretEdit, tag: tag, summary: "Delete a variable", bind: onGroup(s, s.deleteVariable), status: http.StatusNoContent},
	}
}
