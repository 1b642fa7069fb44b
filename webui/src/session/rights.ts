import type { GroupRole, User } from "../api/types";

/** The rights that decide what is offered; the server has the last word. */
export type Right = "job.operate" | "job.edit" | "glue.publish" | "group.edit" | "secret.edit";

// Each role may do all that those before it may.
const roles: readonly GroupRole[] = ["viewer", "operator", "editor", "publisher", "group_admin"];

const leastRole: Record<Right, GroupRole> = {
  "job.operate": "operator",
  "job.edit": "editor",
  "glue.publish": "publisher",
  "group.edit": "group_admin",
  "secret.edit": "group_admin",
};

type Rights = Pick<User, "rights" | "grants" | "role_everywhere">;

/** Whether somebody holds a right in a group; in at least one, if none is named. */
export function holds(me: Rights, right: Right, groupID?: number): boolean {
  if (groupID === undefined || !me.rights.includes(right)) return me.rights.includes(right);
  const granted = me.grants.find((grant) => grant.group_id === groupID)?.role;
  return [me.role_everywhere, granted].some(
    (role) => role !== undefined && roles.indexOf(role) >= roles.indexOf(leastRole[right]),
  );
}
