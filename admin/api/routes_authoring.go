package api

import (
	"net/http"

	"github.com/gluewheel/gluewheel/admin/auth"
	"github.com/gluewheel/gluewheel/admin/bundle"
)

// authoringRoutes are for writing code and trying it. Nobody writes another's draft, and
// they are saved as one types: they leave no audit entries.
func (s *server) authoringRoutes() []route {
	return []route{
		{method: get, path: "/jobs/{id}/draft", id: "getDraft", right: auth.JobEdit, tag: "code", summary: "Show your draft of a job's code", bind: onJob(s, s.getDraft)},
		{method: put, path: "/jobs/{id}/draft", id: "saveDraft", right: auth.JobEdit, tag: "code", summary: "Save your draft of a job's code", bind: onJob(s, s.saveDraft), maxBytes: publishBytes, reads: true},
		{method: del, path: "/jobs/{id}/draft", id: "deleteDraft", right: auth.JobEdit, tag: "code", summary: "Delete your draft of a job's code", bind: onJob(s, s.deleteDraft), status: http.StatusNoContent, reads: true},
		{method: get, path: "/jobs/{id}/drafts", id: "listDrafts", right: auth.JobView, tag: "code", summary: "List who is writing a job's code", bind: onJob(s, s.listDrafts)},
		{method: get, path: "/jobs/{id}/drafts/{username}", id: "getDraftOf", right: auth.JobEdit, tag: "code", summary: "Show another's draft of a job's code", bind: onJob(s, s.getDraftOf)},
		{method: post, path: "/jobs/bulk", id: "bulkJobs", right: auth.JobOperate, tag: "jobs", summary: "Start, stop, delete, tag or run many jobs", bind: plain(s.bulkJobs)},
		{method: get, path: "/export", id: "exportBundle", right: auth.JobView, tag: "bundles", summary: "Export groups, jobs and live code as YAML", bind: plain(s.exportBundle), time: bundleTime},
		{method: post, path: pathImportPlan, id: "planImport", right: auth.JobEdit, tag: "bundles", summary: "Say what an import would change", bind: plain(s.planImport), media: mediaYAML, maxBytes: bundle.MaxText, reads: true, time: bundleTime},
		{method: post, path: pathImportApply, id: "applyImport", right: auth.JobEdit, tag: "bundles", summary: "Import groups, jobs and live code, as a whole or not at all", bind: plain(s.applyImport), media: mediaYAML, maxBytes: bundle.MaxText, time: bundleTime},
		{method: post, path: "/glue/check", id: "checkCode", right: auth.JobEdit, tag: "code", summary: "Look for mistakes in code, without running it", bind: plain(s.checkCode), maxBytes: publishBytes, reads: true},
		{method: post, path: "/jobs/{id}/test-run", id: "testRun", right: auth.JobEdit, tag: "code", summary: "Run code that is not published", bind: onJob(s, s.testRun), status: http.StatusCreated, maxBytes: publishBytes},
		{method: post, path: "/runs/{id}/rerun", id: "rerun", right: auth.JobOperate, tag: "runs", summary: "Run again what a run ran", bind: onRun(s, s.rerun), status: http.StatusCreated},
		{method: get, path: "/runs/{id}/related", id: "listRelatedRuns", right: auth.JobView, tag: "runs", summary: "List a run's causes, retries, shards and children", bind: onRun(s, s.listRelated)},
	}
}
