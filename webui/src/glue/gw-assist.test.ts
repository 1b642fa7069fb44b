import { CompletionContext } from "@codemirror/autocomplete";
import { EditorState } from "@codemirror/state";
import { expect, it } from "vitest";
import { hostFunctions } from "./gw-api";
import { completeHost, hostNameAt } from "./gw-assist";

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
