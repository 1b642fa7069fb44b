import { expect, it } from "vitest";
import { findTail } from "./log-tail";

/** A log of so many lines that gives a hundred at a time. */
function logOf(total: number) {
  let reads = 0;
  const read = (from_line: number) => {
    reads++;
    const to_line = Math.min(from_line + 99, total);
    const isThere = from_line <= total;
    const content = isThere ? "line\n".repeat(to_line - from_line + 1) : "";
    return Promise.resolve({ from_line, to_line: isThere ? to_line : 0, content, end: true });
  };
  return { read, reads: () => reads };
}

it.each([101, 150, 1000, 12_345, 1_000_000])("finds the end of %i lines", async (total) => {
  const log = logOf(total);
  const tail = await findTail(await log.read(1), log.read);
  // What is missing comes with the next read.
  expect(total - tail.to_line).toBeLessThanOrEqual(100);
  expect(log.reads()).toBeLessThan(40);
});
