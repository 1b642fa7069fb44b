import { ApiError } from "../api/problem";
import type { CodeProblem } from "./compile/problem";

/** The places in body.source that a refusal names. */
export function codeErrors(error: unknown): CodeProblem[] {
  if (!(error instanceof ApiError) || error.status !== 422) return [];
  return error.fields
    .filter((field) => field.location === "body.source")
    .map(({ message, value }) => {
      const place = typeof value === "object" && value !== null ? value : {};
      const { line, column } = place as { line?: number; column?: number };
      // The page says the line in its own language.
      const text = message.replace(/^line \d+: /, "");
      return { line: line ?? 1, column: column ?? 1, severity: "error", message: text };
    });
}

/** Whether a publish was refused because somebody else has published in between. */
export function isVersionConflict(error: unknown): boolean {
  return (
    error instanceof ApiError &&
    error.status === 409 &&
    !error.fields.some((field) => field.location === "body.source")
  );
}
