package api

import "github.com/gluewheel/gluewheel/admin/auth"

// reportRoutes are for dashboards: what is told is cut down to the caller's groups.
func (s *server) reportRoutes() []route {
	return []route{
		{method: get, path: "/reports/summary", id: "reportSummary", right: auth.JobView, tag: "reports", summary: "Jobs, today's runs, executors, lateness", bind: plain(s.reportSummary)},
		{method: get, path: "/reports/runs", id: "reportRuns", right: auth.JobView, tag: "reports", summary: "Ended runs over time", bind: plain(s.reportRuns)},
		{method: get, path: "/reports/jobs", id: "reportJobs", right: auth.JobView, tag: "reports", summary: "The slowest or most failing jobs", bind: plain(s.reportJobs)},
		{method: get, path: "/reports/upcoming", id: "reportUpcoming", right: auth.JobView, tag: "reports", summary: "How many fires are coming, by minute", bind: plain(s.reportUpcoming)},
		{method: get, path: "/jobs/{id}/history", id: "jobHistory", right: auth.JobView, tag: "jobs", summary: "A job's latest runs, for a sparkline", bind: onJob(s, s.jobHistory)},
	}
}
