import { CompletionContext } from "@codemirror/autocomplete";
import { EditorState } from "@codemirror/state";
import { expect, it } from "vitest";
import { hostFunctions } from "./gw-api";
import { completeHost, hostNameAt } from "./gw-assist";
import { assemblyScriptImport, moduleFunctions, watImport } from "./module-api";
import { completeImport, importedAt } from "./module-assist";
import { templateFor } from "./templates";

const complete = (text: string) =>
  completeHost(
    new CompletionContext(EditorState.create({ doc: text }), text.length, false),
    "lua",
    "en",
  );

it("offers the functions of gw after its dot, and nothing elsewhere", () => {
  expect(complete("local x = gw.ht")).toMatchObject({ from: 13 });
  expect(complete("local x = gw.http.")?.options.map((o) => o.label)).toContain("http.get");
  expect(complete("local gwx = 1")).toBeNull();
  expect(complete("")).toBeNull();
});

it("finds the function under the pointer", () => {
  const line = 'local r = gw.http.get(gw.param() .. "/x")';
  expect(hostNameAt(line, 14)?.found.name).toBe("http.get");
  expect(hostNameAt(line, 24)?.found.name).toBe("param");
  expect(hostNameAt(line, 2)).toBeUndefined();
  expect(hostNameAt("gw.nothing()", 5)).toBeUndefined();
});

it("names each function once and explains it in both languages", () => {
  expect(new Set(hostFunctions.map((f) => f.name)).size).toBe(hostFunctions.length);
  for (const f of hostFunctions) {
    expect(f.lua).toContain(`gw.${f.name}`);
    expect(f.js).toContain(`gw.${f.name}`);
    expect(f.text.en).not.toBe("");
    expect(f.text["zh-CN"]).not.toBe("");
  }
});

const completeIn = (language: "ASSEMBLYSCRIPT" | "WAT", text: string) =>
  completeImport(
    new CompletionContext(EditorState.create({ doc: text }), text.length, false),
    language,
    "en",
  );

it("offers the imports of a module, whole and by name", () => {
  expect(completeIn("ASSEMBLYSCRIPT", "@ext")).toMatchObject({ from: 0 });
  const whole = completeIn("ASSEMBLYSCRIPT", "let a = 1;\n@")?.options.map((o) => o.label);
  expect(whole).toContain("@external shard_index");
  expect(completeIn("ASSEMBLYSCRIPT", '@external("gluewheel", "sh')).toMatchObject({ from: 24 });
  expect(completeIn("WAT", "(module\n  (imp")).toMatchObject({ from: 10 });
  const names = completeIn("WAT", '(module (import "gluewheel" "')?.options.map((o) => o.label);
  expect(names).toContain("progress");
  expect(completeIn("WAT", "i32.const")).toBeNull();
  expect(completeIn("ASSEMBLYSCRIPT", "return")).toBeNull();
});

it("writes imports as the ABI has them", () => {
  const [log] = moduleFunctions;
  if (!log) throw new Error("there is no function");
  expect(templateFor("ASSEMBLYSCRIPT")).toContain(assemblyScriptImport(log));
  expect(templateFor("WAT")).toContain(watImport(log));
});

it("explains an import and its calls under the pointer", () => {
  const declared = '@external("gluewheel", "log")';
  const source = `${declared}\ndeclare function say(level: i32, address: usize, length: i32): void;\nsay(0, 1, 2);`;
  expect(importedAt(source, declared, 25, "ASSEMBLYSCRIPT")?.found.name).toBe("log");
  expect(importedAt(source, "say(0, 1, 2);", 1, "ASSEMBLYSCRIPT")?.found.name).toBe("log");
  expect(importedAt(source, "log(0, 1, 2);", 1, "ASSEMBLYSCRIPT")).toBeUndefined();
  const wat = templateFor("WAT");
  expect(importedAt(wat, "    (call $log (i32.const 0))", 12, "WAT")?.found.name).toBe("log");
  expect(importedAt(wat, "    (i32.const 0)", 7, "WAT")).toBeUndefined();
});

it("explains each import in both languages", () => {
  expect(new Set(moduleFunctions.map((f) => f.name)).size).toBe(moduleFunctions.length);
  for (const { text } of moduleFunctions) {
    expect(text.en).not.toBe("");
    expect(text["zh-CN"]).not.toBe("");
  }
});
