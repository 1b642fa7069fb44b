/** What an account is on the whole installation. */
export const systemRoles = ["user", "auditor", "admin"] as const;

/** What somebody may do in a group; each includes those before it. */
export const groupRoles = ["viewer", "operator", "editor", "publisher", "group_admin"] as const;
