import { expect, it } from "vitest";
import { readBefore } from "./log-before";
import { appendLog, emptyLog } from "./log-buffer";

const answerChars = 512 * 1024; // what the server gives at once

/** A log whose lines are as long as length says, read as the server does. */
function logOf(length: (line: number) => number) {
  let reads = 0;
  const read = (from_line: number) => {
    reads++;
    let content = "";
    let to_line = from_line - 1;
    while (to_line < 100_000 && content.length + length(to_line + 1) < answerChars) {
      to_line++;
      content += `${"x".repeat(length(to_line) - 1)}\n`;
    }
    return Promise.resolve({ from_line, to_line, content, end: false });
  };
  return { read, reads: () => reads };
}

it.each([
  ["short lines", () => 10, 1],
  ["long lines", () => 30_000, 1],
  ["short lines after long ones", (line: number) => (line < 50_000 ? 30_000 : 10), 5],
] as const)("leaves no gap before the window: %s", async (_, length, mostReads) => {
  const log = logOf(length);
  const window = appendLog(emptyLog(50_000, false), await log.read(50_000));
  const part = await readBefore(window, log.read);
  expect(part.from_line).toBeLessThan(50_000);
  expect(part.to_line).toBeGreaterThanOrEqual(49_999);
  expect(log.reads() - 1).toBeLessThanOrEqual(mostReads);
});

it("begins at the first line when little is missing", async () => {
  const log = logOf(() => 10);
  const window = appendLog(emptyLog(20, false), await log.read(20));
  expect((await readBefore(window, log.read)).from_line).toBe(1);
});
