import { expect, it } from "vitest";
import { isRemark } from "./remark";

it.each([
  ["abc", false],
  ["abc ", false],
  ["abcd", true],
  ["修复告警", true],
  ["😀😀😀", false],
  ["x".repeat(100), true],
  ["x".repeat(101), false],
])("judges %j as %s", (remark, good) => {
  expect(isRemark(remark)).toBe(good);
});
