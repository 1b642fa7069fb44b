import type { RunLog } from "../api/types";
import { isEmpty } from "./log-buffer";

const stride = 8; // how much further each next leap goes

/**
 * Finds the last part of a log that is too long to read from its first line: leaps
 * ahead until there is nothing, then halves the way back. A log of a million lines
 * takes about twenty reads instead of hundreds.
 */
export async function findTail(
  first: RunLog,
  read: (fromLine: number) => Promise<RunLog>,
): Promise<RunLog> {
  let known = first;
  let leap = lines(first);
  let beyond: number | undefined; // a line that is not there yet
  while (beyond === undefined) {
    const from = known.to_line + 1 + leap;
    const part = await read(from);
    if (isEmpty(part, from)) beyond = from;
    else known = part;
    leap *= stride;
  }
  while (beyond - known.to_line > lines(known)) {
    const from = Math.floor((known.to_line + beyond) / 2);
    const part = await read(from);
    if (isEmpty(part, from)) beyond = from;
    else known = part;
  }
  return known;
}

function lines(part: RunLog): number {
  return Math.max(1, part.to_line - part.from_line + 1);
}
