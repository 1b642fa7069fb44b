import { expect, it } from "vitest";
import { compareNames, readInspection } from "./inspection";

it("reads what a module shows", () => {
  const report = {
    abi: "command",
    bytes: 120,
    functions: 1,
    imports: [
      { module: "wasi_snapshot_preview1", name: "proc_exit", kind: "func" },
      { module: "gluewheel", name: "log", kind: "func" },
    ],
    exports: [
      { name: "memory", kind: "memory" },
      { name: "_start", kind: "func" },
    ],
    memory_pages: 17,
    memory_max_pages: 1024,
  };
  expect(readInspection(report)).toEqual({
    abi: "command",
    imports: ["gluewheel.log", "wasi_snapshot_preview1.proc_exit"],
    exports: ["_start", "memory"],
    memory: { min: "1.1 MiB", max: "64.0 MiB" },
  });
});

it("shows nothing where the report says nothing", () => {
  expect(readInspection({})).toMatchObject({ imports: [], exports: [] });
  expect(readInspection({ imports: null, memory_pages: 0 }).imports).toEqual([]);
});

it("tells which names came and which went", () => {
  expect(compareNames(["a.x", "a.y"], ["a.y", "b.z"])).toEqual({
    removed: ["a.x"],
    added: ["b.z"],
  });
  expect(compareNames([], [])).toEqual({ removed: [], added: [] });
});
