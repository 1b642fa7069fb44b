import { describe, expect, it } from "vitest";
import { en } from "./en";
import { chooseLanguage } from "./language";
import { zhCN } from "./zh-CN";

type Table = { [key: string]: string | Table };

function flatten(table: Table, prefix = ""): [key: string, text: string][] {
  return Object.entries(table).flatMap(([key, value]) =>
    typeof value === "string"
      ? [[`${prefix}${key}`, value] as [string, string]]
      : flatten(value, `${prefix}${key}.`),
  );
}

const placeholders = (text: string) => (text.match(/\{\{\w+\}\}/g) ?? []).toSorted();

const shape = (table: Table) =>
  Object.fromEntries(flatten(table).map(([key, text]) => [key, placeholders(text)]));

describe("language tables", () => {
  it("say the same things with the same placeholders", () => {
    expect(shape(zhCN)).toEqual(shape(en));
  });

  it("leave nothing empty", () => {
    const empty = [...flatten(en), ...flatten(zhCN)].filter(([, text]) => text.trim() === "");
    expect(empty).toEqual([]);
  });
});

it.each([
  [null, ["zh-TW", "en"], "zh-CN"],
  [null, ["de", "en-GB", "zh"], "en"],
  [null, ["fr"], "en"],
  ["zh-CN", ["en"], "zh-CN"],
  ["klingon", ["zh"], "zh-CN"],
] as const)("with %j stored and %j preferred it speaks %s", (stored, preferred, language) => {
  expect(chooseLanguage(stored, preferred)).toBe(language);
});
