package api

import (
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/gluewheel/gluewheel/admin/auth"
	"github.com/gluewheel/gluewheel/glue"
)

// route is one line of the table.
type route struct {
	method   string
	path     string // below prefix
	id       string // operationId
	right    auth.Right
	tag      string
	summary  string
	bind     binder
	status   int           // of success; default 200
	maxBytes int64         // of the body; default 1 MiB
	media    string        // of the body when it is not JSON
	sends    string        // media type of the answer when the handler streams it
	time     time.Duration // bound of the request; default requestTime
	reads    bool          // changes nothing, though it is no GET: it leaves no audit entry
}

const (
	get  = http.MethodGet
	post = http.MethodPost
	put  = http.MethodPut
	del  = http.MethodDelete
)

const (
	pathArtifacts = "/artifacts"
	// publishBytes leaves room for the escapes of a source of full length.
	publishBytes = 2 * glue.MaxSource
	uploadTime   = 2 * time.Minute
)

var tags = []*huma.Tag{
	{Name: "session", Description: "Logging in and out, one's own password and sessions."},
	{Name: "accounts", Description: "Users, what they may do, and API tokens."},
	{Name: "audit", Description: "Who changed what."},
	{Name: "groups", Description: "Executor groups: the executors that share an app name."},
	{Name: "jobs", Description: "Jobs and their schedules."},
	{Name: "code", Description: "GLUE versions of a job's code, and uploaded modules."},
	{Name: "bundles", Description: "Groups, jobs and live code as YAML, from one installation to another."},
	{Name: "reports", Description: "Figures for dashboards."},
	{Name: "runs", Description: "What has run, is running, and will run."},
	{Name: "secrets", Description: "Values of a group that code may read."},
	{Name: "alarms", Description: "Who hears of what, and how."},
	{Name: "system", Description: "The installation."},
}

// routes is every operation with the right that it needs. Those of objects (onJob, …)
// need it in the object's group.
func (s *server) routes() []route {
	return slices.Concat(s.coreRoutes(), s.authoringRoutes(), s.reportRoutes(), s.accountRoutes(), s.alarmRoutes(), s.secretRoutes(), s.wireRoutes(), s.reviewRoutes())
}

func (s *server) coreRoutes() []route {
	return []route{
		{method: get, path: "/groups", id: "listGroups", right: auth.GroupView, tag: "groups", summary: "List groups", bind: plain(s.listGroups)},
		{method: post, path: "/groups", id: "createGroup", right: auth.SystemAdmin, tag: "groups", summary: "Create a group", bind: plain(s.createGroup), status: http.StatusCreated},
		{method: get, path: "/groups/{id}", id: "getGroup", right: auth.GroupView, tag: "groups", summary: "Show a group", bind: onGroup(s, s.getGroup)},
		{method: put, path: "/groups/{id}", id: "updateGroup", right: auth.GroupEdit, tag: "groups", summary: "Replace a group's fields", bind: onGroup(s, s.updateGroup)},
		{method: del, path: "/groups/{id}", id: "deleteGroup", right: auth.SystemAdmin, tag: "groups", summary: "Delete a group without jobs", bind: onGroup(s, s.deleteGroup), status: http.StatusNoContent},
		{method: get, path: "/groups/{id}/executors", id: "listGroupExecutors", right: auth.GroupView, tag: "groups", summary: "List a group's executors", bind: onGroup(s, s.listGroupExecutors)},

		{method: get, path: "/jobs", id: "listJobs", right: auth.JobView, tag: "jobs", summary: "List jobs, newest first", bind: plain(s.listJobs)},
		{method: post, path: "/jobs", id: "createJob", right: auth.JobEdit, tag: "jobs", summary: "Create a job, stopped", bind: inGroup(s, s.createJob), status: http.StatusCreated},
		{method: get, path: "/jobs/{id}", id: "getJob", right: auth.JobView, tag: "jobs", summary: "Show a job", bind: onJob(s, s.getJob)},
		{method: put, path: "/jobs/{id}", id: "updateJob", right: auth.JobEdit, tag: "jobs", summary: "Replace a job's fields", bind: onJob(s, s.updateJob)},
		{method: del, path: "/jobs/{id}", id: "deleteJob", right: auth.JobEdit, tag: "jobs", summary: "Delete a job and its code", bind: onJob(s, s.deleteJob)},
		{method: post, path: "/jobs/{id}/start", id: "startJob", right: auth.JobOperate, tag: "jobs", summary: "Start a job's schedule", bind: onJob(s, s.startJob)},
		{method: post, path: "/jobs/{id}/stop", id: "stopJob", right: auth.JobOperate, tag: "jobs", summary: "Stop a job's schedule", bind: onJob(s, s.stopJob)},
		{method: post, path: "/jobs/{id}/trigger", id: "triggerJob", right: auth.JobOperate, tag: "jobs", summary: "Run a job now", bind: onJob(s, s.triggerJob)},
		{method: get, path: "/jobs/{id}/next", id: "nextFires", right: auth.JobView, tag: "jobs", summary: "Next instants at which a job fires", bind: onJob(s, s.nextFires)},
		{method: post, path: "/schedule/preview", id: "previewSchedule", right: auth.Self, tag: "jobs", summary: "Next instants of a schedule", bind: plain(s.previewSchedule), reads: true},

		{method: get, path: "/jobs/{id}/versions", id: "listVersions", right: auth.JobView, tag: "code", summary: "List a job's versions, newest first", bind: onJob(s, s.listVersions)},
		{method: post, path: "/jobs/{id}/versions", id: "publishVersion", right: auth.GluePublish, tag: "code", summary: "Publish code", bind: onJob(s, s.publishVersion), status: http.StatusCreated, maxBytes: publishBytes},
		{method: get, path: "/jobs/{id}/versions/{number}", id: "getVersion", right: auth.JobView, tag: "code", summary: "Show a version with its source", bind: onJob(s, s.getVersion)},
		{method: post, path: "/jobs/{id}/rollback", id: "rollbackVersion", right: auth.GluePublish, tag: "code", summary: "Publish an old version again", bind: onJob(s, s.rollbackVersion), status: http.StatusCreated},
		{method: get, path: pathArtifacts, id: "listArtifacts", right: auth.Self, tag: "code", summary: "List uploaded modules, newest first", bind: plain(s.listArtifacts)},
		{method: post, path: pathArtifacts, id: "uploadArtifact", right: auth.GlueUpload, tag: "code", summary: "Upload a WebAssembly module", bind: plain(s.uploadArtifact), status: http.StatusCreated, maxBytes: glue.MaxArtifact, media: mediaWasm, time: uploadTime},
		{method: get, path: pathArtifacts + "/{digest}", id: "getArtifact", right: auth.Self, tag: "code", summary: "Show an uploaded module", bind: plain(s.getArtifact)},
		{method: get, path: pathArtifacts + "/{digest}/content", id: "downloadArtifact", right: auth.Self, tag: "code", summary: "Download a module", bind: plain(s.downloadArtifact), sends: mediaWasm},

		{method: get, path: "/runs", id: "listRuns", right: auth.JobView, tag: "runs", summary: "List runs, newest first", bind: plain(s.listRuns)},
		{method: get, path: "/runs/{id}", id: "getRun", right: auth.JobView, tag: "runs", summary: "Show a run", bind: onRun(s, s.getRun)},
		{method: get, path: "/runs/{id}/log", id: "getRunLog", right: auth.JobView, tag: "runs", summary: "Read a run's log from a line on", bind: onRun(s, s.getRunLog)},
		{method: get, path: "/runs/{id}/log/content", id: "downloadRunLog", right: auth.JobView, tag: "runs", summary: "Download a run's whole log", bind: onRun(s, s.downloadRunLog), sends: mediaText},
		{method: get, path: "/runs/{id}/log/matches", id: "searchRunLog", right: auth.JobView, tag: "runs", summary: "Find the lines of a run's log with a text", bind: onRun(s, s.searchRunLog)},
		{method: post, path: "/runs/{id}/kill", id: "killRun", right: auth.JobOperate, tag: "runs", summary: "End an open run", bind: onRun(s, s.killRun)},

		{method: get, path: "/executors", id: "listExecutors", right: auth.GroupView, tag: "system", summary: "List registered executors", bind: plain(s.listExecutors)},
		{method: get, path: "/system", id: "getSystem", right: auth.Self, tag: "system", summary: "About this installation", bind: plain(s.system)},
	}
}

func (r route) description() string {
	switch r.right {
	case auth.Public:
		return "Needs no login."
	case auth.Self:
		return "Needs a login."
	default:
		return fmt.Sprintf("Needs the right %s.", r.right)
	}
}
