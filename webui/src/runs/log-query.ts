import { queryOptions } from "@tanstack/react-query";
import { api, unwrap } from "../api/client";
import type { RunLog } from "../api/types";
import { appendLog, emptyLog, type LogBuffer } from "./log-buffer";
import { findTail } from "./log-tail";

const idlePause = 500; // ms before the next look when nothing new came
const errorPause = 3000; // ms before the next try after one that failed
const readPause = 50; // ms before the next read while lines keep coming
const longPart = 256 * 1024; // characters in one answer that tell of a long log

/** Where the reading of a log begins: a long one at its end, if nothing else is asked for. */
export type LogStart = "end" | "first";

/** Reads the log of a run on from where it stands, until it is complete. */
export function logQuery(runID: number, start: LogStart) {
  const queryKey = ["run", runID, "log", start] as const;
  return queryOptions({
    queryKey,
    queryFn: async ({ client, signal }): Promise<LogBuffer> => {
      const log = client.getQueryData<LogBuffer>(queryKey) ?? emptyLog;
      if (log.isComplete) return log;
      const read = (fromLine: number) => readLog(runID, fromLine, signal);
      const part = await read(log.nextLine);
      const isLong = log === emptyLog && start === "end" && part.content.length > longPart;
      if (!isLong) return appendLog(log, part);
      const tail = await findTail(part, read);
      return appendLog({ ...emptyLog, nextLine: tail.from_line, isCut: true }, tail);
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

/** A part of a log, from a line on. */
export function readLog(runID: number, fromLine: number, signal?: AbortSignal): Promise<RunLog> {
  const params = { path: { id: runID }, query: { from_line: fromLine } };
  return unwrap(api.GET("/runs/{id}/log", { params, signal }));
}
