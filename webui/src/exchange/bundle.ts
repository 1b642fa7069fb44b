import { api, unwrap } from "../api/client";
import type { ImportPlan } from "../api/types";

/** Where the file of some groups, or of all, can be downloaded. */
export function exportAddress(groupIDs: string[]): string {
  const query = new URLSearchParams();
  if (groupIDs.length > 0) query.set("group_id", groupIDs.join(","));
  return `/api/v1/export?${query}`;
}

const yaml = {
  headers: { "Content-Type": "application/yaml" },
  bodySerializer: (body: unknown) => body as string,
};

/** What an import would change. */
export function planBundle(text: string): Promise<ImportPlan> {
  return unwrap(api.POST("/import/plan", { ...yaml, body: text }));
}

/** Imports a file, all of it or nothing. */
export function applyBundle(text: string): Promise<ImportPlan> {
  return unwrap(api.POST("/import/apply", { ...yaml, body: text }));
}
