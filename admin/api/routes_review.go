package api

import "github.com/gluewheel/gluewheel/admin/auth"

// reviewRoutes are for the second pair of eyes that a group may ask for.
func (s *server) reviewRoutes() []route {
	return []route{
		{method: get, path: "/reviews", id: "listReviews", right: auth.JobView, tag: "code", summary: "List versions that wait for approval", bind: plain(s.listReviews)},
		{method: post, path: "/jobs/{id}/versions/{number}/approve", id: "approveVersion", right: auth.GluePublish, tag: "code", summary: "Approve another's version: it is live at once", bind: onJob(s, s.approveVersion)},
		{method: post, path: "/jobs/{id}/versions/{number}/reject", id: "rejectVersion", right: auth.GluePublish, tag: "code", summary: "Reject another's version", bind: onJob(s, s.rejectVersion)},
	}
}
