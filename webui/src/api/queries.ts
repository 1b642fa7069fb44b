import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api, unwrap } from "./client";
import type { Cause, GlueType, ScheduleType, State } from "./types";

export interface JobFilter {
  group_id?: number;
  q?: string;
  enabled?: boolean;
  glue_type?: GlueType;
  handler?: string;
  author?: string;
  cursor?: string;
}

export interface RunFilter {
  state?: State[];
  cause?: Cause[];
  job_id?: number;
  group_id?: number;
  from?: string;
  to?: string;
  cursor?: string;
}

const pageSize = 20; // entries, about a screen
const wholeList = 500; // entries of lists that people do not page through: the server's most

const everySecond = 1000; // ms
const everyFiveSeconds = 5000; // ms

export const queries = {
  me: () =>
    queryOptions({
      queryKey: ["me"],
      queryFn: async ({ signal }) => (await unwrap(api.GET("/me", { signal }))).user,
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
                limit: pageSize,
              },
            },
            signal,
          }),
        ),
      placeholderData: keepPreviousData,
      refetchInterval: everyFiveSeconds,
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
        unwrap(api.GET("/jobs/{id}/next", { params: { path: { id }, query: { n: 5 } }, signal })),
    }),

  preview: (schedule_type: ScheduleType, schedule_conf: string, time_zone: string) =>
    queryOptions({
      queryKey: ["preview", schedule_type, schedule_conf, time_zone],
      queryFn: ({ signal }) =>
        unwrap(
          api.POST("/schedule/preview", {
            body: { schedule_type, schedule_conf, time_zone, dst_policy: "xxl", n: 5 },
            signal,
          }),
        ),
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
      staleTime: Infinity, // versions never change
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
};
