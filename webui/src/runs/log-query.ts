import { queryOptions } from "@tanstack/react-query";
import { api, unwrap } from "../api/client";
import type { RunLog } from "../api/types";
import { appendLog, emptyLog, type LogBuffer } from "./log-buffer";
import { findTail } from "./log-tail";

const idlePause = 400; // ms before the next look when nothing new came
const errorPause = 3000; // ms before the next try after one that failed
const readPause = 50; // ms before the next read while lines keep coming
const longPart = 256 * 1024; // characters in one answer that tell of a long log

/** Where the reading of a log begins, and for the how manieth time in this visit. */
export interface LogStart {
  line: number | "end";
  visit: number;
}

/** Reads the log of a run: at its end as it grows, elsewhere just once. */
export function logQuery(runID: number, start: LogStart) {
  const queryKey = ["run", runID, "log", start] as const;
  return queryOptions({
    queryKey,
    queryFn: async ({ client, signal }): Promise<LogBuffer> => {
      const read = (fromLine: number) => readLog(runID, fromLine, signal);
      const held = () => client.getQueryData<LogBuffer>(queryKey);
      const log = held();
      if (!log) return begin(start.line, read);
      if (log.isComplete || !log.isAtEnd) return log;
      const part = await read(log.nextLine);
      // While it was read, the window may have moved away.
      const now = held() ?? log;
      return now.isAtEnd && now.nextLine === log.nextLine ? appendLog(now, part) : now;
    },
    retry: false, // the next read is soon enough
    structuralSharing: false, // a log is long, and only its end changes
    gcTime: 0,
    refetchInterval: ({ state: { data, error } }) => {
      if (error) return errorPause;
      if (data && (data.isComplete || !data.isAtEnd)) return false;
      return data?.hasGrown ? readPause : idlePause;
    },
  });
}

async function begin(
  line: LogStart["line"],
  read: (fromLine: number) => Promise<RunLog>,
): Promise<LogBuffer> {
  if (line !== "end") return appendLog(emptyLog(line, false), await read(line));
  const part = await read(1);
  if (part.content.length <= longPart) return appendLog(emptyLog(1, true), part);
  const tail = await findTail(part, read);
  return appendLog(emptyLog(tail.from_line, true), tail);
}

/** A part of a log, from a line on. */
export function readLog(runID: number, fromLine: number, signal?: AbortSignal): Promise<RunLog> {
  const params = { path: { id: runID }, query: { from_line: fromLine } };
  return unwrap(api.GET("/runs/{id}/log", { params, signal }));
}
