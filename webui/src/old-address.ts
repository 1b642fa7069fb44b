import { redirect } from "@tanstack/react-router";
import { id } from "./ui/search";

/** Leads from an address of XXL-JOB's admin, as people have it in bookmarks, to our page. */
export function leaveOldAddress(path: string, search: Record<string, unknown>): never {
  const replace = true;
  const jobID = id(search.jobId);
  const groupID = id(search.jobGroup);
  switch (path.replace(/^\/?(xxl-job-admin)?\/?/, "").replace(/\/$/, "")) {
    case "":
    case "dashboard":
    case "toLogin":
    case "auth/login":
      throw redirect({ to: "/", replace });
    case "joblog":
      throw redirect({ to: "/runs", search: { job_id: jobID, group_id: groupID }, replace });
    case "joblog/logDetailPage": {
      const runID = id(search.id);
      if (runID) throw redirect({ to: "/runs/$runID", params: { runID }, replace });
      throw redirect({ to: "/runs", replace });
    }
    case "jobgroup":
      throw redirect({ to: "/executors", replace });
    case "user":
      throw redirect({ to: "/users", replace });
    case "jobcode":
      if (jobID) throw redirect({ to: "/jobs/$jobID/glue", params: { jobID }, replace });
      throw redirect({ to: "/jobs", replace });
    default:
      throw redirect({ to: "/jobs", search: { group_id: groupID }, replace });
  }
}
