import { expect, it } from "vitest";
import { chosenSpan, spanOf } from "./range";

const now = new Date("2026-01-15T10:20:30Z");

it("begins a range at the start of a step", () => {
  expect(spanOf("24h", now)).toEqual({
    from: "2026-01-14T10:00:00.000Z",
    to: "2026-01-15T10:21:00.000Z",
    step: "hour",
  });
  expect(spanOf("1h", now).from).toBe("2026-01-15T09:21:00.000Z");
});

it.each([
  ["2026-01-15T08:00:00.000Z", "2026-01-15T10:00:00.000Z", "minute"],
  ["2026-01-15T00:00:00.000Z", "2026-01-15T10:00:00.000Z", "hour"], // too many minutes
  ["2026-01-12T08:00:00.000Z", "2026-01-12T10:00:00.000Z", "hour"], // minutes are forgotten
  ["2025-12-01T00:00:00.000Z", "2026-01-15T00:00:00.000Z", "day"],
])("shows %s to %s by the %s", (from, to, step) => {
  expect(chosenSpan(from, to, now)).toEqual({ from, to, step });
});
