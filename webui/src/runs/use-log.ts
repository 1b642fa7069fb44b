import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { appendLog, type LogBuffer, prependLog } from "./log-buffer";
import { readBefore } from "./log-before";
import { logQuery, type LogStart, readLog } from "./log-query";

/** A window on the log of a run, at its end until another line is asked for. */
export function useLog(runID: number) {
  const queryClient = useQueryClient();
  const [start, setStart] = useState<LogStart>({ line: "end", visit: 0 });
  const options = logQuery(runID, start);
  const { queryKey } = options;
  const log = useQuery(options);
  const change = (to: (log: LogBuffer) => LogBuffer) =>
    queryClient.setQueryData<LogBuffer>(queryKey, (old) => old && to(old));

  const extend = useMutation({
    mutationFn: async (side: "earlier" | "later") => {
      const before = queryClient.getQueryData<LogBuffer>(queryKey);
      if (!before) return;
      const { firstLine, nextLine } = before;
      if (side === "earlier") {
        const part = await readBefore(before, (line) => readLog(runID, line));
        change((now) => (now.firstLine === firstLine ? prependLog(now, part) : now));
      } else {
        const part = await readLog(runID, nextLine);
        change((now) => (now.nextLine === nextLine ? appendLog(now, part) : now));
      }
    },
  });

  return {
    data: log.data,
    isPending: log.isPending,
    error: log.error ?? extend.error,
    /** Reads more lines at a side of the window, if there are any. */
    extend: (side: "earlier" | "later") => {
      if (!log.data || extend.isPending) return;
      const isThere = side === "earlier" ? log.data.firstLine > 1 : !log.data.isAtEnd;
      if (isThere) extend.mutate(side);
    },
    /** Opens the window anew. */
    open: (line: LogStart["line"]) => setStart(({ visit }) => ({ line, visit: visit + 1 })),
  };
}
