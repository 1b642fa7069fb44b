import type { Manifest } from "../api/types";

/** Fields in the order in which people read them. */
export const manifestFields = [
  "hosts",
  "secrets",
  "kv",
  "memory_bytes",
  "cpu_seconds",
  "log_bytes",
] as const satisfies readonly (keyof Manifest)[];

/** A manifest without what is not set, so that two of them can be compared. */
export function cleanManifest(manifest: Manifest | undefined): Manifest {
  const kept = manifestFields
    .map((field) => [field, manifest?.[field]] as const)
    .filter(([, value]) => (Array.isArray(value) ? value.length > 0 : Boolean(value)));
  return Object.fromEntries(kept);
}

/** Whether two manifests allow the same. */
export function sameManifest(a: Manifest | undefined, b: Manifest | undefined): boolean {
  return manifestText(a) === manifestText(b);
}

/** A manifest as text, one setting a line, to show what changes. */
export function manifestText(manifest: Manifest | undefined): string {
  return Object.entries(cleanManifest(manifest))
    .map(([field, value]) => `${field}: ${Array.isArray(value) ? value.join(", ") : value}\n`)
    .join("");
}
