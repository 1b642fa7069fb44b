import createClient from "openapi-fetch";
import { guardedFetch } from "./http";
import { toRefusal } from "./problem";
import type { paths } from "./schema";

/** The REST API. Wrap its answers in unwrap. */
export const api = createClient<paths>({
  baseUrl: `${location.origin}/api/v1`,
  fetch: guardedFetch,
  pathSerializer: fillPath,
  querySerializer: { array: { style: "form", explode: false } },
});

/** Puts parameters into a path. A colon, as in digests, may stand there as it is. */
function fillPath(pathname: string, parameters: Record<string, unknown>): string {
  return pathname.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(parameters[name])).replaceAll("%3A", ":"),
  );
}

/** The body of a successful answer; a refusal is thrown as ApiError. */
export async function unwrap<T>(
  call: Promise<{ data?: T; error?: unknown; response: Response }>,
): Promise<T> {
  const { data, error, response } = await call;
  if (!response.ok) throw await toRefusal(response.status, error);
  return data as T;
}
