/** What stands beside the code. */
export const sideTabs = ["test", "versions", "manifest"] as const;
export type SideTab = (typeof sideTabs)[number];

/** What of the side panel is in the address: a tab, and a version that is looked at. */
export interface SideSearch {
  tab?: SideTab;
  version?: number;
}
