import { expect, it } from "vitest";
import { barsOf } from "./bars";
import { spanOf } from "./range";

const none = { succeeded: 0, failed: 0, timed_out: 0, killed: 0, lost: 0, other: 0 };

it("fills the times at which nothing ran", () => {
  const items = [{ at: "2026-01-15T10:01:00.000Z", ...none, succeeded: 3, failed: 1 }];
  const bars = barsOf(items, "2026-01-15T10:00:00.000Z", "2026-01-15T10:03:00.000Z", 60_000);
  expect(bars.map((bar) => bar.total)).toEqual([0, 4, 0]);
});

it("begins a range at the start of a step", () => {
  const now = new Date("2026-01-15T10:20:30Z");
  expect(spanOf("24h", now)).toEqual({
    from: "2026-01-14T10:00:00.000Z",
    to: "2026-01-15T10:21:00.000Z",
  });
  expect(spanOf("1h", now).from).toBe("2026-01-15T09:21:00.000Z");
});
