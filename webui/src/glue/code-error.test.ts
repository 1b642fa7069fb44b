import { expect, it } from "vitest";
import { fieldErrors, toApiError } from "../api/problem";
import { codeErrors, isVersionConflict } from "./code-error";

const syntaxError = toApiError(422, {
  detail: "The code cannot be run: 'end' expected",
  errors: [
    { location: "body.source", message: "line 3: 'end' expected", value: { line: 3, column: 7 } },
    { location: "body.remark", message: "too short" },
  ],
});

it("finds the place of a syntax error", () => {
  expect(codeErrors(syntaxError)).toEqual([
    { line: 3, column: 7, severity: "error", message: "'end' expected" },
  ]);
  expect(fieldErrors(syntaxError)).toEqual({
    source: "line 3: 'end' expected",
    remark: "too short",
  });
});

it("marks the first line when the parser knows no place", () => {
  const vague = toApiError(422, { errors: [{ location: "body.source", message: "too long" }] });
  expect(codeErrors(vague)).toMatchObject([{ line: 1, column: 1, message: "too long" }]);
});

it("tells a conflict from a publish that changes nothing", () => {
  const conflict = toApiError(409, { errors: [{ location: "body.base_version" }] });
  const unchanged = toApiError(409, { errors: [{ location: "body.source" }] });
  expect(isVersionConflict(conflict)).toBe(true);
  expect(isVersionConflict(unchanged)).toBe(false);
  expect(isVersionConflict(syntaxError)).toBe(false);
});
