import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
} from "@tanstack/react-router";
import { alarmStates, alarmTabs } from "./alarms/choices";
import { type AlarmFilter, type AuditFilter, type JobFilter, jobSorts, queries, type RunFilter } from "./api/queries";
import { queryClient } from "./api/query-client";
import { DashboardPage } from "./dashboard/dashboard-page";
import { type Range, ranges, shownSpan } from "./dashboard/range";
import { type SideSearch, sideTabs } from "./glue/side-tabs";
import { glueTypes } from "./jobs/choices";
import { Root } from "./layout/root";
import { NotFound, PageError } from "./layout/page-error";
import { allCauses, allStates } from "./runs/state";
import { leaveOldAddress } from "./old-address";
import { wasLoggedIn } from "./session/remember";
import { flag, id, instant, text, word, words } from "./ui/search";

// The first page is part of the first load; every other one is fetched when it is needed.
// The loaders do not wait: they ask for what the page shows first, while its code and the
// answer to who is logged in are on their way.

const ask: typeof queryClient.prefetchQuery = async (query) => {
  if (wasLoggedIn()) await queryClient.prefetchQuery(query);
};

const askForFrame = () => {
  void ask(queries.me());
  void ask(queries.system());
};

const rootRoute = createRootRoute({
  loader: askForFrame,
  component: Root,
  notFoundComponent: NotFound,
  errorComponent: PageError,
});

const indexRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/",
  validateSearch: (
    search: Record<string, unknown>,
  ): { range?: Range; from?: string; to?: string; group_id?: number } => ({
    range: word(search.range, ranges),
    group_id: id(search.group_id),
    from: instant(search.from),
    to: instant(search.to),
  }),
  loaderDeps: ({ search }) => search,
  loader: ({ deps }) => {
    const { from, to, step } = shownSpan(deps, new Date());
    void ask(queries.runCounts(from, to, step, deps.group_id));
    void ask(queries.summary(deps.group_id));
  },
  component: DashboardPage,
});

// Where XXL-JOB's users have their bookmarks.
const oldRouteAt = <Path extends string>(path: Path) =>
  createRoute({
    getParentRoute: () => rootRoute,
    path,
    beforeLoad: ({ location }) => leaveOldAddress(location.pathname, location.search),
  });

const oldRoutes = [
  oldRouteAt("/xxl-job-admin/$"),
  // From 3.4.1 on its context path is empty.
  oldRouteAt("/jobinfo"),
  oldRouteAt("/joblog"),
  oldRouteAt("/joblog/logDetailPage"),
  oldRouteAt("/jobgroup"),
  oldRouteAt("/jobcode"),
  oldRouteAt("/user"),
] as const;

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
    tag: text(search.tag),
    sort: word(search.sort, jobSorts),
    cursor: text(search.cursor),
  }),
  loaderDeps: ({ search }) => search,
  loader: ({ deps }) => {
    void ask(queries.jobs(deps));
    void ask(queries.groups());
  },
  component: lazyRouteComponent(() => import("./jobs/jobs-page"), "JobsPage"),
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
  validateSearch: (search: Record<string, unknown>): SideSearch => ({
    tab: word(search.tab, sideTabs),
    version: id(search.version),
  }),
  component: lazyRouteComponent(() => import("./glue/glue-page"), "GluePage"),
});

const runsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/runs",
  validateSearch: (search: Record<string, unknown>): RunFilter => ({
    state: words(search.state, allStates),
    job_id: id(search.job_id),
    group_id: id(search.group_id),
    q: text(search.q),
    cause: words(search.cause, allCauses),
    from: instant(search.from),
    to: instant(search.to),
    cursor: text(search.cursor),
  }),
  loaderDeps: ({ search }) => search,
  loader: ({ deps }) => {
    void ask(queries.runs(deps, false));
    void ask(queries.groups());
  },
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

const reviewsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/reviews",
  validateSearch: (search: Record<string, unknown>): { cursor?: string } => ({
    cursor: text(search.cursor),
  }),
  component: lazyRouteComponent(() => import("./reviews/reviews-page"), "ReviewsPage"),
});

const executorsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/executors",
  validateSearch: (search: Record<string, unknown>): { q?: string } => ({ q: text(search.q) }),
  component: lazyRouteComponent(() => import("./executors/executors-page"), "ExecutorsPage"),
});

const usersRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/users",
  validateSearch: (search: Record<string, unknown>): { q?: string; cursor?: string } => ({
    q: text(search.q),
    cursor: text(search.cursor),
  }),
  component: lazyRouteComponent(() => import("./users/users-page"), "UsersPage"),
});

const tokensRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/tokens",
  validateSearch: (search: Record<string, unknown>): { cursor?: string } => ({
    cursor: text(search.cursor),
  }),
  component: lazyRouteComponent(() => import("./tokens/tokens-page"), "TokensPage"),
});

const auditRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/audit",
  validateSearch: (search: Record<string, unknown>): AuditFilter => ({
    actor: text(search.actor),
    action: text(search.action),
    object_type: text(search.object_type),
    object_id: text(search.object_id),
    group_id: id(search.group_id),
    from: instant(search.from),
    to: instant(search.to),
    q: text(search.q),
    cursor: text(search.cursor),
  }),
  component: lazyRouteComponent(() => import("./audit/audit-page"), "AuditPage"),
});

const alarmsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/alarms",
  validateSearch: (
    search: Record<string, unknown>,
  ): AlarmFilter & { tab?: (typeof alarmTabs)[number] } => ({
    tab: word(search.tab, alarmTabs),
    rule_id: id(search.rule_id),
    group_id: id(search.group_id),
    job_id: id(search.job_id),
    state: word(search.state, alarmStates),
    from: instant(search.from),
    to: instant(search.to),
    cursor: text(search.cursor),
  }),
  component: lazyRouteComponent(() => import("./alarms/alarms-page"), "AlarmsPage"),
});

const exchangeRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/exchange",
  component: lazyRouteComponent(() => import("./exchange/exchange-page"), "ExchangePage"),
});

const settingsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/settings",
  component: lazyRouteComponent(() => import("./settings/settings-page"), "SettingsPage"),
});

export const router = createRouter({
  routeTree: rootRoute.addChildren([
    indexRoute,
    ...oldRoutes,
    jobsRoute,
    newJobRoute,
    editJobRoute,
    glueRoute,
    runsRoute,
    runRoute,
    reviewsRoute,
    executorsRoute,
    usersRoute,
    tokensRoute,
    auditRoute,
    alarmsRoute,
    exchangeRoute,
    settingsRoute,
  ]),
  defaultPreload: "intent",
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
