import type { RunLog } from "../api/types";
import type { LogBuffer } from "./log-buffer";

const wantedChars = 128_000; // about fifty screens

/**
 * Reads what lies right before the window. The server reads from a line on only, so the
 * length of the lines is guessed by those that are there; a guess that was too long for
 * one answer is made again, shorter.
 */
export async function readBefore(
  log: LogBuffer,
  read: (fromLine: number) => Promise<RunLog>,
): Promise<RunLog> {
  const first = log.chunks[0];
  const length = first ? first.text.length / first.lines : 1;
  let lines = Math.max(1, Math.floor(wantedChars / length));
  for (;;) {
    const part = await read(Math.max(1, log.firstLine - lines));
    if (part.to_line >= log.firstLine - 1 || lines === 1) return part;
    lines = Math.max(1, Math.floor(lines / 8));
  }
}
