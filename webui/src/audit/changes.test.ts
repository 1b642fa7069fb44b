import { expect, it } from "vitest";
import { changesOf } from "./changes";
import { exportAddress } from "./export-address";

it("names the fields that differ", () => {
  expect(changesOf({ a: 1, b: ["x"], c: "same" }, { a: 2, b: ["x"], c: "same", d: true })).toEqual([
    { field: "a", before: "1", after: "2" },
    { field: "d", before: "", after: "true" },
  ]);
});

it("takes a missing state for an empty one", () => {
  expect(changesOf(null, { name: "new" })).toEqual([{ field: "name", before: "", after: "new" }]);
  expect(changesOf(null, null)).toEqual([]);
});

it("keeps the filter in the address of the export", () => {
  expect(exportAddress({ actor: "a&b", cursor: "x" }, "csv")).toBe(
    "/api/v1/audit/export?format=csv&actor=a%26b",
  );
});
