import { expect, it } from "vitest";
import { countByDay, monthDays, nextMonth } from "./calendar";

it("lays a month out from Monday on", () => {
  const days = monthDays("2026-01"); // begins on a Thursday
  expect(days.slice(0, 4)).toEqual([undefined, undefined, undefined, "2026-01-01"]);
  expect(days.at(-1)).toBe("2026-01-31");
  expect(monthDays("2024-02").at(-1)).toBe("2024-02-29");
});

it("goes over the end of a year", () => {
  expect(nextMonth("2026-12", 1)).toBe("2027-01");
  expect(nextMonth("2026-01", -1)).toBe("2025-12");
});

it("gathers times by day", () => {
  const days = countByDay(["2026-01-15 10:00:00", "2026-01-15 11:00:00", "2026-01-16 00:00:00"]);
  expect([...days].map(([day, times]) => [day, times.length])).toEqual([
    ["2026-01-15", 2],
    ["2026-01-16", 1],
  ]);
});
