import { expect, it } from "vitest";
import { compileWAT } from "./wat";

it("compiles text to a module", async () => {
  const { module, problems } = await compileWAT(
    '(module (func (export "gw_run") (result i32) i32.const 0))',
  );
  expect(problems).toEqual([]);
  expect(WebAssembly.validate(module ?? new Uint8Array())).toBe(true);
});

it("says where a text is wrong", async () => {
  const { module, problems } = await compileWAT('(module\n  (func (export "f") (result i32)))');
  expect(module).toBeUndefined();
  expect(problems).toMatchObject([{ line: 2, severity: "error" }]);
  expect(problems[0]?.message).toContain("type mismatch");
});
