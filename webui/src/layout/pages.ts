import {
  IconArrowsExchange,
  IconBell,
  IconChartBar,
  IconEyeCheck,
  IconHistory,
  IconKey,
  IconListDetails,
  IconServer2,
  IconSettings,
  IconShieldSearch,
  IconUsers,
} from "@tabler/icons-react";

/** The pages of the menu in XXL-JOB's order; those with a right are for people who hold it. */
export const pages = [
  { to: "/", label: "nav.dashboard", icon: IconChartBar, right: undefined },
  { to: "/jobs", label: "nav.jobs", icon: IconListDetails, right: undefined },
  { to: "/runs", label: "nav.runs", icon: IconHistory, right: undefined },
  { to: "/reviews", label: "nav.reviews", icon: IconEyeCheck, right: "glue.publish" },
  { to: "/executors", label: "nav.executors", icon: IconServer2, right: undefined },
  { to: "/alarms", label: "nav.alarms", icon: IconBell, right: "alarm.edit" },
  { to: "/users", label: "nav.users", icon: IconUsers, right: "user.view" },
  { to: "/tokens", label: "nav.tokens", icon: IconKey, right: "token.own" },
  { to: "/audit", label: "nav.audit", icon: IconShieldSearch, right: "audit.view" },
  { to: "/exchange", label: "nav.exchange", icon: IconArrowsExchange, right: "job.edit" },
  { to: "/settings", label: "nav.settings", icon: IconSettings, right: undefined },
] as const;

/** The pages that somebody with these rights sees. */
export function pagesFor(rights: string[]) {
  return pages.filter(({ right }) => right === undefined || rights.includes(right));
}
