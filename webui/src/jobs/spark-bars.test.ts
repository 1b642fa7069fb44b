import { expect, it } from "vitest";
import { sparkBars } from "./spark-bars";

const run = (run_id: number, second: number, duration_ms: number | null) => ({
  run_id,
  state: "succeeded" as const,
  fire_at: new Date(second * 1000).toISOString(),
  duration_ms,
});

it("goes from the oldest to the newest, the longest as high as the room", () => {
  const bars = sparkBars([run(3, 30, 400), run(1, 10, 100), run(2, 20, null)], 20);
  expect(bars.map((bar) => bar.runID)).toEqual([1, 2, 3]);
  expect(bars.map((bar) => bar.height)).toEqual([10, 3, 20]);
});

it("draws runs that took no time", () => {
  expect(sparkBars([run(1, 1, 0)], 20)).toMatchObject([{ height: 3 }]);
});
