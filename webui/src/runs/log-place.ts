import { parseANSI } from "./ansi";
import type { LogChunk } from "./log-buffer";

/** The chunk that holds a line. */
export function chunkOf(chunks: LogChunk[], line: number): LogChunk | undefined {
  return chunks.find(({ fromLine, lines }) => line >= fromLine && line < fromLine + lines);
}

/** How many marks of a text stand in a chunk before a line. */
export function marksBefore(chunk: LogChunk, line: number, query: string): number {
  const before = chunk.text.split("\n", line - chunk.fromLine).join("\n");
  const shown = parseANSI(before).map(({ text }) => text.toLowerCase());
  const wanted = query.toLowerCase();
  return shown.reduce((sum, text) => sum + text.split(wanted).length - 1, 0);
}

/** Brings a line of the log into the middle of its box, by its first mark. */
export function showLine(box: HTMLElement, chunk: LogChunk, line: number, query: string): void {
  const block = box.querySelector(`[data-line="${chunk.fromLine}"]`);
  const mark = block?.querySelectorAll("mark")[marksBefore(chunk, line, query)];
  (mark ?? block)?.scrollIntoView({ block: "center" });
}
