import type { AuditFilter } from "../api/queries";

/** Where the entries of a filter can be downloaded. */
export function exportAddress(filter: AuditFilter, format: "csv" | "ndjson"): string {
  const query = new URLSearchParams({ format });
  for (const [name, value] of Object.entries(filter)) {
    if (value !== undefined && name !== "cursor") query.set(name, String(value));
  }
  return `/api/v1/audit/export?${query}`;
}
