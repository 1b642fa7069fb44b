import { queryOptions } from "@tanstack/react-query";
import { api, unwrap } from "../api/client";

export type ValueKind = "secrets" | "variables";

/** A name of a group; only a variable shows its value. */
export interface NamedValue {
  name: string;
  value?: string;
  /** Moves with every edit. */
  version: number;
  updated_at: string;
  updated_by: string;
}

const paths = {
  secrets: ["/groups/{id}/secrets", "/groups/{id}/secrets/{name}"],
  variables: ["/groups/{id}/variables", "/groups/{id}/variables/{name}"],
} as const;

export function valuesQuery(id: number, kind: ValueKind) {
  return queryOptions({
    queryKey: ["groups", id, kind],
    queryFn: async ({ signal }): Promise<NamedValue[]> =>
      (await unwrap(api.GET(paths[kind][0], { params: { path: { id } }, signal }))).items,
  });
}

/** Writes a value in place of the version that its editor has seen, 0 for a new name. */
export function putValue(
  id: number,
  kind: ValueKind,
  name: string,
  body: { value: string; version: number },
) {
  return unwrap(api.PUT(paths[kind][1], { params: { path: { id, name } }, body }));
}

/** Deletes a value, if it is still the one that was shown. */
export function deleteValue(id: number, kind: ValueKind, { name, version }: NamedValue) {
  const seen = { "If-Match": `"${version}"` };
  return unwrap(api.DELETE(paths[kind][1], { params: { path: { id, name }, header: seen } }));
}
