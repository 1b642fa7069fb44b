import { expect, it } from "vitest";
import { wasmLanguageOf } from "./language";

it.each([
  ["(module)", "WAT"],
  [";; a comment\n\n  (module)", "WAT"],
  ["(; a (nested) comment ;)\n(module)", "WAT"],
  ["export function gw_run(): i32 { return 0; }", "ASSEMBLYSCRIPT"],
  ["// (module)\nexport function f(): void {}", "ASSEMBLYSCRIPT"],
  ["", "ASSEMBLYSCRIPT"],
] as const)("takes %j for %s", (source, language) => {
  expect(wasmLanguageOf(source)).toBe(language);
});
