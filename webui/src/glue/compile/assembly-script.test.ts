import { expect, it } from "vitest";
import { compileAssemblyScript } from "./assembly-script";

// The compiler optimises itself into a second or two on a busy machine.
const slow = 60_000; // ms

it("compiles a source to a module", { timeout: slow }, async () => {
  const { module, problems } = await compileAssemblyScript(
    "export function gw_run(): i32 {\n  return 0;\n}\n",
  );
  expect(problems).toEqual([]);
  expect(WebAssembly.validate(module ?? new Uint8Array())).toBe(true);
});

it("says where a source is wrong", { timeout: slow }, async () => {
  const { module, problems } = await compileAssemblyScript(
    'export function gw_run(): i32 {\n  return "text";\n}\n',
  );
  expect(module).toBeUndefined();
  expect(problems).toMatchObject([{ line: 2, column: 10, severity: "error" }]);
  expect(problems[0]?.message).toContain("not assignable");
});
