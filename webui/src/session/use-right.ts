import { useQueryClient } from "@tanstack/react-query";
import { queries } from "../api/queries";
import { holds, type Right } from "./rights";

/**
 * Whether the person holds a right in a group; in at least one, if none is named. The frame
 * knows who is logged in before it draws a page, so this only looks: it costs a row of a
 * list next to nothing.
 */
export function useRight(right: Right, groupID?: number): boolean {
  const me = useQueryClient().getQueryData(queries.me().queryKey);
  return me !== undefined && holds(me, right, groupID);
}
