import { queryOptions } from "@tanstack/react-query";
import { api, unwrap } from "../api/client";
import { appendLog, emptyLog, type LogBuffer } from "./log-buffer";

const idlePause = 500; // ms before the next look when nothing new came
const errorPause = 3000; // ms before the next try after one that failed
const readPause = 50; // ms before the next read while lines keep coming

/** Reads the log of a run on from where it stands, until it is complete. */
export function logQuery(runID: number) {
  const queryKey = ["run", runID, "log"] as const;
  return queryOptions({
    queryKey,
    queryFn: async ({ client, signal }): Promise<LogBuffer> => {
      const log = client.getQueryData<LogBuffer>(queryKey) ?? emptyLog;
      if (log.isComplete) return log;
      const part = await unwrap(
        api.GET("/runs/{id}/log", {
          params: { path: { id: runID }, query: { from_line: log.nextLine } },
          signal,
        }),
      );
      return appendLog(log, part);
    },
    retry: false, // the next read is soon enough
    structuralSharing: false, // a log is long, and only its end changes
    gcTime: 0,
    refetchInterval: ({ state }) => {
      if (state.data?.isComplete) return false;
      if (state.error) return errorPause;
      return state.data?.hasGrown ? readPause : idlePause;
    },
  });
}
