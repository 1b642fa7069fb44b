import { describe, expect, it } from "vitest";
import { type Draft, DraftStore } from "./draft";

class MemoryStorage {
  readonly entries = new Map<string, string>();
  getItem = (key: string) => this.entries.get(key) ?? null;
  setItem = (key: string, value: string) => void this.entries.set(key, value);
  removeItem = (key: string) => void this.entries.delete(key);
}

describe("DraftStore", () => {
  const draft: Draft = {
    source: "print(1)",
    manifest: { hosts: ["example.com"] },
    baseVersion: 3,
    savedAt: "2026-01-15T10:20:30.000Z",
  };

  it("gives back what was saved, to the same person and job only", () => {
    const storage = new MemoryStorage();
    expect(new DraftStore(1, 7, storage).save(draft)).toBe(true);
    expect(new DraftStore(1, 7, storage).load()).toEqual(draft);
    expect(new DraftStore(2, 7, storage).load()).toBeUndefined();
    expect(new DraftStore(1, 8, storage).load()).toBeUndefined();
  });

  it("forgets a cleared draft", () => {
    const storage = new MemoryStorage();
    const drafts = new DraftStore(1, 7, storage);
    drafts.save(draft);
    drafts.clear();
    expect(drafts.load()).toBeUndefined();
  });

  it("takes broken entries for no draft", () => {
    const storage = new MemoryStorage();
    const drafts = new DraftStore(1, 7, storage);
    for (const broken of ["{", "[]", '{"source":1}', "7"]) {
      storage.setItem("gw.draft.1.7", broken);
      expect(drafts.load()).toBeUndefined();
    }
  });

  it("tells when there is no room", () => {
    const full = new MemoryStorage();
    full.setItem = () => {
      throw new DOMException("full", "QuotaExceededError");
    };
    expect(new DraftStore(1, 7, full).save(draft)).toBe(false);
  });
});
