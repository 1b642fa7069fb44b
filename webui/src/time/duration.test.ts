import { expect, it } from "vitest";
import { between, formatDuration } from "./duration";

it.each([
  [0, "0 ms"],
  [999, "999 ms"],
  [2512, "2.51 s"],
  [200_000, "3 m 20 s"],
  [3_900_000, "1 h 05 m"],
  [183_600_000, "2 d 3 h"],
  [-42, "−42 ms"],
])("writes %d ms as %s", (ms, text) => {
  expect(formatDuration(ms)).toBe(text);
});

it("measures only between two known instants", () => {
  expect(between("2026-01-15T10:20:30.000Z", "2026-01-15T10:20:31.250Z")).toBe(1250);
  expect(between("2026-01-15T10:20:30.000Z", null)).toBeUndefined();
});
