import { isRedirect } from "@tanstack/react-router";
import { expect, it } from "vitest";
import { leaveOldAddress } from "./old-address";

function placeOf(path: string, search: Record<string, unknown>) {
  try {
    leaveOldAddress(path, search);
  } catch (thrown) {
    if (!isRedirect(thrown)) throw thrown;
    const { to, params, search: asked } = thrown.options as Record<string, unknown>;
    return JSON.parse(JSON.stringify({ to, params, search: asked })) as unknown;
  }
}

it.each([
  ["/xxl-job-admin", {}, { to: "/" }],
  ["/xxl-job-admin/", {}, { to: "/" }],
  ["/xxl-job-admin/toLogin", {}, { to: "/" }],
  ["/xxl-job-admin/jobinfo", {}, { to: "/jobs", search: {} }],
  ["/xxl-job-admin/jobinfo", { jobGroup: 2 }, { to: "/jobs", search: { group_id: 2 } }],
  ["/xxl-job-admin/joblog", {}, { to: "/runs", search: {} }],
  ["/xxl-job-admin/joblog", { jobId: 1 }, { to: "/runs", search: { job_id: 1 } }],
  [
    "/joblog",
    { jobGroup: "2", jobId: "1" },
    { to: "/runs", search: { job_id: 1, group_id: 2 } },
  ],
  ["/xxl-job-admin/joblog/logDetailPage", { id: 7 }, { to: "/runs/$runID", params: { runID: 7 } }],
  ["/xxl-job-admin/jobgroup", {}, { to: "/executors" }],
  ["/xxl-job-admin/user", {}, { to: "/users" }],
  ["/xxl-job-admin/jobcode", { jobId: 1 }, { to: "/jobs/$jobID/glue", params: { jobID: 1 } }],
  ["/xxl-job-admin/jobcode", { jobId: "x" }, { to: "/jobs" }],
  ["/xxl-job-admin/help", {}, { to: "/jobs", search: {} }],
])("%s with %j leads to %j", (path, search, place) => {
  expect(placeOf(path, search)).toEqual(place);
});
