import { describe, expect, it } from "vitest";
import { appendLog, emptyLog, holds, matchingLines, prependLog } from "./log-buffer";

const part = (from_line: number, to_line: number, content: string, end = false) => ({
  from_line,
  to_line,
  content,
  end,
});

/** Lines of 1000 characters. */
const lines = (from: number, to: number, end = false) =>
  part(
    from,
    to,
    Array.from({ length: to - from + 1 }, (_, n) => `${from + n}`.padEnd(999, "x") + "\n").join(""),
    end,
  );

describe("appendLog", () => {
  it("joins short parts and reads on after the last line", () => {
    const one = appendLog(emptyLog(1, true), part(1, 2, "a\nb\n"));
    const two = appendLog(one, part(3, 3, "c"));
    expect(two.chunks).toEqual([{ fromLine: 1, lines: 3, text: "a\nb\nc\n" }]);
    expect(two).toMatchObject({ firstLine: 1, nextLine: 4, hasGrown: true });
  });

  it("adds nothing twice", () => {
    const one = appendLog(emptyLog(1, true), part(1, 2, "a\nb\n"));
    const two = appendLog(one, part(1, 2, "a\nb\n"));
    const three = appendLog(two, part(3, 2, "", true));
    expect(three.chunks).toEqual(one.chunks);
    expect(three).toMatchObject({ nextLine: 3, hasGrown: false, isComplete: true });
  });

  it("cuts a long part between its lines", () => {
    const log = appendLog(emptyLog(1, true), lines(1, 100));
    expect(log.chunks.length).toBeGreaterThan(2);
    for (const chunk of log.chunks) expect(chunk.text).toMatch(new RegExp(`^${chunk.fromLine}x`));
    expect(log.chunks.map(({ text }) => text).join("")).toBe(lines(1, 100).content);
    const one = appendLog(emptyLog(1, true), part(1, 2, `${"y".repeat(90_000)}\nz\n`));
    expect(one.chunks.map(({ fromLine }) => fromLine)).toEqual([1, 2]);
  });

  it("keeps the end of a log that is too long", () => {
    let log = emptyLog(1, true);
    for (let from = 1; from <= 4001; from += 500) log = appendLog(log, lines(from, from + 499));
    expect(log.firstLine).toBeGreaterThan(2000);
    expect(log).toMatchObject({ nextLine: 4501, isAtEnd: true });
    expect(holds(log, 4500)).toBe(true);
    expect(holds(log, 1)).toBe(false);
  });

  it("finds out that it has come to the end", () => {
    const middle = appendLog(emptyLog(7, false), part(7, 8, "a\nb\n"));
    expect(middle).toMatchObject({ firstLine: 7, isAtEnd: false });
    expect(appendLog(middle, part(9, 8, ""))).toMatchObject({ isAtEnd: true, isComplete: false });
  });
});

describe("prependLog", () => {
  it("takes what lies before the window", () => {
    const log = appendLog(emptyLog(4, true), part(4, 5, "d\ne\n", true));
    const more = prependLog(log, part(2, 5, "b\nc\nd\ne\n"));
    expect(more.chunks.map(({ text }) => text).join("")).toBe("b\nc\nd\ne\n");
    expect(more).toMatchObject({ firstLine: 2, nextLine: 6, isAtEnd: true, isComplete: true });
  });

  it("lets the end go when there is too much", () => {
    let log = appendLog(emptyLog(3001, true), lines(3001, 3100, true));
    for (let from = 2501; from > 0; from -= 500) log = prependLog(log, lines(from, from + 499));
    expect(log).toMatchObject({ firstLine: 1, isAtEnd: false, isComplete: false });
    expect(log.nextLine).toBeLessThan(2100);
    const last = log.chunks.at(-1);
    expect(log.nextLine).toBe((last?.fromLine ?? 0) + (last?.lines ?? 0));
  });
});

describe("matchingLines", () => {
  it("numbers each line once, in capitals or not", () => {
    const log = appendLog(emptyLog(5, true), part(5, 8, "one\nTwo two\nthree\nTWO\n"));
    expect(matchingLines(log.chunks, "two")).toEqual([6, 8]);
    expect(matchingLines(log.chunks, "")).toEqual([]);
  });
});
