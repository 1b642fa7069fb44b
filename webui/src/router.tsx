import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from "@tanstack/react-router";
import type { JobFilter, RunFilter } from "./api/queries";
import { glueTypes } from "./jobs/choices";
import { JobsPage } from "./jobs/jobs-page";
import { Root } from "./layout/root";
import { NotFound, PageError } from "./layout/page-error";
import { allCauses, allStates } from "./runs/state";
import { flag, id, instant, text, word, words } from "./ui/search";

// The first page is part of the first load; every other one is fetched when it is needed.

const rootRoute = createRootRoute({
  component: Root,
  notFoundComponent: NotFound,
  errorComponent: PageError,
});

const indexRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/",
  beforeLoad: () => {
    throw redirect({ to: "/jobs", replace: true });
  },
});

// Where XXL-JOB's users have their bookmarks.
const oldRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/xxl-job-admin/$",
  beforeLoad: () => {
    throw redirect({ to: "/jobs", replace: true });
  },
});

const jobsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/jobs",
  validateSearch: (search: Record<string, unknown>): JobFilter => ({
    group_id: id(search.group_id),
    q: text(search.q),
    enabled: flag(search.enabled),
    glue_type: word(search.glue_type, glueTypes),
    handler: text(search.handler),
    author: text(search.author),
    cursor: text(search.cursor),
  }),
  component: JobsPage,
});

const newJobRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/jobs/new",
  validateSearch: (search: Record<string, unknown>): { copy?: number; group_id?: number } => ({
    copy: id(search.copy),
    group_id: id(search.group_id),
  }),
  component: lazyRouteComponent(() => import("./jobs/job-form-page"), "NewJobPage"),
});

const jobParams = {
  parse: (raw: { jobID: string }) => ({ jobID: id(raw.jobID) ?? 0 }),
  stringify: (params: { jobID: number }) => ({ jobID: String(params.jobID) }),
};

const editJobRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/jobs/$jobID/edit",
  params: jobParams,
  component: lazyRouteComponent(() => import("./jobs/job-form-page"), "EditJobPage"),
});

const glueRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/jobs/$jobID/glue",
  params: jobParams,
  component: lazyRouteComponent(() => import("./glue/glue-page"), "GluePage"),
});

const runsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/runs",
  validateSearch: (search: Record<string, unknown>): RunFilter => ({
    state: words(search.state, allStates),
    job_id: id(search.job_id),
    group_id: id(search.group_id),
    cause: words(search.cause, allCauses),
    from: instant(search.from),
    to: instant(search.to),
    cursor: text(search.cursor),
  }),
  component: lazyRouteComponent(() => import("./runs/runs-page"), "RunsPage"),
});

const runRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/runs/$runID",
  params: {
    parse: (raw: { runID: string }) => ({ runID: id(raw.runID) ?? 0 }),
    stringify: (params: { runID: number }) => ({ runID: String(params.runID) }),
  },
  component: lazyRouteComponent(() => import("./runs/run-page"), "RunPage"),
});

const executorsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/executors",
  component: lazyRouteComponent(() => import("./executors/executors-page"), "ExecutorsPage"),
});

export const router = createRouter({
  routeTree: rootRoute.addChildren([
    indexRoute,
    oldRoute,
    jobsRoute,
    newJobRoute,
    editJobRoute,
    glueRoute,
    runsRoute,
    runRoute,
    executorsRoute,
  ]),
  defaultPreload: "intent",
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
