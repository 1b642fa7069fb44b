import { readLog } from "./log-query";

/**
 * Has the browser save a log, from its first line to its end. It streams to the disk,
 * whatever its size; the first line is read before, so that a refusal is seen here.
 */
export async function downloadLog(runID: number): Promise<void> {
  await readLog(runID, 1);
  const link = document.createElement("a");
  link.href = `/api/v1/runs/${runID}/log/content`;
  link.download = `run-${runID}.log`;
  link.click();
}
