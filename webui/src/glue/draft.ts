import type { Manifest } from "../api/types";

/** What is written in an editor and not published yet. */
export interface Draft {
  source: string;
  manifest: Manifest;
  /** Number of the version that the text was made from; 0 = none. */
  baseVersion: number;
  savedAt: string;
}

/**
 * Keeps what the server has not taken yet in this browser, so that a lost tab and a
 * stopped admin lose nothing. What the server has is cleared from here.
 */
export class DraftStore {
  readonly #key: string;
  readonly #storage: Pick<Storage, "getItem" | "setItem" | "removeItem">;

  constructor(
    userID: number,
    jobID: number,
    storage: Pick<Storage, "getItem" | "setItem" | "removeItem"> = localStorage,
  ) {
    this.#key = `gw.draft.${userID}.${jobID}`;
    this.#storage = storage;
  }

  load(): Draft | undefined {
    try {
      const draft: unknown = JSON.parse(this.#storage.getItem(this.#key) ?? "null");
      return isDraft(draft) ? draft : undefined;
    } catch {
      return undefined;
    }
  }

  /** Keeps the draft; false when the browser has no room for it. */
  save(draft: Draft): boolean {
    try {
      this.#storage.setItem(this.#key, JSON.stringify(draft));
      return true;
    } catch {
      return false;
    }
  }

  clear(): void {
    try {
      this.#storage.removeItem(this.#key);
    } catch {
      // Storage is blocked, so there is no draft either.
    }
  }
}

function isDraft(value: unknown): value is Draft {
  if (typeof value !== "object" || value === null) return false;
  const { source, manifest, baseVersion, savedAt } = value as Record<string, unknown>;
  return (
    typeof source === "string" &&
    typeof manifest === "object" &&
    manifest !== null &&
    typeof baseVersion === "number" &&
    typeof savedAt === "string"
  );
}
