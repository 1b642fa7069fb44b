import { formatBytes } from "../ui/bytes";

const pageBytes = 65536; // of WebAssembly memory

export interface Inspection {
  /** "module.name", sorted. */
  imports: string[];
  exports: string[];
  /** How it is called: "command" has a _start, "reactor" a gw_run. */
  abi: string | undefined;
  /** First and largest size of the memory, for people; absent when there is none. */
  memory: { min: string; max: string | undefined } | undefined;
}

interface Named {
  module?: unknown;
  name?: unknown;
}

/** Reads the report of an upload; what a different server leaves out is taken for absent. */
export function readInspection(report: Record<string, unknown>): Inspection {
  const min = report.memory_pages;
  const max = report.memory_max_pages;
  return {
    abi: typeof report.abi === "string" ? report.abi : undefined,
    imports: list(report.imports)
      .map(({ module, name }) => `${String(module)}.${String(name)}`)
      .toSorted(),
    exports: list(report.exports)
      .map(({ name }) => String(name))
      .toSorted(),
    memory:
      typeof min === "number" && min > 0
        ? {
            min: formatBytes(min * pageBytes),
            max: typeof max === "number" && max > 0 ? formatBytes(max * pageBytes) : undefined,
          }
        : undefined,
  };
}

/** What of two lists of names is only in one of them. */
export function compareNames(before: string[], after: string[]) {
  return {
    removed: before.filter((name) => !after.includes(name)),
    added: after.filter((name) => !before.includes(name)),
  };
}

function list(value: unknown): Named[] {
  return Array.isArray(value) ? value.filter((entry) => typeof entry === "object" && entry) : [];
}
