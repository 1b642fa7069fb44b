import { ApiError } from "../api/problem";

/** A place in the source that the server's parser refused; line and column from 1. */
export interface CodeError {
  line: number;
  column: number;
  message: string;
}

/** The places in body.source that a refusal names. */
export function codeErrors(error: unknown): CodeError[] {
  if (!(error instanceof ApiError) || error.status !== 422) return [];
  return error.fields
    .filter((field) => field.location === "body.source")
    .map(({ message, value }) => {
      const place = typeof value === "object" && value !== null ? value : {};
      const { line, column } = place as { line?: number; column?: number };
      // The page says the line in its own language.
      const text = message.replace(/^line \d+: /, "");
      return { line: line ?? 1, column: column ?? 1, message: text };
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
