import { readFileSync } from "node:fs";
import i18next from "i18next";
import { beforeAll, expect, it } from "vitest";
import { en } from "../i18n/en";
import { zhCN } from "../i18n/zh-CN";
import { reasonWords, shortMessage } from "./reason";

beforeAll(async () => {
  await i18next.init({
    lng: "zh-CN",
    resources: { en: { translation: en }, "zh-CN": { translation: zhCN } },
  });
});

it("has words for every reason that the server and its executors know", () => {
  const codes = ["../admin/job/state.go", "../executor/protocol/outcome.go"].flatMap((file) =>
    [...readFileSync(file, "utf8").matchAll(/^\tReason\w+\s+= "(\w+)"/gm)].map(([, code]) => code),
  );
  expect(codes.length).toBeGreaterThan(30);
  expect(Object.keys(en.reason).toSorted()).toEqual([...new Set(codes)].toSorted());
});

it("says what the server did in the reader's language, and leaves the job's own words", () => {
  expect(shortMessage(i18next.t, { reason: "expanded", message: "Expanded into 3 shards." })).toBe(
    zhCN.reason.expanded,
  );
  expect(shortMessage(i18next.t, { reason: "handler_failed", message: "boom" })).toBe("boom");
  expect(reasonWords(i18next.t, { reason: "of_a_later_release" })).toBe("");
});
