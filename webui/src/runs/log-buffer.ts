import type { RunLog } from "../api/types";

/** Lines of one stretch of a log. */
export interface LogChunk {
  fromLine: number;
  text: string;
}

/** What the page holds of a log: its newest lines, and where to read on. */
export interface LogBuffer {
  chunks: LogChunk[];
  nextLine: number;
  /** Older lines were dropped to keep the page light. */
  isCut: boolean;
  /** What the server says about the content. */
  note: string | undefined;
  /** The last read brought lines, so that more may be waiting. */
  hasGrown: boolean;
  /** All there will ever be has been read. */
  isComplete: boolean;
}

export const emptyLog: LogBuffer = {
  chunks: [],
  nextLine: 1,
  isCut: false,
  note: undefined,
  hasGrown: false,
  isComplete: false,
};

const maxChars = 4_000_000; // what a browser scrolls without a hitch
const chunkChars = 32_000; // short answers are joined up to this size

/** Appends what was read from buffer.nextLine on. */
export function appendLog(buffer: LogBuffer, part: RunLog): LogBuffer {
  if (part.content === "" || part.to_line < buffer.nextLine) {
    return { ...buffer, note: part.note ?? buffer.note, hasGrown: false, isComplete: part.end };
  }
  const text = part.content.endsWith("\n") ? part.content : `${part.content}\n`;
  const last = buffer.chunks.at(-1);
  const chunks =
    last && last.text.length + text.length <= chunkChars
      ? [...buffer.chunks.slice(0, -1), { ...last, text: last.text + text }]
      : [...buffer.chunks, { fromLine: buffer.nextLine, text }];
  let size = chunks.reduce((sum, chunk) => sum + chunk.text.length, 0);
  let isCut = buffer.isCut;
  while (size > maxChars && chunks.length > 1) {
    size -= chunks.shift()?.text.length ?? 0;
    isCut = true;
  }
  return {
    chunks,
    nextLine: part.to_line + 1,
    isCut,
    note: part.note ?? buffer.note,
    hasGrown: true,
    isComplete: part.end,
  };
}

/** How often something stands in a log, in capitals or not. */
export function countMatches(chunks: LogChunk[], query: string): number {
  if (query === "") return 0;
  const wanted = query.toLowerCase();
  return chunks.reduce((sum, { text }) => sum + text.toLowerCase().split(wanted).length - 1, 0);
}
