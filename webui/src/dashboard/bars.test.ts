import { expect, it } from "vitest";
import { barsOf, labelled } from "./bars";

const none = { succeeded: 0, failed: 0, timed_out: 0, killed: 0, lost: 0, other: 0 };

it("fills the times at which nothing ran", () => {
  const items = [{ at: "2026-01-15T10:01:00.000Z", ...none, succeeded: 3, failed: 1 }];
  const bars = barsOf(items, "2026-01-15T10:00:00.000Z", "2026-01-15T10:03:00.000Z", 60_000);
  expect(bars.map((bar) => bar.total)).toEqual([0, 4, 0]);
});

it("labels the first and the last bar, and some between", () => {
  expect(labelled(25, 5)).toEqual([0, 6, 12, 18, 24]);
  expect(labelled(2, 5)).toEqual([0, 1]);
  expect(labelled(1, 5)).toEqual([0]);
  expect(labelled(0, 5)).toEqual([]);
});
