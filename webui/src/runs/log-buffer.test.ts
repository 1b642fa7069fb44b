import { describe, expect, it } from "vitest";
import { appendLog, emptyLog } from "./log-buffer";

const part = (from_line: number, to_line: number, content: string, end = false) => ({
  from_line,
  to_line,
  content,
  end,
});

describe("appendLog", () => {
  it("joins short parts and reads on after the last line", () => {
    const one = appendLog(emptyLog, part(1, 2, "a\nb\n"));
    const two = appendLog(one, part(3, 3, "c"));
    expect(two.chunks).toEqual([{ fromLine: 1, text: "a\nb\nc\n" }]);
    expect(two.nextLine).toBe(4);
    expect(two.hasGrown).toBe(true);
  });

  it("adds nothing twice", () => {
    const one = appendLog(emptyLog, part(1, 2, "a\nb\n"));
    const two = appendLog(one, part(1, 2, "a\nb\n"));
    const three = appendLog(two, part(3, 2, "", true));
    expect(three.chunks).toEqual(one.chunks);
    expect(three).toMatchObject({ nextLine: 3, hasGrown: false, isComplete: true });
  });

  it("keeps the end of a log that is too long", () => {
    let log = emptyLog;
    for (let line = 1; line <= 200; line++) {
      log = appendLog(log, part(line, line, `${line}${"x".repeat(30_000)}\n`));
    }
    expect(log.isCut).toBe(true);
    expect(log.nextLine).toBe(201);
    expect(log.chunks.at(-1)?.text).toContain("200x");
    expect(log.chunks[0]?.fromLine).toBeGreaterThan(1);
  });
});
