import { queryOptions } from "@tanstack/react-query";
import { api, unwrap } from "../api/client";

export type ValueKind = "secrets" | "variables";

/** A name of a group; only a variable shows its value. */
export interface NamedValue {
  name: string;
  value?: string;
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

export function putValue(id: number, kind: ValueKind, name: string, value: string) {
  return unwrap(
    api.PUT(paths[kind][1], { params: { path: { id, name } }, body: { value } }),
  );
}

export function deleteValue(id: number, kind: ValueKind, name: string) {
  return unwrap(api.DELETE(paths[kind][1], { params: { path: { id, name } } }));
}
