import { describe, expect, it } from "vitest";
import { formatInstant, fromInputValue, knownZone, toInputValue } from "./zone";

describe("zone", () => {
  it.each([
    ["2026-01-15T02:20:30Z", "Asia/Shanghai", "2026-01-15 10:20:30"],
    ["2026-01-14T16:00:00Z", "Asia/Shanghai", "2026-01-15 00:00:00"],
    ["2026-07-01T12:00:00Z", "America/New_York", "2026-07-01 08:00:00"],
    ["2026-01-01T12:00:00Z", "America/New_York", "2026-01-01 07:00:00"],
  ])("shows %s in %s as %s", (instant, zone, shown) => {
    expect(formatInstant(new Date(instant), zone)).toBe(shown);
  });

  it.each([
    ["2026-01-15T10:20", "Asia/Shanghai", "2026-01-15T02:20:00.000Z"],
    ["2026-01-15T10:20", "UTC", "2026-01-15T10:20:00.000Z"],
    // Minutes before and after the clocks of New York move to summer time at 2:00.
    ["2026-03-08T01:59", "America/New_York", "2026-03-08T06:59:00.000Z"],
    ["2026-03-08T03:00", "America/New_York", "2026-03-08T07:00:00.000Z"],
    ["2026-11-01T03:00", "America/New_York", "2026-11-01T08:00:00.000Z"],
  ])("reads %s typed in %s as %s", (typed, zone, instant) => {
    expect(fromInputValue(typed, zone)?.toISOString()).toBe(instant);
  });

  it("gives back what it was given", () => {
    const instant = fromInputValue("2026-02-28T23:59", "Europe/Berlin");
    expect(toInputValue(instant ?? new Date(0), "Europe/Berlin")).toBe("2026-02-28T23:59");
  });

  it("refuses what is not a time and replaces an unknown zone", () => {
    expect(fromInputValue("", "UTC")).toBeUndefined();
    expect(knownZone("Mars/Olympus")).toBe("UTC");
    expect(knownZone("Etc/UTC")).toBe("UTC");
    expect(knownZone("Asia/Tokyo")).toBe("Asia/Tokyo");
  });
});
