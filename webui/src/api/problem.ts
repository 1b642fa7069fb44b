import { inReadersLanguage } from "../i18n/server-words";

/** One field of an input that the server refused. */
export interface FieldProblem {
  /** Where it stands, such as "body.schedule_conf". */
  location: string;
  message: string;
  /** More about the place; for "body.source" its line and column, counted from 1. */
  value?: unknown;
}

/** The server's answer to a request that it refused: RFC 9457 problem details. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    detail: string,
    readonly fields: FieldProblem[] = [],
  ) {
    super(detail);
    this.name = "ApiError";
  }
}

/** No answer came: the admin is stopped or the network is down. */
export class UnreachableError extends Error {
  constructor(cause: unknown) {
    super("the admin does not answer", { cause });
    this.name = "UnreachableError";
  }
}

interface ProblemBody {
  title?: string;
  detail?: string;
  errors?: Partial<FieldProblem>[] | null;
}

/** Makes an ApiError of a problem body; a body of any other shape keeps the status alone. */
export function toApiError(status: number, body: unknown): ApiError {
  const problem: ProblemBody = typeof body === "object" && body !== null ? body : {};
  const fields = (problem.errors ?? []).map((error) => ({
    location: error.location ?? "",
    message: error.message ?? "",
    value: error.value,
  }));
  return new ApiError(status, problem.detail ?? problem.title ?? `HTTP ${status}`, fields);
}

// The page has words of its own for these, and the first of them comes before the login.
const ownWords = new Set([401, 403, 404]);

/** The refusal that a problem body tells of, in the reader's language. */
export async function toRefusal(status: number, body: unknown): Promise<ApiError> {
  const error = toApiError(status, body);
  if (ownWords.has(status)) return error;
  const fields = error.fields.map(async (field) => ({
    ...field,
    message: await inReadersLanguage(field.message),
  }));
  return new ApiError(status, await inReadersLanguage(error.message), await Promise.all(fields));
}

/**
 * The field problems by field name, for a form: "body.schedule_conf" → schedule_conf. What
 * stands deeper has its path as well: "body.config.url" → config and config.url.
 */
export function fieldErrors(error: unknown): Record<string, string> {
  if (!(error instanceof ApiError)) return {};
  const byField: Record<string, string> = {};
  for (const { location, message } of error.fields) {
    const path = location.replace(/^(body|path)\./, "").replaceAll(/\[(\d+)\]/g, ".$1");
    for (const field of [path.split(".")[0], path]) {
      if (field) byField[field] ??= message;
    }
  }
  return byField;
}

/** A message that names its field first, such as "tags[2]: …", without it. */
export function withoutField(message: string): string {
  return message.replace(/^[a-z_]+(\.[a-z_]+|\[\d+\])*: /, "");
}
