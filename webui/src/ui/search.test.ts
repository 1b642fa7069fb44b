import { describe, expect, it } from "vitest";
import { id, instant } from "./search";

describe("instant", () => {
  it("takes what the server takes", () => {
    expect(instant("2026-11-21T17:00:00.000Z")).toBe("2026-11-21T17:00:00.000Z");
    expect(instant("2026-11-21T17:00:00+08:00")).toBe("2026-11-21T17:00:00+08:00");
  });

  it.each(["<img src=x onerror=window.hurt=1>", "x 1", "2026", "2026-13-01T00:00:00Z", "", 7])(
    "takes %s for absent",
    (value) => expect(instant(value)).toBeUndefined(),
  );
});

describe("id", () => {
  it.each([0, -1, 1.5, "x", "", null, undefined])("takes %s for absent", (value) =>
    expect(id(value)).toBeUndefined(),
  );
});
