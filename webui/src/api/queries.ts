import { keepPreviousData, type QueryClient, queryOptions } from "@tanstack/react-query";
import { api, unwrap } from "./client";
import type { Cause, GlueType, Me, ScheduleInput, State, User } from "./types";

export interface JobFilter {
  group_id?: number;
  q?: string;
  enabled?: boolean;
  glue_type?: GlueType;
  handler?: string;
  author?: string;
  tag?: string;
  sort?: JobSort;
  cursor?: string;
}

/** What a list of jobs may be ordered by; with a minus in front downwards. */
export const jobSorts = ["id", "-id", "name", "-name", "next_fire", "-next_fire"] as const;
export type JobSort = (typeof jobSorts)[number];

export interface RunFilter {
  state?: State[];
  cause?: Cause[];
  job_id?: number;
  group_id?: number;
  /** Part of the job's name. */
  q?: string;
  from?: string;
  to?: string;
  cursor?: string;
}

export interface AuditFilter {
  actor?: string;
  action?: string;
  object_type?: string;
  object_id?: string;
  group_id?: number;
  from?: string;
  to?: string;
  q?: string;
  cursor?: string;
}

const pageSize = 20; // entries, about a screen

/** Entries of lists that people do not page through: the server's most. */
export const wholeList = 500;

/** Planned fires that are asked for at most: the server's bound. */
export const mostFires = 2000;

const everySecond = 1000; // ms
const everyFiveSeconds = 5000; // ms

/** Who is logged in, of the server's answer. */
export function toUser({ user, rights, grants, role_everywhere }: Me): User {
  return { ...user, rights, grants, role_everywhere };
}

/** What of the messages is listed. */
export interface AlarmFilter {
  rule_id?: number;
  group_id?: number;
  job_id?: number;
  state?: "pending" | "delivered" | "failed";
  from?: string;
  to?: string;
  cursor?: string;
}

export const queries = {
  me: () =>
    queryOptions({
      queryKey: ["me"],
      queryFn: async ({ signal }) => toUser(await unwrap(api.GET("/me", { signal }))),
      staleTime: Infinity,
    }),

  system: () =>
    queryOptions({
      queryKey: ["system"],
      queryFn: ({ signal }) => unwrap(api.GET("/system", { signal })),
      staleTime: Infinity,
    }),

  groups: () =>
    queryOptions({
      queryKey: ["groups"],
      queryFn: ({ signal }) =>
        unwrap(api.GET("/groups", { params: { query: { limit: wholeList } }, signal })),
      staleTime: 30_000,
    }),

  executors: () =>
    queryOptions({
      queryKey: ["executors"],
      queryFn: ({ signal }) =>
        unwrap(api.GET("/executors", { params: { query: { limit: wholeList } }, signal })),
      refetchInterval: everyFiveSeconds,
    }),

  groupExecutors: (id: number) =>
    queryOptions({
      queryKey: ["groups", id, "executors"],
      queryFn: ({ signal }) =>
        unwrap(
          api.GET("/groups/{id}/executors", {
            params: { path: { id }, query: { limit: wholeList } },
            signal,
          }),
        ),
    }),

  jobs: ({ enabled, ...filter }: JobFilter) =>
    queryOptions({
      queryKey: ["jobs", filter, enabled],
      queryFn: ({ signal }) =>
        unwrap(
          api.GET("/jobs", {
            params: {
              query: {
                ...filter,
                enabled: enabled === undefined ? undefined : enabled ? "true" : "false",
                with: "history",
                limit: pageSize,
              },
            },
            signal,
          }),
        ),
      placeholderData: keepPreviousData,
      refetchInterval: everyFiveSeconds,
    }),

  /** Jobs to choose from, by their names. */
  jobChoices: (filter: Pick<JobFilter, "group_id" | "q">) =>
    queryOptions({
      queryKey: ["jobs", "choices", filter],
      queryFn: ({ signal }) =>
        unwrap(
          api.GET("/jobs", { params: { query: { ...filter, sort: "name", limit: pageSize } }, signal }),
        ),
      placeholderData: keepPreviousData,
    }),

  job: (id: number) =>
    queryOptions({
      queryKey: ["job", id],
      queryFn: ({ signal }) => unwrap(api.GET("/jobs/{id}", { params: { path: { id } }, signal })),
    }),

  nextFires: (id: number) =>
    queryOptions({
      queryKey: ["job", id, "next"],
      queryFn: ({ signal }) =>
        unwrap(api.GET("/jobs/{id}/next", { params: { path: { id }, query: { n: mostFires } }, signal })),
    }),

  preview: (schedule: Omit<ScheduleInput, "n">) =>
    queryOptions({
      queryKey: ["preview", schedule],
      queryFn: ({ signal }) =>
        unwrap(api.POST("/schedule/preview", { body: { ...schedule, n: 5 }, signal })),
      retry: false,
    }),

  versions: (id: number) =>
    queryOptions({
      queryKey: ["job", id, "versions"],
      queryFn: ({ signal }) =>
        unwrap(
          api.GET("/jobs/{id}/versions", {
            params: { path: { id }, query: { limit: wholeList } },
            signal,
          }),
        ),
    }),

  version: (id: number, number: number) =>
    queryOptions({
      queryKey: ["version", id, number],
      queryFn: ({ signal }) =>
        unwrap(
          api.GET("/jobs/{id}/versions/{number}", { params: { path: { id, number } }, signal }),
        ),
      staleTime: Infinity, // their code never changes; of reviews the list tells
    }),

  /**
   * The person's own draft; null when there is none. Its key is not one of the job's: a
   * publish, which asks for all of these again, also ends the draft.
   */
  draft: (id: number, username: string) =>
    queryOptions({
      queryKey: ["draft", id],
      queryFn: async ({ client, signal }) => {
        if (!(await hasDraft(client, id, username))) return null;
        return unwrap(api.GET("/jobs/{id}/draft", { params: { path: { id } }, signal }));
      },
      staleTime: Infinity,
      gcTime: 0,
    }),

  /** Somebody else's draft; null when there is none. */
  draftOf: (id: number, username: string) =>
    queryOptions({
      queryKey: ["draft", id, username],
      queryFn: async ({ client, signal }) => {
        if (!(await hasDraft(client, id, username))) return null;
        return unwrap(
          api.GET("/jobs/{id}/drafts/{username}", { params: { path: { id, username } }, signal }),
        );
      },
      gcTime: 0,
    }),

  /** Who has drafts of the job. */
  drafts: (id: number) =>
    queryOptions({
      queryKey: ["drafts", id],
      queryFn: ({ signal }) =>
        unwrap(api.GET("/jobs/{id}/drafts", { params: { path: { id } }, signal })),
      refetchInterval: everyFiveSeconds,
    }),

  /** Versions that wait for approval. */
  reviews: (filter: { cursor?: string }) =>
    queryOptions({
      queryKey: ["reviews", filter],
      queryFn: ({ signal }) =>
        unwrap(api.GET("/reviews", { params: { query: { ...filter, limit: pageSize } }, signal })),
      placeholderData: keepPreviousData,
      refetchInterval: 30_000,
    }),

  /** The newest modules with a part of the digest or of the uploader's name. */
  artifacts: (q: string | undefined) =>
    queryOptions({
      queryKey: ["artifacts", q],
      queryFn: ({ signal }) =>
        unwrap(api.GET("/artifacts", { params: { query: { q, limit: pageSize } }, signal })),
      placeholderData: keepPreviousData,
    }),

  artifact: (digest: string) =>
    queryOptions({
      queryKey: ["artifact", digest],
      queryFn: ({ signal }) =>
        unwrap(api.GET("/artifacts/{digest}", { params: { path: { digest } }, signal })),
      staleTime: Infinity,
    }),

  runs: (filter: RunFilter, isWatched: boolean) =>
    queryOptions({
      queryKey: ["runs", filter],
      queryFn: ({ signal }) =>
        unwrap(api.GET("/runs", { params: { query: { ...filter, limit: pageSize } }, signal })),
      placeholderData: keepPreviousData,
      refetchInterval: isWatched && everySecond,
    }),

  run: (id: number) =>
    queryOptions({
      queryKey: ["run", id],
      queryFn: ({ signal }) => unwrap(api.GET("/runs/{id}", { params: { path: { id } }, signal })),
      // An open run is watched until it ends.
      refetchInterval: ({ state }) => !state.data?.ended_at && everySecond,
    }),

  related: (id: number, isWatched: boolean) =>
    queryOptions({
      queryKey: ["run", id, "related"],
      queryFn: ({ signal }) =>
        unwrap(api.GET("/runs/{id}/related", { params: { path: { id } }, signal })),
      refetchInterval: isWatched && everyFiveSeconds,
    }),

  // Of reports: one group's, or all that the person may see.
  summary: (group_id?: number) =>
    queryOptions({
      queryKey: ["reports", "summary", group_id],
      queryFn: ({ signal }) =>
        unwrap(api.GET("/reports/summary", { params: { query: { group_id } }, signal })),
      placeholderData: keepPreviousData,
      refetchInterval: everyFiveSeconds,
    }),

  runCounts: (from: string, to: string, step: "minute" | "hour" | "day", group_id?: number) =>
    queryOptions({
      queryKey: ["reports", "runs", from, to, step, group_id],
      queryFn: ({ signal }) =>
        unwrap(
          api.GET("/reports/runs", { params: { query: { from, to, step, group_id } }, signal }),
        ),
      // Bars of another width would stand at the wrong times.
      placeholderData: (previous, query) => (query?.queryKey[4] === step ? previous : undefined),
    }),

  jobFigures: (order: "slowest" | "failing", from: string, to: string, group_id?: number) =>
    queryOptions({
      queryKey: ["reports", "jobs", order, from, to, group_id],
      queryFn: ({ signal }) =>
        unwrap(
          api.GET("/reports/jobs", {
            params: { query: { order, from, to, group_id, limit: 8 } },
            signal,
          }),
        ),
      placeholderData: keepPreviousData,
    }),

  upcoming: (group_id?: number) =>
    queryOptions({
      queryKey: ["reports", "upcoming", group_id],
      queryFn: ({ signal }) =>
        unwrap(
          api.GET("/reports/upcoming", { params: { query: { minutes: 60, group_id } }, signal }),
        ),
      placeholderData: keepPreviousData,
      refetchInterval: 30_000,
    }),

  users: (filter: { q?: string; cursor?: string }) =>
    queryOptions({
      queryKey: ["users", filter],
      queryFn: ({ signal }) =>
        unwrap(api.GET("/users", { params: { query: { ...filter, limit: pageSize } }, signal })),
      placeholderData: keepPreviousData,
    }),

  tokens: (filter: { cursor?: string }) =>
    queryOptions({
      queryKey: ["tokens", filter],
      queryFn: ({ signal }) =>
        unwrap(api.GET("/tokens", { params: { query: { ...filter, limit: pageSize } }, signal })),
      placeholderData: keepPreviousData,
    }),

  sessions: () =>
    queryOptions({
      queryKey: ["sessions"],
      queryFn: ({ signal }) => unwrap(api.GET("/me/sessions", { signal })),
    }),

  audit: (filter: AuditFilter) =>
    queryOptions({
      queryKey: ["audit", filter],
      queryFn: ({ signal }) =>
        unwrap(api.GET("/audit", { params: { query: { ...filter, limit: 50 } }, signal })),
      placeholderData: keepPreviousData,
    }),

  groupTokens: (id: number) =>
    queryOptions({
      queryKey: ["groups", id, "tokens"],
      queryFn: ({ signal }) =>
        unwrap(api.GET("/groups/{id}/tokens", { params: { path: { id } }, signal })),
    }),

  waitingApps: () =>
    queryOptions({
      queryKey: ["waiting"],
      queryFn: ({ signal }) => unwrap(api.GET("/executors/waiting", { signal })),
      refetchInterval: everyFiveSeconds,
    }),

  alarmChannels: () =>
    queryOptions({
      queryKey: ["alarm-channels"],
      queryFn: ({ signal }) =>
        unwrap(api.GET("/alarm-channels", { params: { query: { limit: wholeList } }, signal })),
    }),

  alarmRules: () =>
    queryOptions({
      queryKey: ["alarm-rules"],
      queryFn: ({ signal }) =>
        unwrap(api.GET("/alarm-rules", { params: { query: { limit: wholeList } }, signal })),
    }),

  alarms: (filter: AlarmFilter) =>
    queryOptions({
      queryKey: ["alarms", filter],
      queryFn: ({ signal }) =>
        unwrap(api.GET("/alarms", { params: { query: { ...filter, limit: pageSize } }, signal })),
      placeholderData: keepPreviousData,
      refetchInterval: everyFiveSeconds,
    }),
};

/** Whether a person has a draft: asked for unseen, one that is not there would be an error in the console. */
async function hasDraft(client: QueryClient, id: number, username: string): Promise<boolean> {
  const { items } = await client.fetchQuery({ ...queries.drafts(id), staleTime: 0 });
  return items.some((item) => item.username === username);
}
