import { useQueryClient } from "@tanstack/react-query";
import { queries } from "../api/queries";

/** The rights that decide what is offered; of one group's objects the server has the last word. */
type Right = "job.operate" | "job.edit" | "glue.publish";

/**
 * Whether the person holds a right in at least one group. The frame knows who is logged in
 * before it draws a page, so this only looks: it costs a row of a list next to nothing.
 */
export function useRight(right: Right): boolean {
  const me = useQueryClient().getQueryData(queries.me().queryKey);
  return me?.rights.includes(right) ?? false;
}
