import type { RunLog } from "../api/types";

/** Lines of one stretch of a log. */
export interface LogChunk {
  fromLine: number;
  lines: number;
  text: string;
}

/** What the page holds of a log: a window of lines without a gap, however long it is. */
export interface LogBuffer {
  chunks: LogChunk[];
  /** The first line held, and the first one behind those. */
  firstLine: number;
  nextLine: number;
  /** What is written from now on is read: the window is at the end. */
  isAtEnd: boolean;
  /** What the server says about the content. */
  note: string | undefined;
  /** The last read brought lines, so that more may be waiting. */
  hasGrown: boolean;
  /** All there will ever be behind the window has been read. */
  isComplete: boolean;
}

/** A window without a line yet, that begins at one. */
export function emptyLog(line: number, isAtEnd: boolean): LogBuffer {
  return {
    chunks: [],
    firstLine: line,
    nextLine: line,
    isAtEnd,
    note: undefined,
    hasGrown: false,
    isComplete: false,
  };
}

const maxChars = 2_000_000; // what a browser scrolls without a hitch
const chunkChars = 32_000; // what it lays out at once

/** Appends what was read from buffer.nextLine on; lines at the other end may leave. */
export function appendLog(buffer: LogBuffer, part: RunLog): LogBuffer {
  const note = part.note ?? buffer.note;
  if (isEmpty(part, buffer.nextLine)) {
    return { ...buffer, note, hasGrown: false, isAtEnd: true, isComplete: part.end };
  }
  const last = buffer.chunks.at(-1);
  const isJoined = last && last.text.length + part.content.length < chunkChars;
  const chunks = isJoined
    ? [
        ...buffer.chunks.slice(0, -1),
        ...split(last.fromLine, last.text + part.content),
      ]
    : [...buffer.chunks, ...split(buffer.nextLine, part.content)];
  dropWhileLong(chunks, () => chunks.shift());
  return {
    chunks,
    firstLine: chunks[0]?.fromLine ?? buffer.firstLine,
    nextLine: part.to_line + 1,
    isAtEnd: buffer.isAtEnd || part.end,
    note,
    hasGrown: true,
    isComplete: part.end,
  };
}

/** Puts the lines of a part that lie before the window in front of it. */
export function prependLog(buffer: LogBuffer, part: RunLog): LogBuffer {
  const text = firstLines(part.content, buffer.firstLine - part.from_line);
  const chunks = [...split(part.from_line, text), ...buffer.chunks];
  let { nextLine, isAtEnd, isComplete } = buffer;
  dropWhileLong(chunks, () => {
    const dropped = chunks.pop();
    nextLine = dropped?.fromLine ?? nextLine;
    [isAtEnd, isComplete] = [false, false];
    return dropped;
  });
  return { ...buffer, chunks, firstLine: part.from_line, nextLine, isAtEnd, isComplete };
}

/** Whether nothing of a log was there from a line on. */
export function isEmpty(part: RunLog, from: number): boolean {
  return part.content === "" || part.to_line < from;
}

/** Whether the window holds a line. */
export function holds(buffer: LogBuffer, line: number): boolean {
  return line >= buffer.firstLine && line < buffer.nextLine;
}

/** The numbers of the lines with a text in them, in capitals or not. */
export function matchingLines(chunks: LogChunk[], query: string): number[] {
  if (query === "") return [];
  const wanted = query.toLowerCase();
  return chunks.flatMap(({ fromLine, text }) =>
    text
      .toLowerCase()
      .split("\n")
      .flatMap((line, index) => (line.includes(wanted) ? [fromLine + index] : [])),
  );
}

function dropWhileLong(chunks: LogChunk[], drop: () => LogChunk | undefined): void {
  let size = chunks.reduce((sum, { text }) => sum + text.length, 0);
  while (size > maxChars && chunks.length > 1) size -= drop()?.text.length ?? 0;
}

/** Cuts text into chunks of whole lines. */
function split(fromLine: number, content: string): LogChunk[] {
  const text = content === "" || content.endsWith("\n") ? content : `${content}\n`;
  const chunks: LogChunk[] = [];
  let line = fromLine;
  for (let start = 0; start < text.length; ) {
    const end = lineEnd(text, start);
    const lines = countLines(text, start, end);
    chunks.push({ fromLine: line, lines, text: text.slice(start, end) });
    line += lines;
    start = end;
  }
  return chunks;
}

/** Where a chunk that begins at start ends: behind the last line that fits, or the first. */
function lineEnd(text: string, start: number): number {
  if (text.length - start <= chunkChars) return text.length;
  const last = text.lastIndexOf("\n", start + chunkChars - 1);
  return (last >= start ? last : text.indexOf("\n", start)) + 1;
}

function countLines(text: string, start: number, end: number): number {
  let lines = 0;
  for (let at = text.indexOf("\n", start); at >= 0 && at < end; at = text.indexOf("\n", at + 1)) {
    lines++;
  }
  return lines;
}

function firstLines(text: string, lines: number): string {
  let end = 0;
  for (let n = 0; n < lines; n++) {
    const at = text.indexOf("\n", end);
    if (at < 0) return text;
    end = at + 1;
  }
  return text.slice(0, end);
}
