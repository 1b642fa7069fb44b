import { expect, it } from "vitest";
import { cleanManifest, manifestText, sameManifest } from "./manifest";

it("takes an empty setting for one that is not there", () => {
  expect(cleanManifest({ hosts: [], memory_bytes: 0, kv: false })).toEqual({});
  expect(sameManifest({ hosts: [], log_bytes: 0 }, undefined)).toBe(true);
  expect(sameManifest({ hosts: ["a.example"] }, { hosts: ["b.example"] })).toBe(false);
});

it("writes one setting a line, in a fixed order", () => {
  expect(manifestText({ cpu_seconds: 3, hosts: ["a.example", "b.example"] })).toBe(
    "hosts: a.example, b.example\ncpu_seconds: 3\n",
  );
});
